import { describe, test } from "vitest";
import { WicEngine } from "../../../../designs/wickit/rtl/index.ts";
import type { EnginePorts } from "../../../../designs/wickit/rig/index.ts";
import { type Dut, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { randomRun, small } from "../support/random-run.ts";

const dut = WicEngine(small);

/** Random programs with a reset among them: short, as a fault is found soon. */
const check = (name: string, design: Dut<EnginePorts>): Promise<unknown> =>
  runBench(name, design, { wave: false, seed: 31, hangCycles: 3000, limitCycles: 60_000 }, b =>
    randomRun(b, small, {
      count: 120,
      failing: 0.05,
      pause: 0.15,
      resetAfter: 313,
      options: { latency: 30, jitter: 60, patience: 1500 },
    }),
  );

// Chosen from the emitted Verilog before the bench was read: leaks, counters, resets, conflicts of writes, bounds.
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  [
    "a context whose request failed does not come back",
    /free_back_valid = ([^;]*);/,
    "free_back_valid = ($1) & core_answered;",
  ],
  ["an access that begins as another ends is counted twice", /if \(core_begins & ~answers_ended\)/, "if (core_begins)"],
  ["one access too many", /core_room = [^;]*;/, "core_room = core_in_flight <= 2'd3;"],
  ["reset forgets the accesses under way", /core_in_flight <= 2'd0;/, "core_in_flight <= core_in_flight;"],
  ["reset leaves the contexts given out", /free_issued <= 3'd0;/, "free_issued <= free_issued;"],
  [
    "the steps before an access do not count",
    /core_steps <= core_fresh \? 16'd0 : core_as_saved_steps/,
    "core_steps <= 16'd0",
  ],
  ["one step more than allowed", /core_spent <= core_steps == 16'd120/, "core_spent <= core_steps == 16'd121"],
  ["memory's refusal is not seen", /if \(core_status != status_ok\) core_state <= core_state_answer;/, ";"],
  [
    "a register that was never written shows the request before",
    /core_known <= core_fresh \? [^:]* : core_as_saved_known/,
    "core_known <= 16'hffff",
  ],
  [
    "a register that memory writes beside the core's result",
    /file_memory_writes = [^;]*;/,
    "file_memory_writes = answers_write;",
  ],
  [
    "an argument that comes beside memory's word is lost",
    /request_data_ready = [^;]*;/,
    "request_data_ready = intake_write;",
  ],
  ["a context that gave way begins anew", /run_merged_payload_fresh = [^;]*;/, "run_merged_payload_fresh = 1'b1;"],
  ["a program without a number begins at number mod 512", /core_outside = [^;]*;/, "core_outside = 1'b0;"],
  [
    "the last register is one too many",
    /core_decoded_past_end = ([^;]*) > 5'd16;/,
    "core_decoded_past_end = ($1) > 5'd17;",
  ],
  ["offsets have no sign", /\{51\{core_instruction\[28\]\}\}/, "{51{1'b0}}"],
  ["SUB borrows one", /\+ \{63'd0, core_choice\[10\]\};/, ";"],
  [
    "BGE is greater",
    /\(core_instruction\[2:0\] == 3'd3\) & ~core_alu_less/,
    "(core_instruction[2:0] == 3'd3) & ~core_alu_less & ~core_alu_equal",
  ],
  [
    "the second word that is sent is the first",
    /\? core_instruction\[11:8\] \+ core_index :/,
    "? core_instruction[11:8] :",
  ],
  [
    "memory's words go to the register before",
    /answers_register = ([^;]*) \+ answers_index;/,
    "answers_register = $1 + answers_index - 4'd1;",
  ],
  [
    "the answer names the context of the request before",
    /answers_held_context <= memory_reply_payload_context;/,
    "answers_held_context <= core_context;",
  ],
  ["PUT sends nothing", / \| \(core_instruction\[7:0\] == 8'd69\)\n?\s*\}/, "}"],
  ["the two hashes are one", /\(core_instruction\[16\] \?/, "(1'b0 ?"],
];

describe("a planted fault is found", () => {
  test("and nothing without one", async () => {
    await check("no fault", dut);
  });
  for (const [name, from, to] of faults)
    test(name, async () => {
      await findsFault(check(name, plant(dut, from, to)));
    });
});
