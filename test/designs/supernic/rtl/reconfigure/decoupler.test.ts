import { describe, expect, test } from "vitest";
import { bernoulli, bursts, type Dut, never, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, DecouplerRig, dutOf, type Manner, small } from "./support/decoupler-rig.ts";

const whole = { contexts: 1024, slots: 4, places: 24 } as const,
  sizes = [small, { contexts: 32, slots: 1, places: 63 }, whole] as const;
const paused = (b: B) => ({
  from: bernoulli(0.1, b.random.word()),
  to: bursts({ go: 25, pause: 15 }, b.random.word()),
});
const manners: readonly Manner[] = ["good", "hangs", "lies", "noise"];

/** Traffic, a partition that does as it likes, a kill, and on again: nothing is lost, all credits are back. */
async function life(b: B, p: (typeof sizes)[number], rounds: number): Promise<DecouplerRig> {
  const rig = new DecouplerRig(b, p, paused(b));
  await b.cycles(p.contexts + 2);
  for (let round = 0; round < rounds; round++) {
    rig.manner = manners[round % manners.length] ?? "good";
    await rig.traffic(150);
    if (rig.manner === "good" && round % 2 === 0) await b.until(() => rig.pending === 0);
    rig.cut(true);
    // Who comes meanwhile is dropped, and the partition is silent or noisy.
    await b.cycles(1);
    rig.manner = round % 2 === 0 ? "noise" : "hangs";
    await rig.traffic(120);
    // Also when packets and credits are out, and others come: it comes on when all are back.
    if (round % 3 !== 1) await rig.kill();
    const beside = b.spawn(() => rig.traffic(90));
    await rig.on();
    await beside;
  }
  rig.leave.pause = never;
  await rig.end();
  return rig;
}
async function resets(b: B): Promise<void> {
  const rig = new DecouplerRig(b, small, paused(b));
  for (let round = 0; round < 8; round++) {
    await b.until(() => b.io.accepts.value === 1);
    await rig.traffic(b.random.between(20, 90));
    if (round % 3 === 1) {
      rig.cut(true);
      await rig.traffic(b.random.between(1, 20));
    }
    await rig.reset();
  }
  await b.until(() => b.io.accepts.value === 1);
  await rig.traffic(120);
  await rig.end();
}
/** Both credits of a slot in one cycle: one given, one refunded by a partition that lies about the second. */
async function together(b: B): Promise<void> {
  const rig = new DecouplerRig(b, small);
  await b.cycles(small.contexts + 2);
  for (let round = 0; round < 40; round++) {
    rig.manner = "lies";
    await rig.traffic(40);
    await rig.kill();
    await rig.on();
  }
  await rig.end();
}

describe("decoupler", () => {
  for (const p of sizes)
    bench(`${p.contexts} packets: nothing is lost, whatever the partition does`, dutOf(p), { seed: 2 }, async b => {
      const { seen } = await life(b, p, 12);
      expect(seen.right).toBeGreaterThan(200);
      expect(seen.killed).toBeGreaterThan(p === small ? 50 : 20);
      expect(seen.strays).toBeGreaterThan(20);
    });
  bench("a reset beside traffic or a kill leaves nothing inside", dutOf(small), { seed: 3 }, resets);
  bench("credits that come back together are those that were held", dutOf(small), { seed: 4 }, together);

  bench("no cycle in, one cycle out, a packet a cycle", dutOf(whole), {}, async b => {
    const rig = new DecouplerRig(b, whole);
    await b.cycles(whole.contexts + 2);
    await rig.traffic(400);
    await rig.end();
    expect(new Set(rig.latencies)).toEqual(new Set([1]));
  });
  bench("a full ledger is empty after a scan and a cycle for each packet", dutOf(small), { seed: 5 }, async b => {
    const rig = new DecouplerRig(b, small);
    await b.cycles(small.contexts + 2);
    rig.manner = "hangs";
    for (let i = 0; i < small.contexts; i++) rig.send([]);
    await b.until(() => rig.enter.pending === 0);
    await b.cycles(2);
    expect(rig.status("inside")).toBe(small.contexts);
    // The cycle in which it is off, and two until all is told.
    expect(await rig.kill()).toBeLessThanOrEqual(2 * small.contexts + 3);
    await rig.on();
    await rig.end();
    expect(rig.seen.killed).toBe(small.contexts);
    // All leave one behind the other.
    expect((rig.leaveCycles.at(-1) ?? NaN) - (rig.leaveCycles[0] ?? NaN)).toBe(small.contexts - 1);
  });
  bench("what comes to a region that is off never waits", dutOf(small), { seed: 6 }, async b => {
    const rig = new DecouplerRig(b, small, { to: () => true });
    await b.cycles(small.contexts + 2);
    rig.cut(true);
    await b.cycles(2);
    rig.says = 0;
    for (let i = 0; i < small.contexts; i++) rig.send([]);
    await b.cycles(small.contexts + 2);
    expect(rig.enter.pending).toBe(0);
    expect(b.io.accepts.value).toBe(1);
    rig.leave.pause = never;
    // It comes on only when all are out: none stays behind in the ledger.
    rig.says = 1;
    await rig.on();
    expect(rig.seen.killed).toBeGreaterThanOrEqual(small.contexts - 1);
    await rig.end();
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<ReturnType<typeof dutOf>["ports"]>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => life(b, small, 12), resets, together];
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 2000, limitCycles: 40_000, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dutOf(small)));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["credits stay with a killed packet", "holds_1 & (off | inner_give[1])", "holds_1 & inner_give[1]"],
      ["a credit is passed on that nobody holds", "holds_0 & (off | inner_give[0])", "off & holds_0 | inner_give[0]"],
      [
        "a refund is believed without a credit",
        "inner_leave_payload_refund[0] & rest_0",
        "inner_leave_payload_refund[0]",
      ],
      ["of two credits only one was held", "inner_give[2] ? held_2 > 3'd1 : holds_2", "holds_2"],
      ["it comes on with packets inside", "cut | (off & (~empty | enters))", "cut"],
      ["who enters in the last cycle is forgotten", "(~empty | enters)", "~empty"],
      [
        "a stranger's answer leaves",
        "(open ? inner_leave_valid : scans) & is_inside",
        "(open ? inner_leave_valid : scans & is_inside)",
      ],
      ["noise is believed", "open = ~(off | clearing)", "open = ~clearing"],
      ["the ledger keeps what a reset left", "leaves | clearing", "leaves"],
      [
        "the scan leaves places out",
        "left_ready)) scan_at <= scan_at + 6'd1",
        "left_ready)) scan_at <= scan_at + 6'd2",
      ],
      ["a killed packet is not told as killed", "inner_leave_payload_killed | kills", "inner_leave_payload_killed"],
      ["a killed packet is sent on", "inner_leave_payload_dropped | kills", "inner_leave_payload_dropped"],
      ["one that comes as another leaves counts twice", "enters & ~leaves) inside_", "enters) inside_"],
      ["kills are counted while they wait", "leaves & off", "left_valid & off"],
      ["strays are counted while they wait", "open & left_ready & ~is_inside", "open & ~is_inside"],
      ["the register at the end is overwritten", "~checked_full | leave_ready", "1'b1"],
      [
        "credits of who comes while it is off are forgotten",
        "enters & enter_payload_run[0]",
        "enters & open & enter_payload_run[0]",
      ],
      ["it accepts whatever its partition says", /open \? inner_accepts : ~clearing/, "~clearing"],
      ["it accepts before the ledger is clear", "inner_accepts : ~clearing", "inner_accepts : 1'b1"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dutOf(small), from, to)));
    });
  });
});
