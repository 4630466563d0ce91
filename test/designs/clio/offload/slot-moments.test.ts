import { describe, test } from "vitest";
import { OffloadSlot } from "../../../../designs/clio/offload/index.ts";
import { runBench } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import {
  askedAsItCloses,
  clientsBetween,
  lateBesideFull,
  sinceToTheCycle,
  size,
  stuckInTime,
  unit,
  waitsForMemory,
} from "./support/slot-moments.ts";

const dut = OffloadSlot(size),
  impatient = OffloadSlot({ ...size, sinceUnit: unit });

describe("OffloadSlot: two things at once", () => {
  const o = { seed: 1, limitCycles: 200_000 };
  bench("stuck: from the last move on, not earlier and not later", dut, o, stuckInTime);
  bench("late replies of memory beside full room for replies", dut, o, lateBesideFull);
  bench("a request that had found room, as a reset begins", dut, o, askedAsItCloses);
  bench("units without a reply, to the cycle", impatient, o, sinceToTheCycle);
  bench("a reset waits for memory: for so long, and no longer", dut, o, waitsForMemory);
  bench("clients that are shown between requests do not count", dut, o, clientsBetween);

  describe("a planted fault is found", () => {
    const late = lateBesideFull,
      asked = askedAsItCloses,
      since = sinceToTheCycle,
      between = clientsBetween,
      waits = waitsForMemory,
      stuck = stuckInTime;
    /** Fault; the Verilog and what it becomes; the bench, and what it says. */
    const faults: readonly (readonly [string, RegExp, string, typeof stuck, RegExp, typeof dut?])[] = [
      ["never stuck", /(?<=stuck <= )stuck_and[^;]*/, "1'b0", stuck, /./],
      ["stuck at once", / & \(idle_cycles >= control_patience\)/, "", stuck, /before|has to act/],
      [
        "stuck at twice the patience",
        /\(idle_cycles >= control_patience\)/,
        "(idle_cycles >= {control_patience[22:0], 1'b0})",
        stuck,
        /cycles to stuck/,
      ],
      [
        "stuck at half the patience",
        /\(idle_cycles >= control_patience\)/,
        "(idle_cycles >= (control_patience >> 1))",
        stuck,
        /before/,
      ],
      [
        "what moves does not begin the time anew",
        /else if \(~stuck_and\)(?= idle_cycles)/,
        "else if (1'b0)",
        stuck,
        /before|has to act/,
      ],
      ["stuck only while it is not", /(?<=stuck <= stuck_and)/, " & ~stuck", stuck, /it stays so/],
      ["stuck without a request", /(?<=stuck_and = ~closed) & \(\|used\)/, "", stuck, /nothing to do/],
      [
        "it counts while memory does not take an access",
        /(?<=host_is_asked = [^;]*) \| next_full/,
        "",
        stuck,
        /has to act/,
      ],
      [
        "it counts while memory does not answer",
        /(?<=host_is_asked = [^;]*) \| \(inside_ != memory_replies_level\)/,
        "",
        stuck,
        /has to act/,
      ],
      ["it counts while the host takes no answer", /(?<=host_is_asked = )replies_pending \| /, "", stuck, /has to act/],
      [
        "data of late replies wait for room",
        /(?<=came_data_ready = memory_reply_beats_push_ready) \| [^;]*/,
        "",
        late,
        /there is room|late is taken/,
      ],
      [
        "late replies wait for room",
        /(?<=came_ready = memory_replies_push_ready) \| [^;]*/,
        "",
        late,
        /there is room|late is taken/,
      ],
      ["what is late uses up the room", /(?<=spare =\s*)came_now/, "came_valid", late, /./],
      [
        "the slot opens beside a request that had found room",
        /(?<=else if \(clear) & ~\(asked_valid & asked_ready\)/,
        "",
        asked,
        /the offload has it/,
      ],
      [
        "a reset does not wait for the body of a request",
        /(?<=drained <= [^;]*) & ~\(\|body_owed\)/,
        "",
        asked,
        /beats of a request that was lost/,
      ],
      [
        "time counts without a request",
        /(?<=if \()~\(~closed & \(\|used\)\) \| /,
        "",
        since,
        /without a request/,
        impatient,
      ],
      [
        "a unit goes on over a reply",
        /since_cycles <= 4'd0;(?=[^}]*since_units <= 24'd0)/,
        "",
        since,
        /since it had/,
        impatient,
      ],
      [
        "a client counts that is shown and does not ask",
        /(?<=if \()\(?asked_valid & asked_ready\)?(?= & \(?asked_payload_context)/,
        "asked_ready",
        between,
        /contexts free/,
      ],
      [
        "who was not waited for before is given up at once",
        /(?<=waiting_cycles <= 28'd0;\s*)waited_enough <= 1'b0(?=;\s*end)/,
        "waited_enough <= 1'b1",
        waits,
        /cycle/,
      ],
      [
        "the second time is shorter by the first",
        /(?<=begin\s*)waiting_cycles <= 28'd0;(?=\s*waited_enough <= 1'b0;\s*end\s*else)/,
        "",
        waits,
        /cycle/,
      ],
      [
        "it waits for half the time",
        /waiting_cycles\[27:4\] >= control_patience/,
        "{waiting_cycles[26:4], 1'b0} >= control_patience",
        waits,
        /of a reset/,
      ],
      [
        "it waits for twice the time",
        /waiting_cycles\[27:4\] >= control_patience/,
        "{1'b0, waiting_cycles[27:5]} >= control_patience",
        waits,
        /cycles of a reset/,
      ],
    ];
    for (const [name, from, to, run, why, of = dut] of faults)
      test(name, () =>
        findsFault(runBench(name, plant(of, from, to), { ...o, wave: false, hangCycles: 2000 }, run), why),
      );
  });
});
