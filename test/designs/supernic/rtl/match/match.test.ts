import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, bursts, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, MatchRig, type Ports } from "./support/match-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: bernoulli(0.2, b.random.word()),
  to: bursts({ go: 20, pause: 8 }, b.random.word()),
});

/** Several tables one after another, and frames at each. */
async function traffic(b: B, tables: number, frames: number, paused = true): Promise<MatchRig> {
  const rig = new MatchRig(b, paused ? pauses(b) : {});
  for (let i = 0; i < tables; i++) {
    await rig.program();
    for (let n = 0; n < frames; n++) rig.send(rig.frame());
    await rig.end();
  }
  return rig;
}
/** What comes from a peer, with no rule, one that leads to the next peer, and one that gives all a UID. */
async function fromPeers(b: B): Promise<void> {
  const rig = new MatchRig(b);
  for (const action of [undefined, "port", "uid"] as const)
    for (const port of [0, 2]) {
      const { settings } = rig,
        next = port + 1,
        all = { value: 0n, mask: 0n, enabled: true, port: next, uid: 77 };
      await rig.program({
        ...settings,
        port,
        rings: [port, next],
        rules: settings.rules.map((_, i) => (action !== undefined && i === 3 ? { ...all, action } : undefined)),
        macs: settings.macs.map((m, i) => m && { ...m, enabled: true, port: i % 4 }),
      });
      for (let n = 0; n < 250; n++) rig.send(rig.frame());
      await rig.end();
    }
  expect(rig.seen.get("onward") ?? 0).toBeGreaterThan(10);
  expect(rig.seen.get("ports") ?? 0).toBeGreaterThan(30);
}
/** Resets in the middle of frames; the tables are still there. */
async function resets(b: B): Promise<void> {
  const rig = new MatchRig(b, pauses(b));
  await rig.program();
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 30; n++) rig.send(rig.frame());
    await b.cycles(b.random.between(2, 40));
    rig.reset();
  }
  for (let n = 0; n < 50; n++) rig.send(rig.frame());
  await rig.end();
}

const outcomes = [
  ...["link", "software", "core", "redirect", "unwrap", "onward", "ports"],
  ...["refused", "stranger", "control", "rule", "uid", "nowhere"],
];
/** What is wrong, and the text that makes it so. */
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  [
    "the last rule counts, not the first",
    /rule2 <= \{~\w+ & (\w+), \w+ \? (\w+) : (\w+)\}/,
    "rule2 <= {$1, $1 ? $3 : $2}",
  ],
  ["a rule that is not enabled", "rules_matches_0 = config_rules & ", "rules_matches_0 = "],
  ["a UID of an earlier generation", " & (entry_generation == uid[15:10])", ""],
  ["a UID that this port must not use", "entry_valid & entry_allowed", "entry_valid"],
  ["a frame with a wrong UID is switched by its MAC", /outcome_outcome_or & ~uid_right/, "1'b0"],
  ["a frame leaves where it came in", /(config_rings & ~\{4\{passes\}\}\)) \| \{[^}]*\}/, "$1"],
  ["a switched frame goes onto a ring", "passes = from_peer &", "passes ="],
  ["a result stays where it came in from", /passes = from_peer &[^;]*;/, "passes = 1'b0;"],
  ["a broadcast of a peer goes round", /passes = ([^;]*) & known & ~asked_group/, "passes = $1"],
  ["a rule leads what a peer sends to the next one", /passes = ([^;]*) & ~\(ruled[^;]*;/, "passes = $1;"],
  ["a redirect of a stranger", /is_stranger = [^;]*;/, "is_stranger = 1'b0;"],
  ["a redirect that came another way", /\(mac_port == config_port\) & asked_own/, "asked_own"],
  ["a redirect for another sNIC is unwrapped", " & asked_own", ""],
  ["a redirect goes on to a station", "is_lost = ~(is_peer &", "is_lost = ~(known &"],
  ["a redirect goes back where it came from", "is_lost = ~(is_peer & (mac_port != config_port))", "is_lost = ~is_peer"],
  [
    "who is in between unwraps it",
    "? match_outcome_drop : match_outcome_onward",
    "? match_outcome_drop : match_outcome_unwrap",
  ],
  ["the next link is taken for the last", "{3'd0, mac_far}", "4'd0"],
  ["a rule gives what passes another UID", " & ~asked_onward)", ")"],
  [
    "a redirect's receiver is asked for, not its sender",
    /mac = is_redirect \? [^:]*:[^:]*:[^:]*:[^:]*:[^:]*:[^:]*:[^}]*\} :/,
    "mac =",
  ],
  ["software for everybody", /\? \(config_control \? (\w+) : (\w+)\)/, "? $1"],
  ["ports of a frame that has none", /key_payload_head_and = ([^;&]*)&[^;]*;/, "key_payload_head_and = $1;"],
  ["IPv4 of a frame that has none", /\{40\{has_ip\}\}/, "{40{1'b1}}"],
  ["a stage stands still while the others move", "valid_2 <= valid_1;", "valid_2 <= valid_1 & key_valid;"],
  ["a frame outlives a reset", "valid_1 <= 1'b0; ", ""],
];

describe("Match", () => {
  bench("random tables and frames: each outcome as the model says", dut(), { seed: 2 }, async b => {
    const rig = await traffic(b, 12, 400);
    expect([...rig.seen.keys()].sort()).toEqual([...outcomes].sort());
  });
  bench("from a peer to the next one", dut(), { seed: 5 }, fromPeers);
  bench("4 cycles, a frame every cycle", dut(), { seed: 3 }, async b => {
    const rig = new MatchRig(b);
    await rig.program();
    for (let n = 0; n < 200; n++) rig.send(rig.frame());
    const from = b.cycle;
    await rig.end();
    expect(new Set(rig.latencies)).toEqual(new Set([4]));
    expect(b.cycle - from).toBeLessThan(200 + 20);
  });
  bench("a reset in the middle of frames leaves none behind, and the tables", dut(), { seed: 4 }, resets);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => traffic(b, 8, 200), fromPeers, resets];
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", async () => {
      await look("no fault", dut());
    });
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(look(name, plant(dut(), from, to)));
      });
    }
  });
});
