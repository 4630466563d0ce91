import { describe, expect, test } from "vitest";
import { type OffloadParameters, offloadPid } from "../../../../designs/clio/offload/index.ts";
import { MultiVersion } from "../../../../designs/clio/offloads/mv/index.ts";
import { accessBody, allocBody, mvBody, opcode, status, vmFlag } from "../../../../designs/clio/wire/index.ts";
import { decode, encode } from "../../../../designs/shared/wire/index.ts";
import { type Bench, bursts, runBench } from "../../../../sim/index.ts";
import type { OffloadCall, OffloadPorts } from "../../../../designs/clio/rig/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { MvRig } from "./support/mv-rig.ts";
import { lateTakers } from "./support/late-takers.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const wide: OffloadParameters = { beatBytes: 64, contexts: 8, maxData: 1466 },
  narrow: OffloadParameters = { beatBytes: 8, contexts: 4, maxData: 200 };
/** So small that all of it is used up: 63 objects, 8 versions, arenas for a few objects. */
const limits = { versions: 8, idBits: 6, arenaBytes: 32_768 };
const Wide = MultiVersion(wide, limits),
  Narrow = MultiVersion(narrow, limits);

/**
 * Rounds of new objects, of requests from all sides on all of them, and of objects deleted while requests to them
 * are under way.
 */
async function traffic(
  b: Bench<OffloadPorts>,
  rig: MvRig,
  p: OffloadParameters,
  rounds: number,
): Promise<Record<string, number>> {
  const all: Record<string, number> = {},
    { random } = b;
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 4; i++) await rig.make(random.pick([1, 8, 9, 16, random.between(1, p.maxData), p.maxData]));
    // Often the same object, so that requests meet.
    for (let i = 0; i < 40; i++)
      if (random.chance(0.1)) rig.wrong();
      else rig.work(random.chance(0.5) ? 2 : undefined);
    const gone = Array.from({ length: 2 + (round % 3) }, () => rig.drop());
    for (const [end, n] of Object.entries(await rig.finish())) all[end] = (all[end] ?? 0) + n;
    // Under way while the next objects are made: with one of these numbers or not, there is no version to be read.
    for (const number of gone) {
      rig.latest(number);
      rig.read(number, 1);
    }
  }
  return all;
}
const time = ({ taken, replies }: OffloadCall): number => (replies[0]?.cycle ?? Number.NaN) - (taken ?? Number.NaN);
const statusOf = (c: OffloadCall): number | undefined => c.replies[0]?.status;

/**
 * Memory runs out under an append. Pages of 64 bytes: the map's first, and one of the object's array, which its
 * third version leaves.
 */
async function runsOut(b: Bench<OffloadPorts>): Promise<void> {
  const rig = new MvRig(b, narrow, limits, { memoryOptions: { pageSize: 64, frames: 2 } });
  await rig.make(32);
  const [first, second] = [b.random.bytes(32), b.random.bytes(32)];
  for (const value of [first, second]) expect(statusOf(await rig.end(rig.append(1, value)))).toBe(status.OK);
  for (let i = 0; i < 3; i++)
    expect(statusOf(await rig.end(rig.append(1, b.random.bytes(32))))).toBe(status.OUT_OF_MEMORY);
  const latest = await rig.end(rig.latest(1));
  expect(latest.replies[0]?.body.subarray(0, 8)).toEqual(encode(mvBody, { object: 1, version: 2 }));
  expect(latest.replies[0]?.body.subarray(8)).toEqual(second);
  expect(statusOf(await rig.end(rig.read(1, 3)))).toBe(status.FAIL);
  expect((await rig.end(rig.read(1, 1))).replies[0]?.body.subarray(8)).toEqual(first);
}

/**
 * One request after another, of which some have one of their writes refused by memory: those are answered so, and all
 * is as it was before. Memory answers in any order.
 */
async function refusedWrites(b: Bench<OffloadPorts>, requests: number): Promise<void> {
  const rig = new MvRig(b, narrow, limits, { jitter: 40 }),
    { random } = b,
    size = 24,
    live = new Map<number, Uint8Array[]>();
  const real = rig.memory.access.bind(rig.memory);
  let refuses: "entry" | "value" | undefined,
    refused = 0;
  const access: typeof real = f => {
    const what = f.length === size ? "value" : "entry";
    if (f.opcode !== opcode.WRITE || refuses !== what) return real(f);
    refuses = undefined;
    refused++;
    return { status: status.FAIL, va: f.va, length: 0, data: new Uint8Array() };
  };
  Object.assign(rig.memory, { access });
  const ask = async (call: () => OffloadCall, at?: typeof refuses): Promise<OffloadCall["replies"][number]> => {
    refuses = at;
    const before = refused,
      reply = (await rig.end(call())).replies[0]!;
    refuses = undefined;
    expect(reply.status, "how it ended").toBe(refused > before ? status.FAIL : status.OK);
    return reply;
  };
  for (let i = 0; i < requests; i++) {
    const what = live.size === 0 ? 0 : random.between(0, 4),
      at = random.pick([undefined, "entry", "value"] as const),
      object = live.size === 0 ? 0 : random.pick([...live.keys()]),
      versions = live.get(object) ?? [];
    if (what === 0 && live.size < 6) {
      const reply = await ask(() => rig.create(size), at);
      if (reply.status !== status.OK) continue;
      const { object: number } = decode(mvBody, reply.body);
      expect(live.has(number), "a number that is given is nobody's").toBe(false);
      live.set(number, []);
    } else if (what === 1) {
      if ((await ask(() => rig.remove(object), at)).status === status.OK) live.delete(object);
    } else if (versions.length < limits.versions) {
      const value = random.bytes(size);
      if ((await ask(() => rig.append(object, value), at)).status === status.OK) versions.push(value);
    }
    for (const [number, all] of live) {
      if (all.length === 0) continue;
      const reply = await ask(() => rig.latest(number));
      expect([reply.status, reply.body.slice(mvBody.bytes)], `object ${number} now`).toEqual([status.OK, all.at(-1)]);
    }
  }
  expect(refused, "writes refused").toBeGreaterThan(requests / 5);
}

/**
 * Appends to several objects at once, some of which have their value or their entry refused by memory: only those FAIL,
 * and only the others have a version more.
 */
async function refusedTogether(b: Bench<OffloadPorts>, rounds: number): Promise<void> {
  const rig = new MvRig(b, narrow, limits, { jitter: 60 }),
    { random } = b,
    size = 24;
  const objects: { readonly number: number; readonly entry: bigint; count: number; latest?: Uint8Array }[] = [];
  const real = rig.memory.access.bind(rig.memory);
  let entryAt = 0n;
  const plan = new Map<string | bigint, "refused" | "done">(),
    textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
  const access: typeof real = f => {
    if (f.opcode !== opcode.WRITE) return real(f);
    if (f.length !== size) entryAt = f.va;
    // A value is known by its bytes, an entry by its place.
    const what = f.length === size ? textOf(f.data) : f.va;
    if (plan.get(what) !== "refused") return real(f);
    plan.set(what, "done");
    return { status: status.FAIL, va: f.va, length: 0, data: new Uint8Array() };
  };
  Object.assign(rig.memory, { access });
  for (let i = 0; i < 6; i++) objects.push({ number: await rig.make(size), entry: entryAt, count: 0 });
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const calls = objects
      .filter(o => o.count < limits.versions)
      .map(object => {
        const value = random.bytes(size),
          fails = random.pick([undefined, object.entry, textOf(value)]);
        if (fails !== undefined) plan.set(fails, "refused");
        return { object, value, fails: fails !== undefined, call: rig.append(object.number, value) };
      });
    await rig.host.drained();
    for (const { object, value, fails, call } of calls) {
      expect(statusOf(call), `object ${object.number} in round ${round}`).toBe(fails ? status.FAIL : status.OK);
      if (fails) refused++;
      else {
        object.latest = value;
        object.count++;
      }
    }
    expect([...plan.values()].filter(s => s !== "done").length, "refusals that did not come about").toBe(0);
    plan.clear();
    for (const { number, latest } of objects) {
      const [reply] = (await rig.end(rig.latest(number))).replies;
      expect(reply?.body.slice(mvBody.bytes), `object ${number} now`).toEqual(latest ?? new Uint8Array());
    }
  }
  expect(refused, "appends refused").toBeGreaterThan(rounds);
}

describe("MultiVersion", () => {
  for (const [p, dut] of [
    [wide, Wide],
    [narrow, Narrow],
  ] as const) {
    bench(
      `${p.beatBytes * 8} bits: random requests, replies of memory in any order, random pauses`,
      dut,
      { seed: p.beatBytes },
      async b => {
        const ends = await traffic(b, new MvRig(b, p, limits, { pause: 0.3, jitter: 60 }), p, 14);
        for (const end of ["OK", "FAIL", "MALFORMED"]) expect(ends[end], end).toBeGreaterThan(10);
      },
    );
    bench(`${p.beatBytes * 8} bits: without pauses`, dut, { seed: 50 + p.beatBytes }, async b => {
      await traffic(b, new MvRig(b, p, limits), p, 6);
    });
  }
  bench("pauses in bursts", Narrow, { seed: 3 }, async b => {
    await traffic(
      b,
      new MvRig(b, narrow, limits, { pause: stream => bursts({ go: 30, pause: 200 }, stream.length), jitter: 300 }),
      narrow,
      6,
    );
  });
  bench(
    "all numbers are given, then there is none left; those of deleted objects come again, and show nothing of before",
    Narrow,
    { seed: 4 },
    async b => {
      const rig = new MvRig(b, narrow, limits),
        numbers: number[] = [];
      for (let i = 0; i < 63; i++) numbers.push(await rig.make(8));
      expect(numbers).toEqual(Array.from({ length: 63 }, (_, i) => i + 1));
      expect(statusOf(await rig.end(rig.create(8)))).toBe(status.OUT_OF_MEMORY);
      for (let v = 1; v <= 8; v++)
        expect((await rig.end(rig.append(17, b.random.bytes(8)))).replies[0]?.body).toEqual(
          encode(mvBody, { object: 17, version: v }),
        );
      expect(statusOf(await rig.end(rig.append(17, b.random.bytes(8)))), "full").toBe(status.FAIL);
      await rig.end(rig.remove(17));
      expect(statusOf(await rig.end(rig.latest(17))), "deleted").toBe(status.FAIL);
      expect(await rig.make(9), "of another size").toBe(0);
      expect(await rig.make(7)).toBe(17);
      for (const call of [rig.latest(17), ...Array.from({ length: 8 }, (_, v) => rig.read(17, v + 1))])
        expect(statusOf(await rig.end(call))).toBe(status.FAIL);
      await rig.finish();
    },
  );

  const mine = offloadPid(0),
    page = 2 ** 22,
    region = 2n ** 30n;
  bench(
    "a region without room: the next one; none at all: OUT_OF_MEMORY, and all goes on when there is some again",
    Narrow,
    { seed: 5 },
    async b => {
      const rig = new MvRig(b, narrow, limits, { memoryOptions: { pageSize: page, allocatable: 3 } });
      const others = (code: number): void => {
        rig.memory.access({
          opcode: code,
          pid: 5,
          va: BigInt(page),
          length: page,
          data: encode(allocBody, { vmFlags: vmFlag.write }).slice(accessBody.bytes),
        });
      };
      others(opcode.ALLOC);
      rig.memory.map(mine, BigInt(2 * page), 2 ** 30 - 2 * page);
      // 16 arrays of 2 KB to an arena, less the map in the first.
      for (let i = 1; i <= 31; i++) expect(await rig.make(200)).toBe(i);
      expect(rig.memory.pagesOf(mine).filter(va => va >= region)).toEqual([region]);
      await rig.finish();
      expect(statusOf(await rig.end(rig.create(200)))).toBe(status.OUT_OF_MEMORY);
      for (const n of [1, 31]) expect(statusOf(await rig.end(rig.append(n, b.random.bytes(200))))).toBe(status.OK);
      others(opcode.FREE);
      expect(await rig.make(200)).toBe(32);
    },
  );
  bench("memory runs out under an append: no version more, and what was there stays", Narrow, { seed: 6 }, runsOut);
  for (const L of [10, 75]) {
    bench(`memory of ${L} cycles: latencies as stated`, Wide, { seed: L }, async b => {
      const rig = new MvRig(b, wide, limits, { latency: L, slowLatency: 1000 }),
        alone = async (ask: () => OffloadCall): Promise<number> => time(await rig.end(ask()));
      expect(await alone(() => rig.create(16)), "create with an ALLOC").toBe(1000 + L + 38);
      expect(await alone(() => rig.create(16)), "create").toBe(L + 23);
      expect(await alone(() => rig.append(1, b.random.bytes(16))), "append").toBe(2 * L + 40);
      expect(await alone(() => rig.read(1, 1)), "read").toBe(2 * L + 32);
      expect(await alone(() => rig.latest(1)), "latest").toBe(2 * L + 32);
      expect(await alone(() => rig.latest(2)), "no version").toBe(L + 23);
      expect(await alone(() => rig.latest(60)), "no object").toBe(13);
      expect(await alone(() => rig.remove(2)), "delete").toBe(2 * L + 33);
      expect(await alone(() => rig.create(16)), "create under a number deleted").toBe(2 * L + 33);
      await rig.finish();
    });
  }
  bench(
    "requests of different objects overlap, reads of one object too, writes of one object do not",
    Wide,
    { seed: 7 },
    async b => {
      const L = 200,
        rig = new MvRig(b, wide, { ...limits }, { latency: L });
      for (let i = 0; i < 8; i++) await rig.make(16);
      const total = async (ask: (i: number) => OffloadCall): Promise<number> => {
        const calls = Array.from({ length: 8 }, (_, i) => ask(i));
        await rig.host.drained();
        return Math.max(...calls.map(c => c.done ?? Number.NaN)) - (calls[0]?.taken ?? Number.NaN);
      };
      const value = (): Uint8Array => b.random.bytes(16);
      const one = 2 * L + 39;
      expect(await total(i => rig.append(i + 1, value())), "appends to 8 objects").toBeLessThan(one + 8 * 36);
      expect(await total(() => rig.latest(3)), "reads of one").toBeLessThan(one + 8 * 30);
      expect(
        await total(() => rig.append(4, value())),
        "7 more appends to one and an eighth that finds it full",
      ).toBeGreaterThan(7 * 2 * L);
      await rig.finish();
    },
  );
  bench(
    "intervals as stated: a read every 27 cycles, an append every 36, when memory is fast",
    Wide,
    { seed: 9 },
    async b => {
      const rig = new MvRig(b, wide, limits, { latency: 2 });
      for (let i = 0; i < 8; i++) await rig.make(16);
      const gaps = async (ask: (i: number) => OffloadCall): Promise<number> => {
        const calls = Array.from({ length: 48 }, (_, i) => ask(i));
        await rig.host.drained();
        const ends = calls.map(c => c.done ?? Number.NaN).sort((x, y) => x - y);
        return ((ends[40] ?? Number.NaN) - (ends[8] ?? Number.NaN)) / 32;
      };
      const append = await gaps(i => rig.append((i % 8) + 1, b.random.bytes(16))),
        read = await gaps(i => rig.latest((i % 8) + 1));
      expect(read).toBeGreaterThan(20);
      expect(read).toBeLessThanOrEqual(27);
      expect(append).toBeGreaterThan(read);
      expect(append).toBeLessThanOrEqual(36);
      await rig.finish();
    },
  );
  bench("takers that are ready only after a valid", Narrow, { seed: 10 }, async b => {
    await traffic(b, new MvRig(b, narrow, limits, { pause: lateTakers(b) }), narrow, 2);
  });
  testOfResets(Narrow, { most: 2000 }, b =>
    traffic(b, new MvRig(b, narrow, limits, { pause: 0.3, jitter: 60 }), narrow, 6),
  );
  bench("reset in the middle: there is no object any more", Narrow, { seed: 8 }, async b => {
    const rig = new MvRig(b, narrow, limits, { pause: 0.2, jitter: 30 });
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 3; i++) await rig.make(b.random.between(1, 200));
      for (let i = 0; i < 12; i++) rig.work();
      await b.cycles(b.random.between(5, 300));
      rig.host.reset();
      rig.forget();
      expect(statusOf(await rig.end(rig.latest(1)))).toBe(status.FAIL);
    }
    await traffic(b, rig, narrow, 2);
  });

  bench("a memory that refuses a write now and then: what fails has changed nothing", Narrow, { seed: 9 }, b =>
    refusedWrites(b, 150),
  );

  bench("a memory that refuses writes of several appends at once", Narrow, { seed: 10 }, b => refusedTogether(b, 10));

  describe("planted faults are found", () => {
    const random = (b: Bench<OffloadPorts>): Promise<unknown> =>
      traffic(b, new MvRig(b, narrow, limits, { pause: 0.1, jitter: 60 }), narrow, 8);
    const finds = (fault: string, from: string | RegExp, to: string, look = random): void => {
      test(fault, async () => {
        await findsFault(runBench(fault, plant(Narrow, from, to), { wave: false, seed: 8, hangCycles: 3000 }, look));
      });
    };
    finds("a write does not wait for reads of its object", /\(writes\[\d\] \| enter_writes\)/, "writes[0]");
    finds("a deleted object can still be read", "entry_live_q <= 1'b0", "entry_live_q <= 1'b1");
    finds("a new object has the versions of the one before", "entry_number_q <= 6'd0", "entry_number_q <= 6'd1");
    finds("a deleted number is given twice", "note_link <= entry_number_q", "note_link <= note_object");
    finds("an append is answered after the first of its writes", "if (note_half) begin", "if (1'b1) begin", runsOut);
    finds(
      "an append whose value could not be written leaves a version",
      "what_event <= 3'd6",
      "what_event <= 3'd1",
      runsOut,
    );
  });
  describe("planted faults are found where memory refuses writes", () => {
    test.each([
      [
        "an entry's refusal is lost behind the value's answer",
        /(?<=entry_outcome = \(e == 3'd4\) \? )note_failed/,
        "4'd0",
      ],
      ["what failed gives a number away", /if \(last_when\) begin/, "if (e == 3'd3) begin"],
    ] as const)("%s", (name, from, to) =>
      findsFault(
        runBench(name, plant(Narrow, from, to), { wave: false, seed: 9, hangCycles: 3000 }, b => refusedWrites(b, 150)),
      ),
    );
  });
  test("planted fault: what the first write of an append said is another's", () =>
    findsFault(
      runBench(
        "another's",
        plant(Narrow, /note_failed <= note_object_word\[[^;]*;/, ""),
        { wave: false, seed: 10, hangCycles: 3000 },
        b => refusedTogether(b, 10),
      ),
    ));
  test("an arena must hold the map and the largest array", () => {
    expect(() => MultiVersion(wide, { ...limits, arenaBytes: 16_384 })).toThrow(
      "arenaBytes = 16384 does not hold the map (1024 bytes) and an array of 8 versions of 2048 bytes; give 32768 or more",
    );
  });
});
