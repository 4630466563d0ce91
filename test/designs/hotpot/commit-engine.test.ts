import { describe, expect, it } from "vitest";
import { CommitEngine } from "../../../designs/hotpot/node/index.ts";
import type { OffloadPorts } from "../../../designs/clio/rig/index.ts";
import { answered, CommitHost } from "../../../designs/hotpot/rig/index.ts";
import { marks, type Message } from "../../../designs/hotpot/wire/index.ts";
import { type Bench, type Dut, runBench } from "../../../sim/index.ts";
import { bench } from "../../bench.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { director, homeAt, memoryOf, parameters, pid, type RandomRun, randomRun } from "./support/random-run.ts";

const dut = CommitEngine(parameters);
const wanted = [
  "commit corrupt",
  "prepare busy",
  "prepare stale",
  "prepare refused",
  "prepare cold",
  "commit done",
  "commit unknown",
  "commit stale",
];

bench("random messages, resets between: each answer, and memory to the byte", dut, { seed: 1 }, async b => {
  const seen = await randomRun(b, { count: 160, failing: 0, rounds: 6, options: { pause: 0.15, jitter: 20 } });
  expect([...seen.keys()]).toEqual(expect.arrayContaining([...wanted, "update stale", "update cold", "inspect stale"]));
});
bench("memory that refuses", dut, { seed: 2 }, async b => {
  const seen = await randomRun(b, { count: 240, failing: 0.1, rounds: 6, options: { pause: 0.1, jitter: 5 } });
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining(["prepare failed", "commit failed", "forget failed", "recover failed"]),
  );
});

for (const seed of [100, 102, 105])
  bench(`memory that refuses, and more of it (${seed})`, dut, { seed }, async b => {
    await randomRun(b, { count: 150, failing: 0.15, rounds: 6, options: { pause: 0.1, jitter: 5 } });
  });

bench("latency and initiation interval, of messages that ask nothing of memory", dut, { seed: 3 }, async b => {
  const h = new CommitHost(b, { parameters, memory: memoryOf() }),
    data = b.random.bytes(256);
  const each: readonly (readonly [Message, number])[] = [
    [{ kind: "commit", lane: 1, seq: 1 }, 9],
    [{ kind: "prepare", lane: 1, seq: 1, va: homeAt, data }, 16 + 5],
    [{ kind: "update", lane: 1, seq: 1, va: homeAt, data }, 8 + 5],
    [{ kind: "grant", lane: 1, seq: 0, grantee: pid }, 9],
    [{ kind: "prepare", lane: 2, seq: 1, va: homeAt, data }, 16 + 5],
  ];
  await h.send({ kind: "recover", seq: 1 }, director);
  await h.send({ kind: "grant", lane: 1, seq: 0, grantee: pid, marks: marks.redo }, director);
  for (const [m, cycles] of each) {
    const from = m.kind === "grant" ? director : pid,
      calls = [h.request(m, from), h.request(m, from), h.request(m, from)];
    await h.host.drained();
    for (const call of calls) expect(answered(call).cycles).toBe(cycles);
    const taken = calls.map(c => c.taken ?? 0);
    expect(taken.slice(1).map((t, i) => t - (taken[i] ?? 0))).toEqual([cycles + 3, cycles + 3]);
  }
});

/** Cycles of a recovery, of a PREPARE and of a COMMIT, with memory that takes so long for each access. */
async function cyclesOf(latency: number): Promise<readonly number[]> {
  return runBench("cycles", dut, { wave: false, seed: 6, limitCycles: 20_000 }, async b => {
    const h = new CommitHost(b, { parameters, memory: memoryOf(), latency }),
      data = b.random.bytes(128),
      name = { lane: 2, seq: 1 } as const;
    const each: readonly (readonly [Message, number])[] = [
        [{ kind: "recover", seq: 1 }, director],
        [{ kind: "open", seq: 1 }, director],
        [{ kind: "grant", lane: 2, seq: 0, grantee: pid }, director],
        [{ kind: "prepare", ...name, va: homeAt, data }, pid],
        [{ kind: "commit", ...name }, pid],
      ],
      cycles: number[] = [];
    for (const [m, from] of each) {
      const { verdict, cycles: took } = await h.send(m, from);
      expect(verdict, m.kind).toBe("done");
      cycles.push(took);
    }
    return cycles;
  });
}
it("memory's latency counts once for each access, also when it answers at once", async () => {
  const [one, two, five] = [await cyclesOf(1), await cyclesOf(2), await cyclesOf(5)],
    accesses = two.map((c, i) => c - (one[i] as number));
  expect(Math.max(...accesses)).toBeGreaterThan(2);
  expect(five.map((c, i) => c - (one[i] as number))).toEqual(accesses.map(n => 4 * n));
});

/** Memory refuses in the middle of a recovery: the engine stays cold, and tells of no commit that it has found. */
async function halfRecovered(b: Bench<OffloadPorts>): Promise<void> {
  const memory = memoryOf(),
    h = new CommitHost(b, { parameters, memory }),
    data = b.random.bytes(64),
    name = { lane: 2, seq: 1 } as const;
  await h.send({ kind: "recover", seq: 1 }, director);
  await h.send({ kind: "open", seq: 1 }, director);
  await h.send({ kind: "grant", lane: 2, seq: 0, grantee: pid }, director);
  await h.send({ kind: "prepare", ...name, va: homeAt, data }, pid);
  h.host.reset();
  // Floors, the first record and its area are read; the second record is not.
  const from = memory.accesses;
  memory.refuses = n => n === from + 3;
  expect((await h.send({ kind: "recover", seq: 2 }, director)).verdict).toBe("failed");
  const { verdict, state, held } = await h.send({ kind: "commit", ...name }, pid);
  expect({ verdict, state, held }).toEqual({ verdict: "cold", state: "free", held: 0 });
  expect((await h.send({ kind: "recover", seq: 2 }, director)).verdict).toBe("done");
  expect((await h.send({ kind: "commit", ...name }, pid)).verdict).toBe("done");
}
bench("memory refuses in a recovery", dut, { seed: 5 }, halfRecovered);

// Chosen from the emitted Verilog: recovery, resets, floors, locks, memory's refusals, bounds.
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["a reset leaves the engine open", /cold <= 1'b1;(\s+)open <= 1'b0;/, "cold <= 1'b1;$1open <= 1'b1;"],
  ["a reset leaves it warm", /cold <= 1'b1;(\s+)open <= 1'b0;/, "cold <= 1'b0;$1open <= 1'b0;"],
  ["pages of all processes are one", "is_page_0 & same_pid_0 & used_0", "is_page_0 & used_0"],
  ["a commit's own pages are in its way", / & ~is_named_\d+;/, ";"],
  ["the floor is one too low", "new_floor = head[95:64] + 32'd1", "new_floor = head[95:64]"],
  ["what is over counts", "is_over <= head[95:64] < floor_floor", "is_over <= 1'b0"],
  [
    "the log's refusal is not seen",
    /(prepare_logged: begin\s+if \(access == access_done\) begin\s+if \()access_failed/,
    "$11'b0",
  ],
  [
    "the home's refusal is not seen",
    /(prepare_probed: begin\s+if \(access == access_done\) begin\s+if \()access_failed/,
    "$11'b0",
  ],
  [
    "the record's refusal is not seen",
    /(prepare_recorded: begin\s+if \(access == access_done\) begin\s+if \()access_failed/,
    "$11'b0",
  ],
  ["a record that is not whole counts", "record_is_sound <= crc_result == line[31:0]", "record_is_sound <= 1'b1"],
  ["an area that is not whole counts", "area_is_sound <= crc_result == home_crc", "area_is_sound <= 1'b1"],
  ["a commit that is over comes back", "record_is_over <= line[127:96] < floor_floor", "record_is_over <= 1'b0"],
  ["the log is not looked at before it goes home", "log_is_sound <= crc_result == home_crc", "log_is_sound <= 1'b1"],
  [
    "a committed one is prepared after a reset",
    "found_state <= commit_state_committed",
    "found_state <= commit_state_prepared",
  ],
  ["the last place is not recovered", /(recovery_next: begin[\s\S]{0,120}if \()&place/, "$1place == 3'd6"],
  [
    "the floor's refusal lets go all the same",
    /if \(~access_failed\) begin\s+floor_puts/,
    "if (1'b1) begin floor_puts",
  ],
  ["FORGET ends other lanes' commits", /ended_0 <= \(lane_0 == head\[37:32\]\) & /, "ended_0 <= "],
  ["the ninth commit takes a place", /is_full = [^;]*;/, "is_full = 1'b0;"],
  ["what lies behind an area is in its CRC", "access_counts = access_index <= line[122:118]", "access_counts = 1'b1"],
  [
    "the last line of an area is not",
    "access_counts = access_index <= line[122:118]",
    "access_counts = access_index < line[122:118]",
  ],
  [
    "a merged commit stops when it is prepared",
    /(\(access == access_done\) & ~access_failed) & ~is_merged|if \(is_merged\) home_begins <= 1'b1;/,
    "$1",
  ],
  ["any OPEN opens", /head\[95:64\] ([=!])= start/, "1'd1 $1= 1'd1"],
  ["a closed node takes new commits", "is_closed = ~open & ~is_redo", "is_closed = 1'b0"],
  ["another process says all of a commit", /may_not_say_it <= ~[^;]*;/, "may_not_say_it <= 1'b0;"],
  ["pages are never compared", "pages_compared <= searches", "pages_compared <= 1'b0"],
  ["the first areas are not looked at for locks", "pages_compared <= searches", "pages_compared <= searches & (|part)"],
  ["owners are not recovered", "floor_value_owner <= floor_value_floor_or[47:32]", "floor_value_owner <= 16'd7"],
];
const runs: readonly RandomRun[] = [
  { count: 200, failing: 0.08, rounds: 6, options: { jitter: 3 } },
  { count: 250, failing: 0, rounds: 8, options: { latency: 5 } },
];
const check = async (name: string, design: Dut<OffloadPorts>): Promise<void> => {
  for (const [i, run] of runs.entries())
    await runBench(name, design, { wave: false, seed: 11 + i, hangCycles: 3000, limitCycles: 200_000 }, b =>
      randomRun(b, run),
    );
};
it("a planted fault is found: a recovery that fails leaves what it has found", async () => {
  const from = /(access_failed\) begin\s+)state_0 <= commit_state_free;/,
    run = runBench("half", plant(dut, from, "$1"), { wave: false, seed: 5, limitCycles: 20_000 }, halfRecovered);
  await findsFault(run);
});
describe("a planted fault is found", () => {
  it("and nothing without one", () => check("no fault", dut));
  it.each(faults)("%s", async (name, from, to) => {
    await findsFault(check(name, plant(dut, from, to)));
  });
});
