import { describe, expect, test } from "vitest";
import { gbnBase, gbnCounters, gbnDriver, gbnMap } from "../../../../../designs/clio/registers/index.ts";
import { GbnRegisters } from "../../../../../designs/clio/rtl/transport/gbn-registers.ts";
import { goBackNSessions } from "../../../../../designs/clio/software/index.ts";
import { type Bench, bernoulli, type Dut, runBench, StreamSink, StreamSource } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const p = { sessions: 64, window: 128 };
type Ports = ReturnType<typeof GbnRegisters>["ports"];
/**
 * The registers alone, at the addresses that they have in the node. The master pauses on every channel, has one read
 * and one write under way at a time, and counts the answers that nobody waits for.
 */
const busOf = (b: Bench<Ports>) => {
  const { io, sim } = b,
    slow = (seed: number) => ({ pause: bernoulli(0.4, seed) }),
    aw = new StreamSource(sim, io.sAw, slow(1)),
    w = new StreamSource(sim, io.sW, slow(2)),
    done = new StreamSink(sim, io.sB, slow(3)),
    ar = new StreamSource(sim, io.sAr, slow(4)),
    r = new StreamSink(sim, io.sR, slow(5));
  let reads: Promise<unknown> = Promise.resolve(),
    writes: Promise<unknown> = Promise.resolve();
  const read = (address: number): Promise<number> => {
    const answer = reads.then(async () => {
      ar.send({ addr: address - gbnBase, prot: 0 });
      const { data, resp } = await r.recv();
      expect(resp).toBe(0);
      return data;
    });
    reads = answer.catch(() => undefined);
    return answer;
  };
  const write = (address: number, value: number): Promise<void> => {
    const answer = writes.then(async () => {
      aw.send({ addr: address - gbnBase, prot: 0 });
      w.send({ data: value, strb: 15 });
      expect((await done.recv()).resp).toBe(0);
    });
    writes = answer.catch(() => undefined);
    return answer;
  };
  return { read, write, unasked: () => done.received.length + r.received.length };
};

/**
 * Sessions are opened and closed, one after another in whatever order of requests. Those given up are reported once, in
 * order; counters show.
 */
async function scenario(b: Bench<Ports>): Promise<void> {
  const bus = busOf(b),
    sessions = goBackNSessions(bus, p.sessions),
    orders = new StreamSink(b.sim, b.io.session, { pause: () => b.random.chance(0.5) });
  await Promise.all([sessions.open(5), sessions.close(63), sessions.open(1)]);
  expect(orders.received.map(r => r.value)).toEqual([
    { session: 5, open: 1 },
    { session: 63, open: 0 },
    { session: 1, open: 1 },
  ]);
  expect(await sessions.failed()).toBeUndefined();
  const fail = async (n: number): Promise<void> => {
    b.io.failed.valid.value = 1;
    b.io.failed.session.value = n;
    await b.cycles(1);
    b.io.failed.valid.value = 0;
    await b.cycles(1);
  };
  for (const n of [7, 9, 7]) await fail(n);
  expect([await sessions.failed(), await sessions.failed(), await sessions.failed(), await sessions.failed()]).toEqual([
    7,
    9,
    7,
    undefined,
  ]);
  // More than are remembered: the first ones are.
  for (let n = 1; n <= 20; n++) await fail(n);
  const told: (number | undefined)[] = [];
  for (let n = await sessions.failed(); n !== undefined; n = await sessions.failed()) told.push(n);
  expect(told).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  const driver = gbnDriver(bus),
    given = gbnCounters.map((c, i) => [c, 0xffff_0000 + 17 * i] as const);
  for (const [c, v] of given)
    (
      (b.io.counters[c.side] as unknown as Readonly<Record<string, { value: number }>>)[c.event] as { value: number }
    ).value = v;
  await b.cycles(2);
  for (const [c, v] of given) expect(await driver.read(c.name), c.name).toBe(v);
  expect([
    await driver.read("gbnIdentification"),
    await driver.read("gbnSessionsLog2"),
    await driver.read("gbnWindowLog2"),
  ]).toEqual([0x42474c43, 6, 7]);
  await b.cycles(10);
  expect(bus.unasked(), "answers that nobody asked for").toBe(0);
}

describe("the registers of Go-Back-N", () => {
  bench(
    "open and close sessions, tell of those given up, and show the counters",
    GbnRegisters(p),
    { seed: 1 },
    scenario,
  );
  test("a counter for each event of both shims", () => {
    expect(new Set(gbnCounters.map(c => c.name)).size).toBe(gbnCounters.length);
    expect(gbnMap.registers.length).toBe(5 + gbnCounters.length);
  });
  testOfResets(GbnRegisters(p), {}, scenario);

  describe("a planted fault is found", () => {
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["an order is not taken", /ordered <= [^;]*;/, "ordered <= 1'b0;"],
      ["a session given up is told again and again", /\.pop_ready +\(\w+\)/, ".pop_ready (1'b0)"],
    ];
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(
          runBench(
            name,
            plant(GbnRegisters(p), from, to) as Dut<Ports>,
            { wave: false, hangCycles: 0, limitCycles: 5000, seed: 1 },
            scenario,
          ),
        );
      });
  });
});
