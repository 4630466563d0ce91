import { describe, test } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type BesideBench, besideDut, randomLife } from "./support/beside-model.ts";
import {
  badBesideWaiting,
  fromNowhere,
  goneChain,
  goodBesideBad,
  lostAtOnce,
  movedAtOnce,
  movedChain,
  sharedGroup,
  stopsShort,
  waitsInOrder,
} from "./support/few-packets.ts";

type Ports = ReturnType<typeof besideDut>["ports"];
/** What a fault must show in: by hand, and random configurations with stops, drops, slow DAGs and marks. */
const runs: readonly ((b: BesideBench) => Promise<unknown>)[] = [
  waitsInOrder,
  fromNowhere,
  movedChain,
  goneChain,
  lostAtOnce,
  goodBesideBad,
  badBesideWaiting,
  movedAtOnce,
  sharedGroup,
  stopsShort,
  ...[6, 18, 20, 150, 185].map(seed => (b: BesideBench) => randomLife(b, seed)),
  ...[6, 185, 199].map(seed => (b: BesideBench) => randomLife(b, seed, { waits: 30, closes: 5 }, 2)),
];
const look = async (name: string, design: Dut<Ports>): Promise<void> => {
  for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
};

describe("a fault planted in the scheduler is found", () => {
  test("and nothing without one", () => look("no fault", besideDut("random")));
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    // Queues.
    ["a queue is not held when its packet stops short", /_away <= short_\d;/, "_away <= 1'b0;"],
    ["a packet that is back stays away", /_away_and\) fast_1_0_away <= 1'b0/, "_away_and) fast_1_0_away <= 1'b1"],
    ["a start is forgotten when the queue is due again", /again_0 = [^;]*;/, "again_0 = 1'b0;"],
    ["the start of another queue counts", "began_valid & same_queues", "began_valid"],
    ["who comes while the only one starts is lost", /comes_to_due_0 = [^;]*;/, "comes_to_due_0 = 1'b0;"],
    ["who comes a cycle after the only one has started is lost", /joins_0 = [^;]*;/, "joins_0 = 1'b0;"],
    ["who comes a cycle after any start is first", "joins_0 & ~any_next_0", "joins_0"],
    ["the look-up misses the start of the cycle before", /fast_changes_now = [^;]*;/, "fast_changes_now = 1'b0;"],
    ["the look-up takes another queue's start for its own", "changes_0 & (settles_at == look_at)", "changes_0"],
    ["a queue is open in the cycle behind a start that stops short", "next_0_run & {4{~short_0}}", "next_0_run"],
    ["who comes in the look-up's cycle is lost", /comes_to_fast = [^;]*;/, "comes_to_fast = 1'b0;"],
    ["who comes into an empty queue is not its first", /fast_comes_first = [^;]*;/, "fast_comes_first = 1'b0;"],
    ["a queue is never empty", /fast_comes_first = (\w+) & ~comes_to_full_0/, "fast_comes_first = $1"],
    ["who was dropped on his way stays first", /frees_0 = [^;]*;/, "frees_0 = 1'b0;"],
    ["who was dropped on his way holds the queue for ever", /frees_1 = [^;]*;/, "frees_1 = 1'b0;"],
    ["somebody is ready while one is freed", "~freeing_0_valid", "1'b1"],
    ["patience is over at once", /\w+_age == 2'd3/, "1'b1"],
    ["patience is never over", /\w+_age == 2'd3/, "1'b0"],
    ["a closed region is open", /_may_and = open\[0\] &/, "_may_and ="],
    ["a reset leaves a queue full", "if (rst) fast_0_0_first <= 4'd0;", "if (1'b0) fast_0_0_first <= 4'd0;"],
    ["a reset leaves a queue away", "if (rst) fast_1_0_away <= 1'b0;", "if (1'b0) fast_1_0_away <= 1'b0;"],
    ["a run that stopped short begins anew", /first_0_run & ~began_slots/, "first_0_run"],
    // Look-up.
    ["the next stage is the same again", "kept_stage + {2'd0, next_valid}", "kept_stage"],
    ["who asks again asks for all branches", /is_again \? \{[^}]*\} :/, "1'b0 ? 4'd0 :"],
    ["who gives up is still counted", /gives_up = [^;]*;/, "gives_up = 1'b0;"],
    ["who gives up stays in the list", "settles & (pushes | pushed_gives_up)", "settles & pushes"],
    ["a chain that is written marks nothing", / \| \(before_regions & \{4\{marked_from_\d_and\}\}\)/, ""],
    [
      "a chain that was nowhere lets packets ask at once",
      "mark_index_and | written",
      "mark_index_and | (written & {4{|before_regions}})",
    ],
    ["packets ask while a group is to be marked", /no_marks = [^;]*;/, "no_marks = 1'b1;"],
    [
      "a chain with one region goes where its flow is",
      /flows_ask_payload_pinned = [^;]*;/,
      "flows_ask_payload_pinned = 1'b0;",
    ],
    ["two that are lost meet", "& ~is_lost", "& 1'b1"],
    ["a bad packet holds up the look-up", "else if (lost_ready) is_lost <= 1'b0", "else if (1'b0) is_lost <= 1'b0"],
    ["an unordered packet is counted in its flow", "leave_valid & ~leave_unordered", "leave_valid"],
    // Scheduler.
    ["a packet that is out forgets its flow's group", /known_payload_group = [^;]*;/, "known_payload_group = 2'd0;"],
    ["a refund is lost", /refunds_valid <= [^;]*;/, "refunds_valid <= 1'b0;"],
    ["a dropped packet begins its next stage", /wire ends = [^;]*;/, "wire ends = enqueue_known_1_last;"],
    [
      "a packet that stopped short leaves its flow",
      "enqueue_leave_valid = is_taken & ~stops",
      "enqueue_leave_valid = is_taken",
    ],
    [
      "a dropped packet goes back to its queue",
      "stops = came_back_held_short & ~came_back_held_dropped",
      "stops = came_back_held_short",
    ],
  ];
  test.each(faults)("%s", async (name, from, to) => {
    await findsFault(look(name, plant(besideDut("random"), from, to)));
  });
});
