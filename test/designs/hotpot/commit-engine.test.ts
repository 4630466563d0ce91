import { describe, expect, it } from "vitest";
import { CommitEngine } from "../../../designs/hotpot/node/index.ts";
import type { OffloadPorts } from "../../../designs/clio/rig/index.ts";
import { answered, CommitHost } from "../../../designs/hotpot/rig/index.ts";
import { marks, type Message } from "../../../designs/hotpot/wire/index.ts";
import { type Bench, type Dut, runBench } from "../../../sim/index.ts";
import { bench } from "../../bench.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { homeAt, memoryOf, other, parameters, pid, type RandomRun, randomRun } from "./support/random-run.ts";

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
  const seen = await randomRun(b, { count: 150, failing: 0.1, rounds: 6, options: { pause: 0.1, jitter: 5 } });
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
  ];
  await h.send({ kind: "recover", seq: 1 }, pid);
  for (const [m, cycles] of each) {
    const calls = [h.request(m, pid), h.request(m, pid), h.request(m, pid)];
    await h.host.drained();
    for (const call of calls) expect(answered(call).cycles).toBe(cycles);
    const taken = calls.map(c => c.taken ?? 0);
    expect(taken.slice(1).map((t, i) => t - (taken[i] ?? 0))).toEqual([cycles + 3, cycles + 3]);
  }
});

/** What a stranger to the commit may not do, and what nobody may. */
async function strangers(b: Bench<OffloadPorts>): Promise<void> {
  const memory = memoryOf(),
    h = new CommitHost(b, { parameters, memory }),
    data = b.random.bytes(128),
    name = { lane: 3, seq: 5 } as const;
  await h.send({ kind: "recover", seq: 1 }, pid);
  await h.send({ kind: "open", seq: 1 }, pid);
  expect((await h.send({ kind: "prepare", ...name, va: homeAt, data }, pid)).verdict).toBe("done");
  // Another process neither reads what is logged nor ends it, by this number or a later one.
  const look = await h.send({ kind: "inspect", ...name, marks: marks.data }, other);
  expect([look.verdict, look.data.length]).toEqual(["refused", 0]);
  for (const seq of [5, 6, 0xffff_fffe])
    expect((await h.send({ kind: "forget", lane: 3, seq }, other)).verdict).toBe("refused");
  expect((await h.send({ kind: "inspect", ...name, marks: marks.data }, pid)).data).toEqual(data);
  // The last number has no floor behind it.
  for (const kind of ["forget", "commit"] as const) {
    const call = h.request({ kind, lane: 3, seq: 0xffff_ffff }, pid);
    await h.host.drained();
    expect(call.replies).toMatchObject([{ status: 8 }]);
  }
  expect((await h.send({ kind: "commit", ...name }, pid)).verdict).toBe("done");
  expect(memory.load(pid, homeAt, data.length)).toEqual(data);
  expect((await h.send({ kind: "forget", ...name }, pid)).verdict).toBe("done");
  expect((await h.send({ kind: "prepare", ...name, va: homeAt, data }, pid)).verdict).toBe("stale");
}
bench("strangers, and the last number", dut, { seed: 4 }, strangers);

/** Memory refuses in the middle of a recovery: the engine stays cold, and tells of no commit that it has found. */
async function halfRecovered(b: Bench<OffloadPorts>): Promise<void> {
  const memory = memoryOf(),
    h = new CommitHost(b, { parameters, memory }),
    data = b.random.bytes(64),
    name = { lane: 2, seq: 1 } as const;
  await h.send({ kind: "recover", seq: 1 }, pid);
  await h.send({ kind: "open", seq: 1 }, pid);
  await h.send({ kind: "prepare", ...name, va: homeAt, data }, pid);
  h.host.reset();
  // Floors, the first record and its area are read; the second record is not.
  const from = memory.accesses;
  memory.refuses = n => n === from + 3;
  expect((await h.send({ kind: "recover", seq: 2 }, pid)).verdict).toBe("failed");
  const { verdict, state, held } = await h.send({ kind: "commit", ...name }, pid);
  expect({ verdict, state, held }).toEqual({ verdict: "cold", state: "free", held: 0 });
  expect((await h.send({ kind: "recover", seq: 2 }, pid)).verdict).toBe("done");
  expect((await h.send({ kind: "commit", ...name }, pid)).verdict).toBe("done");
}
bench("memory refuses in a recovery", dut, { seed: 5 }, halfRecovered);

// Chosen from the emitted Verilog: recovery, resets, floors, locks, memory's refusals, bounds.
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["a reset leaves the engine open", "cold <= 1'b1; open <= 1'b0;", "cold <= 1'b1; open <= 1'b1;"],
  ["a reset leaves it warm", "cold <= 1'b1; open <= 1'b0;", "cold <= 1'b0; open <= 1'b0;"],
  ["pages of all processes are one", "is_page_0 & same_pid_0 & used_0", "is_page_0 & used_0"],
  [
    "the last areas are not looked at for locks",
    "if (&part[2:0]) front <= front_weigh",
    "if (part[2:0] == 3'd5) front <= front_weigh",
  ],
  ["a commit's own pages are in its way", / & ~matches_\d+;/, ";"],
  ["the floor is one too low", "new_floor = head[95:64] + 32'd1", "new_floor = head[95:64]"],
  ["what is over counts", "is_over <= head[95:64] < floor", "is_over <= 1'b0"],
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
  ["a commit that is over comes back", "record_is_over <= line[127:96] < floor", "record_is_over <= 1'b0"],
  ["the log is not looked at before it goes home", "log_is_sound = crc_result == home_crc", "log_is_sound = 1'b1"],
  [
    "a committed one is prepared after a reset",
    "found_state <= commit_state_committed",
    "found_state <= commit_state_prepared",
  ],
  ["the last place is not recovered", /(recovery_next: begin[\s\S]{0,120}if \()&place/, "$1place == 3'd6"],
  [
    "the floor's refusal lets go all the same",
    "if (access_failed) verdict <= commit_verdict_failed;\n            else begin",
    "if (access_failed) verdict <= commit_verdict_failed;\n            begin",
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
    "if (is_merged) home_begins <= 1'b1;\n              else begin",
    "begin",
  ],
  ["any OPEN opens", "if (head[95:64] == start)", "if (1'b1)"],
  ["a closed node takes new commits", "is_closed = ~open & ~is_redo", "is_closed = 1'b0"],
  ["another process ends a commit", /is_other_pid = [^;]*;/, "is_other_pid = 1'b0;"],
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
describe("a planted fault is found by strangers", () => {
  const planted: readonly (readonly [string, string | RegExp, string])[] = [
    ["another process ends a commit by a later number", /ends_others =\s[^;]*;/, "ends_others = is_other_pid;"],
    ["another process reads the log", /is_other_pid = [^;]*;/, "is_other_pid = 1'b0;"],
    ["the last number is one like others", /wrong_name <= ([^;]*) \| [^;|]*;/, "wrong_name <= $1;"],
  ];
  it.each(planted)("%s", async (name, from, to) => {
    await findsFault(runBench(name, plant(dut, from, to), { wave: false, seed: 4, limitCycles: 20_000 }, strangers));
  });
});
describe("a planted fault is found", () => {
  it("and nothing without one", () => check("no fault", dut));
  it.each(faults)("%s", async (name, from, to) => {
    await findsFault(check(name, plant(dut, from, to)));
  });
});
