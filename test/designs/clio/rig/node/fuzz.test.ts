/** Coverage-guided fuzzing of the node with malformed frames of all operations. */
import { describe, expect, test } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import { type FuzzOptions, type FuzzResult, fuzzRun } from "../../../../../designs/clio/rig/node/fuzz-run.ts";
import { plant } from "../../../../support/plant.ts";

/** Mutated frames of the long run; .ci/run sets 50,000. */
const frames = Number(process.env["MNEMO_FRAMES"] ?? 4000);
/** The slow path's turn-round is as short as can be: the hardware is fuzzed here. */
const settings = makeSettings({ slowPathLatency: 8, hashKey: 0x9d39_247e_3377_6d41n });
const run = (o: Partial<FuzzOptions> = {}): Promise<FuzzResult> => fuzzRun(settings, { frames: 4000, seed: 2, ...o });

describe("malformed frames, guided by what the node's control registers show", () => {
  test(`${frames} mutated frames of all operations: each ends as the reference model says, good frames behind them are served, nothing is left`, async () => {
    const from = performance.now(),
      r = await run({ frames });
    expect(r.problems).toEqual([]);
    const seconds = (performance.now() - from) / 1000;
    console.log(
      `${r.frames} mutated frames in ${r.stretches} stretches, ${r.served} good ones served, ${r.cycles} cycles, ${seconds.toFixed(1)} s (${Math.round(
        r.frames / seconds,
      )}/s): ${r.coverage.states} control states, corpus ${r.corpus}`,
    );
    expect(r.frames).toBeGreaterThanOrEqual(frames);
    expect(r.served).toBeGreaterThan(2 * r.stretches);
    // Every reason to drop a frame, and every way to refuse one.
    const met = [
      "dropLong",
      "dropFcs",
      "dropShort",
      "dropMac",
      "dropEtherType",
      "dropArp",
      "dropIpHeader",
      "dropIpOptions",
      "dropIpChecksum",
      "dropFragment",
      "dropIp",
      "dropLength",
      "dropProtocol",
      "dropIcmp",
      "dropPort",
      "dropSource",
      "dropReply",
      "nacks",
      "malformed",
      "invalid",
      "writePermission",
      "unanswered",
      "slowRequests",
      "extendRequests",
      "atomics",
      "dereferences",
      "fences",
      "retriesAnswered",
      "retriesBusy",
      "retriesExpired",
    ] as const;
    for (const name of met) expect(r.counters[name], name).toBeGreaterThan(0n);
  });

  test("guidance reaches more of the judging units' states than the same mutations of the seeds alone, with as many frames", async () => {
    const guided = await run({ frames: 3000 }),
      blind = await run({ frames: 3000, guided: false });
    expect([guided.problems, blind.problems]).toEqual([[], []]);
    const known = blind.coverage.names(),
      onlyGuided = [...guided.coverage.names()].filter(s => !known.has(s)).length;
    console.log(
      `states: ${guided.coverage.states} guided (${onlyGuided} of them not reached blindly), ${blind.coverage.states} blind`,
    );
    expect(guided.coverage.states).toBeGreaterThan(blind.coverage.states * 1.15);
    expect(guided.corpus).toBeGreaterThan(blind.corpus);
  });

  // The run is only worth what it can see.
  const faults: readonly (readonly [what: string, from: string | RegExp, to: string, why: RegExp])[] = [
    [
      "the number that another request found is told (a fault that this fuzzer has found)",
      /done_word = told_found \? ([^:]*) : [^;]*;/,
      "done_word = $1;",
      /a repetition of operation/,
    ],
    [
      "the slot of a spoilt frame is lost",
      /released <= moves & dropped;/,
      "released <= moves & dropped & ~judged_bad;",
      /slots in use/,
    ],
    [
      "a frame that breaks three rules at once passes",
      /wire refused = \|broken;/,
      "wire refused = |broken & ~(broken[2] & broken[25] & broken[34]);",
      /nobody waits for/,
    ],
  ];
  test.each(faults)("planted fault: %s", async (_what, from, to, why) => {
    const r = await run({ frames: 20_000, design: plant(clioNode(settings.config), from, to) });
    expect(r.problems.join("\n")).toMatch(why);
  });
});
