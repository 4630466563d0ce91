/** Frames of DAGs that wait: none is let through, software is told of each, and knows when nothing is inside. */
import { describe, test } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { gate, type GatePorts, life } from "./support/gate-rig.ts";

const look = (name: string, design: Dut<GatePorts>): Promise<unknown> =>
  runBench(name, design, { wave: false, limitCycles: 20_000, seed: 7 }, life);

describe("the gate of DAGs", () => {
  test("it does what its model says, under load and behind a reset", () => look("no fault", gate()));
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    ["nothing is cleared behind a reset", /cleared <= 1'(b|d|h)0/, "cleared <= 1'b1"],
    ["the counts go on behind a reset", /came\[came_at\] <= [^;]*;/, "came[came_at] <= came[come_dag_1] + 9'd1;"],
    ["frames on their way are not waited for", /is_settled = [^;]*;/, "is_settled = 1'b1;"],
    ["a frame that arrives as a DAG is closed", /frames_ahead <= frames_under_way - [^;]*;/, "frames_ahead <= 6'd0;"],
    ["the scan stays for ever", "scan_skips <= 1'b1", "scan_skips <= 1'b0"],
    ["the scan leaves heads out", /scan_at_next = [^;]*;/, "scan_at_next = scan_at_last ? 4'd2 : scan_at + 4'd1;"],
    ["it is never settled", /settled = [^;]*;/, "settled = 1'b0;"],
    ["a frame that leaves counts for another DAG", /went_at = [^;]*;/, "went_at = clear_at;"],
  ];
  test.each(faults)("a planted fault is found: %s", async (name, from, to) => {
    await findsFault(look(name, plant(gate(), from, to)));
  });
});
