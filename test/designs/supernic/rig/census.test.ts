/** frames in = frames out + dropped + inside, in every cycle; and faults that break it, each found. */
import { describe, expect, it } from "vitest";
import { plant } from "../../../support/plant.ts";
import { world } from "./support/worlds.ts";

const frames = 50,
  seed = 15;
/** What is planted, and what of the census must find it. */
const faults: readonly (readonly [string, string | RegExp, string, RegExp])[] = [
  ["a drop is not counted", /events_nowhere_q <= decided_valid[^;]*;/, "events_nowhere_q <= 1'b0;", /core/],
  ["a task's drop is counted twice", /events_task_q <= decided_valid &/, "events_task_q <= events_task_q |", /core/],
  [
    "a refused frame has no fate",
    "fate_q_valid <= there;",
    "fate_q_valid <= there & (verdict_reason == 4'd0);",
    /judge/,
  ],
  ["a context is not given back", "back <= release_valid;", "back <= release_valid & (release_ctx != 6'd3);", /core/],
  [
    "a cell is not given back",
    "assign back_valid = asked;",
    "assign back_valid = asked & (asked_cell != 7'd5);",
    /cells in use/,
  ],
  ["a payload has an owner too many", "write_payload_owners = 3'd1", "write_payload_owners = 3'd2", /cells in use/],
  ["a copy is not counted", /events_copies_q <= frame_ends[^;]*;/, "events_copies_q <= 4'd0;", /copies/],
  [
    "a frame of software is not counted",
    /events_own_q <= from_software_valid[^;]*;/,
    "events_own_q <= 1'b0;",
    /software/,
  ],
  [
    "a queue forgets a frame",
    "waiting_q <= keeps ?",
    "waiting_q <= (keeps & (decided_class != 3'd4)) ?",
    /class queues/,
  ],
  [
    "a frame that was sent is not done",
    /assign done = moves \?/,
    "assign done = (~moves & first_kept[1]) ? 11'd0 : moves ?",
    /ring/,
  ],
  // Software's frames then wait for ever in front of the device, and the run ends all the same.
  [
    "frames in the lane leak",
    /frames_inside <= frames_inside \+ ([^;]*) - [^;]*;/,
    "frames_inside <= frames_inside + $1;",
    /lane/,
  ],
  [
    "a counter leaves an event out",
    /counts_middle_events_0 <= \{13'd0, merge_events_taken\}/,
    "counts_middle_events_0 <= 14'd0",
    /the core/,
  ],
];

describe("frames in = frames out + dropped + inside", () => {
  it("in every cycle of a world", async () => {
    const { problems, result } = await world("instances", seed, frames);
    expect(problems).toEqual([]);
    // Frames of several kinds have come: to the core, the lane, software, and nowhere.
    const { middle, ports } = result.counters,
      [loop = {}] = ports.slice(-1);
    for (const name of [
      "arrived",
      "left",
      "dropTask",
      "dropNowhere",
      "laneLeft",
      "laneCopies",
      "laneOwn",
      "laneToSoftware",
    ])
      expect(middle[name], name).toBeGreaterThan(0);
    expect(Object.values(loop).some(n => n > 0)).toBe(true);
  });
  describe("a planted fault is found", () => {
    for (const [name, from, to, by] of faults)
      it(name, async () => {
        const { problems } = await world("instances", seed, frames, {
          timeoutCycles: 4_000,
          change: device => plant(device, from, to),
        });
        expect(problems.filter(p => by.test(p))).not.toEqual([]);
      });
  });
});
