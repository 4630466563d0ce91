import { describe, expect, it } from "vitest";
import type { OffloadPorts } from "../../../designs/clio/rig/index.ts";
import { CommitEngine } from "../../../designs/hotpot/node/index.ts";
import { type Bench, runBench } from "../../../sim/index.ts";
import { bench } from "../../bench.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { atOnce, closed, cut, foreignRecord, granted, kept, locks, squatter, strangers } from "./support/lanes.ts";
import { parameters } from "./support/random-run.ts";

const dut = CommitEngine(parameters);
const benches = {
  "strangers, and the last number": strangers,
  "a closed node, and strangers": closed,
  "a squatter": squatter,
  "a lane goes from one process to another": granted,
  "all lanes through a reset, and memory that refuses": kept,
  "a reset at every cycle of a GRANT": cut,
  "a lane that is not its commit's": foreignRecord,
  "many processes at once": atOnce,
  "every page of several commits": locks,
} as const satisfies Readonly<Record<string, (b: Bench<OffloadPorts>) => Promise<void>>>;

for (const [name, body] of Object.entries(benches)) bench(name, dut, { seed: 4, limitCycles: 400_000 }, body);

it("the director is a process, and none of the node's offloads", () => {
  for (const director of [0, 0xff00, 0xffff, Number.NaN])
    expect(() => CommitEngine({ ...parameters, director })).toThrow("director");
});
bench("another director", CommitEngine({ ...parameters, director: 0x1234 }), { seed: 4 }, async b => {
  await expect(closed(b)).rejects.toThrow();
});

// Chosen from the emitted Verilog: who may, the floor's word, its recovery, a GRANT's number, the busy rule.
type Name = keyof typeof benches;
const faults: readonly (readonly [string, string | RegExp, string, Name])[] = [
  [
    "anyone says all of any lane",
    /may_not_say_it <= ~[^;]*;/,
    "may_not_say_it <= 1'b0;",
    "strangers, and the last number",
  ],
  [
    "who has a lane says what is the director's",
    "is_directors ? is_director :",
    "is_directors ? is_director | is_owner :",
    "strangers, and the last number",
  ],
  ["any process has it recover", "is_recover & ~may_not_say_it", "is_recover", "strangers, and the last number"],
  [
    "any process has it recover when it is warm",
    "is_recover & ~may_not_say_it",
    "is_recover & (~may_not_say_it | ~cold)",
    "a closed node, and strangers",
  ],
  [
    "OPEN is anyone's",
    /is_directors =(\s+\(head\[7:0\] == 8'd5\)) \| \(head\[7:0\] == 8'd6\)/,
    "is_directors =$1",
    "strangers, and the last number",
  ],
  ["a place is shown to anyone", " & ~wants_data)", " & wants_data)", "strangers, and the last number"],
  [
    "a refused one is told what is held",
    /if \(may_not_say_it\)(\s+)known/,
    "if (1'b0)$1known",
    "strangers, and the last number",
  ],
  [
    "a director commits in all lanes",
    "is_owner | ((head[7:0] == 8'd4) & is_director)",
    "is_owner | is_director",
    "strangers, and the last number",
  ],
  ["a director ends nobody's commit", "is_owner | ((head[7:0] == 8'd4) & is_director)", "is_owner", "a squatter"],
  [
    "nobody's lane is process 0's",
    "(floor_owner == pid) & (|pid)",
    "floor_owner == pid",
    "strangers, and the last number",
  ],
  [
    "not all of a process's number counts",
    "(floor_owner == pid)",
    "(floor_owner[14:0] == pid[14:0])",
    "many processes at once",
  ],
  ["the answer's owner stays for the next", /asks_of_lane <= 1'b0;/, "", "strangers, and the last number"],
  ["a lane has as many commits as it likes", "(lane_is_busy & ~known)", "1'b0", "a squatter"],
  [
    "a lane is given in the midst of a commit",
    /lane_is_busy =[^;]*;/,
    "lane_is_busy = 1'b0;",
    "a lane goes from one process to another",
  ],
  [
    "only a whole commit makes its lane busy",
    "same_lane_0 & (state_0 != commit_state_free)",
    "same_lane_0 & (state_0 != commit_state_free) & (state_0 != commit_state_gathering)",
    "a lane goes from one process to another",
  ],
  [
    "all lanes are busy with one",
    "same_lane_0 <= lane_0 == head[37:32];",
    "same_lane_0 <= 1'b1;",
    "a lane goes from one process to another",
  ],
  ["a GRANT of old gives the lane", /is_over & is_granted/, "1'b0", "a lane goes from one process to another"],
  [
    "a repeated GRANT is stale",
    "is_granted <= floor_owner == head[207:192]",
    "is_granted <= 1'b0",
    "a lane goes from one process to another",
  ],
  [
    "a GRANT of old is done, whoever has the lane",
    "is_granted <= floor_owner == head[207:192]",
    "is_granted <= 1'b1",
    "a lane goes from one process to another",
  ],
  [
    "FORGET gives the lane away",
    /new_owner = \(head\[7:0\] == 8'd8\)/,
    "new_owner = 1'b1",
    "a lane goes from one process to another",
  ],
  [
    "GRANT gives nothing",
    /new_owner = \(head\[7:0\] == 8'd8\)/,
    "new_owner = 1'b0",
    "a lane goes from one process to another",
  ],
  [
    "GRANT keeps the old number",
    /(floor_value_floor <= )new_floor/,
    "$1floor_floor",
    "a lane goes from one process to another",
  ],
  [
    "owners are not recovered",
    "floor_value_owner <= floor_value_floor_or[47:32]",
    "floor_value_owner <= 16'd0",
    "all lanes through a reset, and memory that refuses",
  ],
  [
    "owners lie half a word further",
    "floor_value_owner <= floor_value_floor_or[47:32]",
    "floor_value_owner <= floor_value_floor_or[63:48]",
    "all lanes through a reset, and memory that refuses",
  ],
  [
    "the last lane is not recovered",
    "if (&floor_word) recovery",
    "if (floor_word == 6'd62) recovery",
    "all lanes through a reset, and memory that refuses",
  ],
  ["the log has no owner", "16'd0, new_owner, new_floor", "32'd0, new_floor", "a reset at every cycle of a GRANT"],
  [
    "a GRANT that memory refuses holds",
    /if \(~access_failed\) begin\s+floor_puts/,
    "if (1'b1) begin floor_puts",
    "all lanes through a reset, and memory that refuses",
  ],
  [
    "the answer tells of the lane as it was",
    /if \(floor_puts\) begin/,
    "if (1'b0) begin",
    "a lane goes from one process to another",
  ],
  [
    "a commit is kept whose lane is another one's",
    "record_is_owners <= line[143:128] == floor_owner",
    "record_is_owners <= 1'b1",
    "a lane that is not its commit's",
  ],
  [
    "the last number is one like others",
    /wrong_name <= ([^;]*) \| [^;|]*;/,
    "wrong_name <= $1;",
    "strangers, and the last number",
  ],
  [
    "the last areas are not looked at",
    "if (&part[2:0]) front <= front_weigh",
    "if (part[2:0] == 3'd6) front <= front_weigh",
    "every page of several commits",
  ],
  ["the last place is not looked at", " | page_taken_2 |", " |", "every page of several commits"],
  [
    "an area that is not held counts",
    /is_held_0 <=[^;]*;(?=\s+is_page)/,
    "is_held_0 <= 1'b1;",
    "every page of several commits",
  ],
  [
    "an OPEN of another start opens, and says that it does not",
    "if (head[95:64] == start) open",
    "if (1'b1) open",
    "a closed node, and strangers",
  ],
  [
    "a closed node gives lanes",
    "is_closed = ~open & ~is_redo",
    "is_closed = ~open & ~is_redo & (head[7:0] != 8'd8)",
    "a closed node, and strangers",
  ],
];
describe("a planted fault is found", () => {
  it.each(faults)("%s", async (name, from, to, where) => {
    const run = runBench(
      name,
      plant(dut, from, to),
      { wave: false, seed: 4, hangCycles: 3000, limitCycles: 400_000 },
      benches[where],
    );
    await findsFault(run);
  });
});
