/** Faults planted in the engine's place in the SmartNIC: the benches find each. */
import { describe, it } from "vitest";
import { runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import {
  additionsRun,
  type B,
  crossingRun,
  crowdRun,
  edgesRun,
  fullRun,
  heldRun,
  hostileRun,
  keepsRun,
  resetsRun,
  resetSweepRun,
  silentRun,
  small,
  smallDut,
  strangersRun,
  usual,
  usualDut,
} from "./support/snic-runs.ts";

const strangers = (b: B) => strangersRun(b, usual, 250),
  full = (b: B) => fullRun(b, usual),
  hostile = (b: B) => hostileRun(b, usual),
  resets = (b: B) => resetsRun(b, usual, 6),
  held = (b: B) => heldRun(b, usual),
  sweep = (b: B) => resetSweepRun(b, usual),
  silent = (b: B) => silentRun(b, usual),
  additions = (b: B) => additionsRun(b, small, 60);

describe("a planted fault in the SmartNIC's task is found", () => {
  const finds = (
    name: string,
    from: string | RegExp,
    to: string,
    run: (b: B) => Promise<unknown>,
    dut: typeof usualDut = usualDut,
  ) =>
    it(name, () =>
      findsFault(
        runBench(
          `snic fault ${name}`,
          plant(dut, from, to),
          { seed: 9, wave: false, limitCycles: 300_000, hangCycles: 60_000 },
          run,
        ),
      ),
    );
  // Whose packets.
  finds("requests of any user are taken", "(packets_who_user == node_row[37:32])", "1'b1", strangers);
  finds(
    "the last bit of the user does not count",
    "(packets_who_user == node_row[37:32])",
    "(packets_who_user[4:0] == node_row[36:32])",
    strangers,
  );
  finds("the node may be behind any port", "(packets_who_ingress == node_row[41:38])", "1'b1", strangers);
  finds("requests of any process are taken", "(packets_who_header[351:336] == own_row[63:48])", "1'b1", strangers);
  finds(
    "lengths that do not agree count",
    /wire packets_is_whole =\n?[^;]*;/,
    "wire packets_is_whole = packets_packet_bytes >= 18'd42;",
    strangers,
  );
  finds(
    "a payload may begin anywhere",
    /wire packets_is_aligned = [^;]*;/,
    "wire packets_is_aligned = 1'b1;",
    strangers,
  );
  // Whose slot.
  finds("clients are told by their port alone", "(packets_held_ip == packets_refusal_payload_asked_ip)", "1'b1", full);
  finds(
    "clients are told by their address alone",
    "(packets_held_port == packets_refusal_payload_asked_port)",
    "1'b1",
    full,
  );
  finds("any number is the same operation", "(packets_held_operation == packets_slot_choice)", "1'b1", full);
  finds("a repetition is an operation of its own", "packets_who_header[375] ?", "1'b0 ?", additions, smallDut);
  finds("a slot whose reply waits is free", /packets_slot_waits \|/, "1'b0 |", crossingRun);
  finds("a kept reply keeps no slot", /packets_slot_is_done & \(\|life\)/, "1'b0", full);
  // Time.
  finds(
    "replies are kept until the next end of a life",
    "slots_old & ~slots_queued",
    "slots_done & ~slots_queued",
    keepsRun,
  );
  finds("replies are kept for ever", /slots_life_ends = [^;]*;/, "slots_life_ends = 1'b0;", keepsRun);
  finds("who asks again makes nothing younger", "& ~ends & ~repeats;", "& ~ends;", keepsRun);
  finds("a slot is as old as what it had before", "& ~ends & ~repeats;", "& ~repeats;", keepsRun);
  finds("the newer number is forgotten", "if (packets_takes | packets_renames)", "if (packets_takes)", keepsRun);
  // Two at once, in a crowd for few slots.
  const crowd = (b: B) => crowdRun(b, 1, 1500),
    crowdNow = (b: B) => crowdRun(b, 0, 1500);
  const done = "(slots_done & ~expires & ~takes) | ends | repeats";
  finds("a reply that waits to be sent may be forgotten", "slots_old & ~slots_queued", "slots_old", crowd, smallDut);
  finds(
    "the end of a life beats who asks again",
    done,
    "((slots_done | repeats) & ~expires & ~takes) | ends",
    edgesRun,
    smallDut,
  );
  finds(
    "who asks again just behind the end of a life has no place",
    `& ~takes) | ends | repeats`,
    "& ~takes) | ends",
    edgesRun,
    smallDut,
  );
  finds(
    "the end of a life beats an end",
    done,
    "((slots_done | ends) & ~expires & ~takes) | repeats",
    edgesRun,
    smallDut,
  );
  finds(
    "a slot that is taken has its last reply",
    done,
    "(slots_done & ~expires) | ends | repeats",
    crowdNow,
    smallDut,
  );
  // Counts and resets.
  finds(
    "a request that begins as one ends is not counted",
    "- {6'd0, slots_finish}",
    "- {6'd0, slots_finish} - {6'd0, packets_takes & slots_finish}",
    b => additionsRun(b, usual, 100),
  );
  finds("one context more than there are", "slots_level >= 7'd16", "slots_level >= 7'd17", full);
  finds("reset leaves requests running", /slots_running <= 64'd0;/, "slots_running <= slots_running;", resets);
  finds("reset leaves replies waiting", /slots_queued <= 64'd0;/, "slots_queued <= slots_queued;", resets);
  finds("reset leaves the count of contexts", /slots_level <= 7'd0;/, "slots_level <= slots_level;", resets);
  finds("reset leaves the node's row", "if (rst) node_row <= 43'd0;\n    else if", "if", resets);
  finds(
    "a reset in the middle of a reply's words",
    /if \(rst\) slots_collects <= 1'b0;/,
    "if (1'b0) slots_collects <= 1'b0;",
    sweep,
  );
  // Frames.
  finds(
    "the eighth word lacks what the second beat has",
    "packets_arguments[511:496] <= payload_payload_data[15:0];",
    ";",
    hostile,
  );
  finds(
    "what stands behind a request is the next one's",
    "packets_drains <= ~payload_payload_last;",
    "packets_drains <= 1'b0;",
    hostile,
  );
  finds("the checksum lacks its last carry", "+ {15'd0, replies_ip_folded[16]}", "", hostile);
  finds(
    "a refusal with a payload drains nothing",
    "packets_drains <= packets_has_payload;",
    "packets_drains <= 1'b0;",
    hostile,
  );
  finds("untracked requests count", "& packets_who_header[374];", ";", hostile);
  finds(
    "frames change in their middle",
    /turns_frame_ends = [^;]*;/,
    "turns_frame_ends = make_valid & make_ready;",
    additions,
    smallDut,
  );
  finds(
    "packets wait for frames",
    "packet_ready = packets_phase == packets_phase_idle",
    "packet_ready = (packets_phase == packets_phase_idle) & (replies_state != replies_state_first)",
    held,
  );
  finds(
    "expired accesses end as if they were done",
    "slots_collected_status <= engine_reply_payload_status;",
    "slots_collected_status <= 4'd0;",
    silent,
  );
});
