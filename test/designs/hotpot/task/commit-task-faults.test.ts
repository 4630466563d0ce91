/** Faults planted in the commit task: the benches find each. */
import { describe, it } from "vitest";
import { runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { carriesRun, lateCopiesRun, refusedHomeRun } from "./support/rare-runs.ts";
import {
  conflictRun,
  failRun,
  forgedRun,
  fullRun,
  heldRun,
  hostileRun,
  lossSweepRun,
  lostClientRun,
  nodesRun,
  onceRun,
  resetsRun,
} from "./support/special-runs.ts";
import { type B, bad, crowdRun, small, smallDut, usual, usualDut } from "./support/task-runs.ts";
import type { TaskPorts } from "../../../../designs/hotpot/rig/index.ts";

const crowd = (b: B) => crowdRun(b, usual, 30, bad),
  conflict = (b: B) => conflictRun(b, usual, 20),
  once = (b: B) => onceRun(b, usual),
  full = (b: B) => fullRun(b, usual),
  lostClient = (b: B) => lostClientRun(b, usual),
  hostile = (b: B) => hostileRun(b, usual),
  forged = (b: B) => forgedRun(b, usual, 40),
  kept = (b: B) => nodesRun(b, usual, 30, "kept"),
  zeroed = (b: B) => nodesRun(b, usual, 30, "zeroed"),
  sweep = (b: B) => lossSweepRun(b, usual, "zeroed", 40),
  keptSweep = (b: B) => lossSweepRun(b, usual, "kept", 40),
  fails = (b: B) => failRun(b, usual),
  resets = (b: B) => resetsRun(b, usual, 6),
  held = (b: B) => heldRun(b, usual),
  home = (b: B) => refusedHomeRun(b, usual),
  late = (b: B) => lateCopiesRun(b, usual, 1),
  carries = (b: B) => carriesRun(b, usual);

const options = { seed: 9, wave: false, limitCycles: 900_000, hangCycles: 60_000 };
it.each(
  Object.entries({
    crowd,
    conflict,
    once,
    full,
    lostClient,
    hostile,
    forged,
    kept,
    zeroed,
    sweep,
    keptSweep,
    fails,
    resets,
    held,
    home,
    late,
    carries,
  }),
)("without a fault each of them passes: %s", async (name, run) => {
  await runBench<TaskPorts, unknown>(`commit without a fault, ${name}`, usualDut, options, run);
});

describe("a planted fault in the commit task is found", () => {
  const finds = (
    name: string,
    from: string | RegExp,
    to: string,
    run: (b: B) => Promise<unknown>,
    dut: typeof usualDut = usualDut,
  ) => it(name, () => findsFault(runBench(`commit fault ${name}`, plant(dut, from, to), options, run)));
  // Whose answers.
  finds("answers of any address count", "(ip == reply_ip_joined)", "1'b1", forged);
  finds("answers by any port count", "(message_mac_word[51:48] == who_ingress)", "1'b1", forged);
  finds("answers to any try count", "(held_seq == first_beat[47:16])", "1'b1", forged);
  finds("answers to any kind count", /wire is_right_kind =[^;]*;/, "wire is_right_kind = 1'b1;", forged);
  finds("answers from before a loss count", "(who_header[418:415] == round)", "1'b1", forged);
  finds("a context's number is cut", "(who_header[403:400] == {1'b0, context_})", "1'b1", forged);
  finds("an answer with any status counts", /wire answer_comes_and =[^;]*;/, "wire answer_comes_and = 1'b1;", forged);
  // What is repeated, and what is undone.
  finds("what is lost is not sent again", "aged & asking &", "8'd0 & asking &", crowd);
  finds(
    "an aborted try is not forgotten",
    "(at_hand_phase == commit_phase_abort) | (at_hand_phase == commit_phase_forget) | ((at",
    "(at_hand_phase == commit_phase_forget) | ((at",
    conflict,
  );
  finds("a try takes the number of the one before", "at_hand_seq + 32'd1", "at_hand_seq + 32'd0", conflict);
  finds("BUSY is a failure", /at_hand_failure <= ~\(\(who_header[^;]*;/, "at_hand_failure <= 1'b1;", conflict);
  finds("tries do not wait for their turn", /waiting : 8'd0/, "8'd0 : 8'd0", conflict);
  finds("a single owner that has begun is undone", /& ~\(at_hand_merged & \([^;]*;/, ";", fails);
  finds(
    "owners commit before the copies are there",
    "if (at_hand_phase == commit_phase_prepare) at_hand_phase <= commit_phase_update",
    "if (at_hand_phase == commit_phase_prepare) at_hand_phase <= commit_phase_commit",
    crowd,
  );
  finds("a cold node has refused", "answer_counts & (who_header[471:464] != 8'd4)", "answer_counts", sweep);
  finds(
    "a closed node is not told that it is decided",
    "is_update & (|(nodes_closed & rows_data_joined))",
    "1'b0",
    zeroed,
  );
  finds("a lost copy is not written again", "area_replicas & nodes_at_hand", "16'd0", sweep);
  // The messages.
  finds("one area at each owner", "{4'd0, before_word[3:0]} : 8'd1", "8'd1 : 8'd1", crowd);
  finds("no commit is merged", "is_prepare & at_hand_merged}", "1'b0}", crowd);
  finds("the last beat is full", "7'd58 : 7'd64", "7'd64 : 7'd64", crowd);
  // Clients.
  finds(
    "a commit without its client is for ever",
    "if (at_hand_old) at_hand_phase <= commit_phase_free",
    "if (1'b0) at_hand_phase <= commit_phase_free",
    lostClient,
  );
  finds(
    "a life is none",
    "if (at_hand_old) at_hand_phase <= commit_phase_free",
    "at_hand_phase <= commit_phase_free",
    lostClient,
  );
  finds(
    "what comes does not keep it",
    /at_hand_have <= at_hand_have \| lost_is_seen_joined; at_hand_old <= 1'b0;|at_hand_have <= at_hand_have \| lost_is_seen_joined;\s+at_hand_old <= 1'b0;/,
    "at_hand_have <= at_hand_have | lost_is_seen_joined;",
    lostClient,
  );
  finds("older numbers are newer", "& ~is_newer_diff[31]", "", once);
  finds("numbers do not wrap", "& ~is_newer_diff[31]", "& (first_beat[47:16] > held_word[83:52])", once);
  finds("clients of one address are one", "& (held_port == {who_header[279:272], who_header[287:280]})", "", full);
  finds("areas of the commit before are there", "at_hand_have <= 8'd0;", "at_hand_have <= at_hand_have;", once);
  finds("what is full is taken", "if (is_found | has_free) begin", "if (1'b1) begin", full);
  finds(
    "an answer is told to whoever asked first",
    /wire renames =[^;]*;/,
    "wire renames = state == state_take;",
    once,
  );
  // What is none.
  finds(
    "areas over the end of a page",
    "& (({1'b0, first_beat[91:86]} + {2'd0, has_its_place_shifted[4:0]}) <= 7'd64)",
    "",
    hostile,
  );
  finds("areas that are too long", "| (first_beat[79:64] > 16'd1024)", "", hostile);
  finds("nodes that nobody knows", "(|(first_beat[63:48] & ~nodes_known)) |", "", hostile);
  finds("owners above the last", "(|(who_header[495:488] >> 4)) |", "", hostile);
  finds("an owner with a copy of its own", "(|(first_beat[63:48] & owner_is_known_joined)) |", "", hostile);
  finds("copies that differ", "is_mixed <= 1'b1", "is_mixed <= 1'b0", hostile);
  finds("areas of several counts", /wire renames_and =[^;]*;/, "wire renames_and = 1'b0;", hostile);
  finds("a body that is longer than it says", /wire is_whole =[^;]*;/, "wire is_whole = is_whole_and;", hostile);
  finds("beats that are left", "who_payload_bytes > 14'd64", "who_payload_bytes > 14'd128", hostile);
  finds("packets of any user", "(who_user == work[53:48])", "1'b1", hostile);
  finds("packets of any process", "& (who_header[351:336] == own_row[63:48])", "", hostile);
  // Reset, and what cannot leave.
  finds("commits of before a reset", "live <= 8'd0; ", "", resets);
  finds(
    "a step that waits for frames",
    "assign may_walk = is_walking & frames_room;",
    "assign may_walk = is_walking;",
    held,
  );
  finds("quiet while it asks", "~(|(asking | waiting | tells))", "1'b1", once);
  // What another rule mends, but for the rare case.
  finds(
    "copies are not forgotten",
    "if (at_hand_phase == commit_phase_commit) at_hand_phase <= commit_phase_forget_replicas",
    "if (at_hand_phase == commit_phase_commit) at_hand_phase <= commit_phase_forget",
    late,
  );
  it("owners are forgotten before copies", () => {
    const asks = plant(
        plant(usualDut, "at_hand_phase <= commit_phase_forget_replicas;", "at_hand_phase <= commit_phase_forget;"),
        "if (at_hand_phase == commit_phase_forget_replicas) at_hand_phase <= commit_phase_forget;",
        "if (at_hand_phase == commit_phase_forget) at_hand_phase <= commit_phase_forget_replicas;",
      ),
      ends = plant(
        asks,
        "~(at_hand_phase == commit_phase_forget_replicas)) begin at_hand_old",
        "~(at_hand_phase == commit_phase_forget)) begin at_hand_old",
      );
    return findsFault(runBench("commit fault owners first", ends, options, late));
  });
  finds(
    "copies are in the owners' lane",
    /wire \[15:0\] message_lane = [^;]*;/,
    "wire [15:0] message_lane = message_lane_wide;",
    late,
  );
  finds("the second carry of a checksum", "{15'd0, frames_ip_folded[16]}", "16'd0", carries);
  finds("what memory refuses is done", /wire rows_write_or = [^;]*;/, "wire rows_write_or = 1'b1;", home);
  finds(
    "a context is never given back, two of them",
    "if (at_hand_old) at_hand_phase <= commit_phase_free",
    "if (1'b0) at_hand_phase <= commit_phase_free",
    b => fullRun(b, small),
    smallDut,
  );
});
