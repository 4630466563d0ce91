/** The figure of who coordinates: its claims hold, and fail when the task has a fault. */
import { describe, expect, it } from "vitest";
import { measureTask, taskCommit } from "../../../designs/hotpot/evaluation/index.ts";
import { CommitTask } from "../../../designs/hotpot/task/index.ts";
import { figureOf } from "../../../designs/shared/evaluation/index.ts";
import { plant } from "../../support/plant.ts";

const options = { seed: 1, quick: true },
  dut = CommitTask({ contexts: 16 });

it("the task beside the coordinator at the client: all claims hold", async () => {
  const { verdicts, table } = await figureOf(taskCommit, options);
  expect(verdicts.filter(v => !v.holds)).toEqual([]);
  expect(verdicts.length).toBe(6);
  expect(table?.rows.length).toBe(7);
});
describe("a fault of the task breaks a claim", () => {
  it.each([
    ["a frame is made each 64 cycles", "is_walking & frames_room", "is_walking & frames_room & tick", "own work"],
    [
      "owners commit before the copies are there",
      "if (at_hand_phase == commit_phase_prepare) at_hand_phase <= commit_phase_update",
      "if (at_hand_phase == commit_phase_prepare) at_hand_phase <= commit_phase_commit",
      "as many bytes",
    ],
  ])("%s", async (_, from, to, says) => {
    const faulty = { ...taskCommit, measure: (o: typeof options) => measureTask(o, plant(dut, from, to)) },
      { verdicts } = await figureOf(faulty, options);
    expect(
      verdicts
        .filter(v => !v.holds)
        .map(v => v.says)
        .join("; "),
    ).toContain(says);
  });
});
