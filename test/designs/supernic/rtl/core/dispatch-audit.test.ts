/** What is on its way to a region, with a header store that answers late. */
import { describe, expect, test } from "vitest";
import { Dispatch } from "../../../../../designs/supernic/rtl/core/index.ts";
import { sentLate } from "../../../../../designs/supernic/rtl/region/index.ts";
import { type Bench, type Dut, runBench, StreamSink, StreamSource } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

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

describe("Dispatch", () => {
  bench("no more are on their way to a region than it takes", dut, { seed: 1 }, headersLate);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 500, limitCycles: 10_000, seed: 4 }, headersLate);
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["one more is sent", /on_way_(\d) < 3'd6/, "on_way_$1 <= 3'd6"],
      ["one less is sent", /on_way_(\d) < 3'd6/, "on_way_$1 < 3'd5"],
      ["who goes past the queue is not counted", "turn_to_2 | passes_2", "turn_to_2"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
