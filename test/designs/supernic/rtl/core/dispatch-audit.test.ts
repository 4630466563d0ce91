/** What is on its way to a region, with a header store that answers late. */
import { describe, expect, test } from "vitest";
import { Dispatch } from "../../../../../designs/supernic/rtl/core/index.ts";
import { sentLate } from "../../../../../designs/supernic/rtl/region/index.ts";
import { type Bench, bernoulli, type Dut, poke, runBench, StreamSink, StreamSource } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyValue, scramble } from "../../support/any-value.ts";

const dut = Dispatch({ contexts: 64, regions: 4, slots: 4, branches: 4 });
type Ports = typeof dut.ports;
type B = Bench<Ports>;

/** Headers are read and do not come: so many are sent as a region takes without being asked, and no more. */
async function headersLate(b: B): Promise<void> {
  const read = new StreamSink(b.sim, b.io.read, {}),
    header = new StreamSource(b.sim, b.io.header),
    enter = new StreamSink(b.sim, b.io.enter, {});
  b.io.accepts.value = 15;
  b.io.start.valid.value = 0;
  let entered = 0,
    sent = 0;
  b.onEdge({
    sample: () => {
      for (let s = enter.take(); s; s = enter.take()) entered++;
    },
  });
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 12; i++) {
      b.io.start.valid.value = 1;
      b.io.start.ctx.value = sent++ % 64;
      b.io.start.region.value = round;
      await b.cycles(1);
    }
    b.io.start.valid.value = 0;
    await b.cycles(20);
    const asked = read.received.splice(0);
    expect(asked).toHaveLength(sentLate);
    // Each that enters lets one more go, in the order of their starts.
    for (const s of asked) header.send({ ctx: Number(s.value.ctx), header: 0n });
    await b.cycles(20);
    const rest = read.received.splice(0);
    expect(rest).toHaveLength(12 - sentLate);
    for (const s of rest) header.send({ ctx: Number(s.value.ctx), header: 0n });
    await b.until(() => entered === sent);
    expect([...asked, ...rest].map(s => Number(s.value.ctx))).toEqual(
      Array.from({ length: 12 }, (_, i) => (sent - 12 + i) % 64),
    );
  }
}

/**
 * Starts of all regions that are open, regions that accept now and then, headers that come late: each enters once, in
 * the order of its region's starts, with its own header, and with what was told of it in the cycle behind `tell`.
 */
async function fields(b: B): Promise<void> {
  let asked = 0,
    entered = 0;
  const { io, random: r } = b,
    // The store reads no more than it has room for.
    stalls = bernoulli(0.3, r.word()),
    read = new StreamSink(b.sim, io.read, { pause: () => stalls() || asked - entered > 5 }),
    header = new StreamSource(b.sim, io.header, { pause: bernoulli(0.3, r.word()) }),
    enter = new StreamSink(b.sim, io.enter, {});
  const wanted: Record<string, unknown>[][] = [[], [], [], []],
    // What is told of a context, and its header, are the same from one start of it to its entry.
    told = Array.from({ length: 64 }, () => anyValue(r, io.told)),
    headers = Array.from({ length: 64 }, () => r.bits(512)),
    late = [0, 0, 0, 0];
  let asks: number | undefined;
  b.onEdge({
    sample: () => {
      asks = io.read.valid.value === 1 && io.read.ready.value === 1 ? io.tell.num : undefined;
      for (let s = read.take(); s; s = read.take(), asked++) {
        const ctx = Number(s.value.ctx);
        header.send({ ...anyValue(r, io.header.payload), ctx, header: headers[ctx]! });
      }
      for (let s = enter.take(); s; s = enter.take(), entered++) {
        const is = s.value as unknown as Record<string, unknown>,
          next = wanted[Number(s.value.region)]?.shift();
        expect(Object.fromEntries(Object.keys(next ?? {}).map(k => [k, String(is[k])]))).toEqual(
          Object.fromEntries(Object.entries(next ?? { none: 1 }).map(([k, v]) => [k, String(v)])),
        );
      }
    },
    drive: () => {
      scramble(r, io.told);
      if (asks !== undefined) poke(io.told, told[asks] as never);
    },
  });
  let sent = 0;
  for (const busy of [0.9, 0.3, 0.9])
    for (let i = 0; i < 250; i++) {
      const start = anyValue(r, io.start),
        ctx = sent % 64,
        region = r.below(4),
        isOpen = (io.open.num >> region) & 1;
      late[region] = isOpen ? 0 : late[region]!;
      const valid = r.chance(busy) && sent - entered < 60 && (isOpen === 1 || late[region] < 6) ? 1 : 0;
      poke(io.start, { ...start, valid, ctx, region });
      io.accepts.value = r.chance(0.3) ? 15 : r.below(16);
      if (valid) {
        sent++;
        if (!isOpen) late[region]++;
        const { branch, run, arg } = start;
        wanted[region]!.push({ ctx, region, branch, run, arg, header: headers[ctx], ...(told[ctx] as object) });
      }
      await b.cycles(1);
    }
  io.start.valid.value = 0;
  io.accepts.value = 15;
  await b.until(() => entered === sent);
  expect(sent).toBeGreaterThan(200);
}

const runs = { headersLate, fields };
describe("Dispatch", () => {
  bench("each enters with all that belongs to it", dut, { seed: 2, hangCycles: 500 }, fields);
  bench("no more are on their way to a region than it takes", dut, { seed: 1 }, headersLate);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 500, limitCycles: 10_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["one more is sent", /on_way_(\d) < 3'd6/, "on_way_$1 <= 3'd6"],
      ["one less is sent", /on_way_(\d) < 3'd6/, "on_way_$1 < 3'd5"],
      ["the header of one is told of another", /asking\) begin/, "asking \& told_no_l4) begin"],
      ["who goes past the queue is not counted", "turn_to_2 | passes_2", "turn_to_2"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
