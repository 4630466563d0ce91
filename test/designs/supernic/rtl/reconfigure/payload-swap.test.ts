/** Chains with payload and frames of their own in a region that comes and goes: docs/supernic/reconfigure.md. */
import { describe, expect, it } from "vitest";
import { bernoulli, bursts, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dutOf, PayloadSwapRig, type Sizes, type WorldName } from "./support/payload-swap-rig.ts";

const small: Sizes = { contexts: 16, cells: 64, branches: 1, credits: 4 },
  large: Sizes = { contexts: 32, cells: 256, branches: 2, credits: 8 },
  o = { limitCycles: 200_000, hangCycles: 4_000 };
/** Contexts and branches are cleared first. */
const clear = ({ contexts, branches }: Sizes): number => contexts * branches + 4;

interface SwapsOptions {
  readonly resets?: boolean;
  readonly pause?: number;
  readonly world?: WorldName;
}
/** Chains come, are killed with reads and frames under way, and go. @returns the longest time until one was empty */
async function swaps(b: B, sizes: Sizes, { resets = false, pause = 12, world = "reading" }: SwapsOptions = {}) {
  const rig = new PayloadSwapRig(b, sizes, {
    from: () => bernoulli(0.1, b.random.word()),
    to: () => bursts({ go: 20, pause }, b.random.word()),
    world,
  });
  let longest = 0;
  await b.cycles(clear(sizes));
  await rig.traffic(60);
  for (const [round, chain] of [1, 1, 2, 1, 3, 4, 4, 2, 2, 1, 4, 1].entries()) {
    const beside = b.spawn(() => rig.traffic(50));
    await b.cycles(b.random.below(120));
    longest = Math.max(longest, await rig.swap(chain, round % 3 !== 2));
    await beside;
    await rig.traffic(40);
    if (!resets || !b.random.chance(0.3)) continue;
    rig.reset();
    await b.cycles(clear(sizes));
  }
  await rig.end();
  return { rig, longest };
}

describe("payload and frames of chains that come and go", () => {
  for (const [name, sizes] of Object.entries({ small, large }))
    bench(
      `no beat and no half frame goes over to the next chain; ${name}`,
      dutOf(sizes),
      { seed: 3, ...o },
      async b => {
        const { rig, longest } = await swaps(b, sizes),
          { seen } = rig;
        expect(seen.killed).toBeGreaterThan(8);
        expect(seen.whileReading).toBeGreaterThan(2);
        expect(seen.frames).toBeGreaterThan(20);
        for (const n of seen.right) expect(n).toBeGreaterThan(40);
        // The ledger's scan, each packet, and payloads that were asked for: 24 beats each, the way out pauses.
        const { contexts, branches } = sizes;
        expect(longest).toBeLessThan(2 * (contexts * branches + contexts * 4 + 16 * 24));
      },
    );
  bench("resets in the middle of all of it", dutOf(small), { seed: 4, ...o }, async b => {
    const { rig } = await swaps(b, small, { resets: true });
    expect(rig.seen.resets).toBeGreaterThan(1);
  });
  for (const [name, sizes] of Object.entries({ small, large }))
    bench(
      `payloads that are written: all beats are there when a packet leaves, and none comes later; ${name}`,
      dutOf(sizes, "writing"),
      { seed: 3, ...o },
      async b => {
        const { rig, longest } = await swaps(b, sizes, { world: "writing" }),
          { seen } = rig;
        expect(seen.killed).toBeGreaterThan(8);
        expect(seen.whileReading).toBeGreaterThan(2);
        for (const n of seen.right) expect(n).toBeGreaterThan(40);
        const { contexts, branches } = sizes;
        // Each beat goes both ways.
        expect(longest).toBeLessThan(2 * (contexts * branches + contexts * 4 + 2 * 16 * 24));
      },
    );
  bench("payloads that are written, with resets in the middle", dutOf(small, "writing"), { seed: 4, ...o }, async b => {
    const { rig } = await swaps(b, small, { resets: true, world: "writing" });
    expect(rig.seen.resets).toBeGreaterThan(1);
  });

  describe("a planted fault is found", () => {
    const dut = dutOf(small);
    const look = async (design: Dut<(typeof dut)["ports"]>, sizes = small, pause = 12): Promise<void> => {
      for (const seed of [5, 6])
        await runBench("payload swap fault", design, { seed, wave: false, ...o, limitCycles: 60_000 }, b =>
          swaps(b, sizes, { pause }),
        );
    };
    it("and nothing without one", () => look(dut));
    const faults: readonly (readonly [string, RegExp, string])[] = [
      ["a region is empty, and its packets leave, while payloads are read", /& ~reading/g, ""],
      ["packets leave while payloads are read", /(scans = .*) & ~reading/, "$1"],
      ["a region that is off asks for payloads", /(job_0_goes_valid = .*) & ~status_off/, "$1"],
      ["what was offered is withdrawn when the region goes off", /(assign job0_valid = [^;]*);/, "$1 & ~status_off;"],
      ["what comes while the region is off waits", /(payload0_ready = .*) \| status_off/, "$1"],
      ["a payload that ends is not counted", /read_0_ends & ~read_0_begins/, "1'b0"],
      ["a frame that was begun is not cut", /(MakeGate make_gate_0 [^;]*\.off\s*\()status_off/, "$11'b0"],
    ];
    it.each(faults)("%s", (_name, from, to) => findsFault(look(plant(dut, from, to))));
    const written = dutOf(small, "writing");
    const lookWritten = async (design: Dut<(typeof written)["ports"]>): Promise<void> => {
      for (const seed of [5, 6])
        await runBench("payload swap fault", design, { seed, wave: false, ...o, limitCycles: 60_000 }, b =>
          swaps(b, small, { world: "writing" }),
        );
    };
    it("and nothing without one, where payloads are written", () => lookWritten(written));
    const writtenFaults: readonly (readonly [string, RegExp, string])[] = [
      ["a packet leaves while its last beat waits for the store", /(assign may_leave = open) [^;]*;/, "$1;"],
      ["a region is empty while beats are owed", /(back_0_busy = )[^;]*;/, "$11'b0;"],
      ["and while the last one waits for the store", /(back_0_busy = [^;]*?) \| back_0_waits_full/, "$1"],
      ["a region that is off owes its beats for ever", /(back_0_gives_valid = .*)status_off \|/, "$1"],
      [
        "what the partition offers goes to the store when nothing is owed",
        /(back_0_gives_valid = )owed_0_valid & /,
        "$1",
      ],
      [
        "the last beat is the one that the partition says",
        /(back_0_waits_held_last <= )[^;]*;/,
        "$1partition_back0_payload_last;",
      ],
      ["a beat that goes is not counted", /owed_0_goes & ~owes_0/, "1'b0"],
    ];
    it.each(writtenFaults)("written: %s", (_name, from, to) => findsFault(lookWritten(plant(written, from, to))));
    it("and none where the way out is slow", () => look(dutOf(large), large, 200));
  });
});
