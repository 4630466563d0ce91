/** Faults planted in the Go-Back-N task: the benches find each. Half of them with MNEMO_LONG=1 only. */
import { describe, it } from "vitest";
import { runBench } from "../../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { type B, gbnDut } from "./support/rig.ts";
import {
  ageRun,
  beginAnewRun,
  checksRun,
  closedRun,
  edge,
  edgeRun,
  full,
  fullRun,
  lossyRun,
  memoryErrorRun,
  raceRun,
  silentRun,
  small,
  windowRun,
} from "./support/runs.ts";

const long = process.env["MNEMO_LONG"] === "1";
const lossy = (b: B) => lossyRun(b, { requests: 12 });

describe("a planted fault in the Go-Back-N task is found", () => {
  type Run = (b: B) => Promise<unknown>;
  const plants = (name: string, from: string | RegExp, to: string, run: Run, more: object, always: boolean) =>
    it.skipIf(!always && !long)(name, () =>
      findsFault(
        runBench(
          `go-back-n fault ${name}`,
          plant(gbnDut({ ...small, ...more }), from, to),
          { seed: 5, wave: false, limitCycles: 250_000, hangCycles: 30_000 },
          run,
        ),
      ),
    );
  /** One that a short run finds. */
  const finds = (name: string, from: string | RegExp, to: string, run: Run, more: object = {}) =>
    plants(name, from, to, run, more, true);
  /** One that takes longer, or needs traffic: with MNEMO_LONG=1. */
  const findsLong = (name: string, from: string | RegExp, to: string, run: Run, more: object = {}) =>
    plants(name, from, to, run, more, false);
  const wire = (name: string): RegExp => new RegExp(`((?:wire (?:\\[[^\\]]*\\] )?|assign )${name} =) [^;]*;`),
    held = (name: string): string => `who_b_held_${name}`;

  finds("a reply of another life is numbered", wire("is_of_this_life"), "$1 1'b1;", beginAnewRun);
  findsLong("any node answers for a session", /\(life_node == \w+\)/, "1'b1", beginAnewRun);
  findsLong("a session's life does not begin anew", /life_before\[15:0\] \+ 16'd1/, "life_before[15:0]", beginAnewRun);
  findsLong("anybody closes a session", wire("same_client"), "$1 row_taken;", beginAnewRun);
  findsLong("management can be closed", wire("is_a_session"), "$1 1'b1;", beginAnewRun);
  findsLong(
    "the number that was given last is given again",
    /next_given <= changed_session \+ 3'd1/,
    "next_given <= changed_session",
    beginAnewRun,
  );
  finds("a repetition opens another session", /same_name <= [^;]*;/, "same_name <= 1'b0;", beginAnewRun);
  findsLong("a session that was given up stays taken", wire("sender_failed_ready"), "$1 1'b0;", silentRun);
  findsLong("a session is given up one timeout early", /was_tries (==|!=) 2'd3/, "was_tries $1 2'd2", silentRun);
  finds("a session is never given up", wire("fails"), "$1 1'b0;", silentRun);
  finds("a foreign user's packets are taken", wire("is_good"), `$1 to_node & ${held("whole")};`, checksRun);
  finds("lengths are not looked at", wire("is_good"), `$1 to_node & (|(${held("to")} & ${held("mine")}));`, checksRun);
  finds(
    "replies of all lengths are taken",
    wire("takes_reply"),
    `$1 is_reply & (|(${held("from")} & ${held("mine")}));`,
    checksRun,
  );
  findsLong("crowded is never seen", /crowded_before <= crowded;/, "crowded_before <= 1'b0;", fullRun, full);
  finds("one reply more than there are places", wire("room_for_reply"), "$1 1'b1;", fullRun, full);
  findsLong("a dropped reply's place is not given back", wire("reply_is_planned"), "$1 number_given;", silentRun);
  finds("an error of memory is not told", /\? 2'd2 : 2'd0/, "? 2'd0 : 2'd0", memoryErrorRun);
  finds("a frame leaves by the port of the one before", wire("leaves_by"), "$1 port_of_frame;", windowRun);
  finds("the window has one place more", /~flying\[3\]/, "~(flying[3] & (|flying[2:0]))", windowRun);
  finds("an ACK of what was never sent counts", /& ~rest\[4\]/, "", windowRun);
  findsLong("ACKs are not heard", wire("is_heard"), "$1 1'b0;", windowRun);
  findsLong("an ACK waits for two rounds", /(wire timed =) [^;]*;/, "$1 op_timer & (was_unacked > 3'd1);", ageRun);
  findsLong("every packet ahead is answered", /& ~was_nacked/, "", ageRun);
  findsLong("a place for requests is never given back", /else if \(job_done\) job_taken <= 1'b0;/, "", beginAnewRun);
  findsLong("numbers do not go round", /(wire behind =) gap\[31\];/, "$1 op_sequence < was_expected;", edgeRun, edge);
  findsLong("a frame is sent again before it is in memory", wire("settled"), "$1 1'b1;", raceRun);
  findsLong("new replies overtake those that are sent again", /= ~was_again;/, "= 1'b1;", raceRun);
  findsLong("what was dropped is kept", /keeps_payload <= [^;]*;/, "keeps_payload <= 1'b1;", lossy);
  findsLong("a reply's last beat is whole", /last_bytes <= [^;]*;/, "last_bytes <= 7'd64;", lossy);
  findsLong("a reset leaves sessions open", wire("control_0_payload_open"), "$1 1'b1;", closedRun);
});
