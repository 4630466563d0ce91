/** Faults planted in the Go-Back-N task: the benches find each. */
import { describe, it } from "vitest";
import { runBench } from "../../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { type B, gbnDut } from "./support/rig.ts";
import {
  ageRun,
  beginAnewRun,
  checksRun,
  crowdedRun,
  full,
  fullRun,
  lossyRun,
  memoryErrorRun,
  resetRun,
  silentRun,
  small,
  windowRun,
  wrapRun,
} from "./support/runs.ts";

const long = process.env["MNEMO_LONG"] === "1";
const wrap = { first: 2 ** 32 - 20 },
  lossy = (b: B) => lossyRun(b, { requests: 12 });

describe("a planted fault in the Go-Back-N task is found", () => {
  type Run = (b: B) => Promise<unknown>;
  const plants = (name: string, from: string | RegExp, to: string, run: Run, more: object, always: boolean) =>
    it.skipIf(!always && !long)(
      name,
      () =>
        findsFault(
          runBench(
            `go-back-n fault ${name}`,
            plant(gbnDut({ ...small, ...more }), from, to),
            { seed: 5, wave: false, limitCycles: 250_000, hangCycles: 30_000 },
            run,
          ),
        ),
      60_000,
    );
  /** One that a short run finds. */
  const finds = (name: string, from: string | RegExp, to: string, run: Run, more: object = {}) =>
    plants(name, from, to, run, more, true);
  /** One that needs traffic: with MNEMO_LONG=1. */
  const findsLong = (name: string, from: string | RegExp, to: string, run: Run, more: object = {}) =>
    plants(name, from, to, run, more, false);
  const wire = (name: string): RegExp => new RegExp(`(wire (?:\\[[^\\]]*\\] )?${name} =) [^;]*;`);

  finds("a reply of another life is numbered", wire("is_of_this_life"), "$1 1'b1;", beginAnewRun);
  finds(
    "any node answers for a session",
    wire("is_of_this_life"),
    "$1 reply_life_life == replies_pop_life;",
    beginAnewRun,
  );
  finds("a session's life does not begin anew", /life_before_life \+ 16'd1/, "life_before_life", beginAnewRun);
  finds("anybody closes a session", wire("same_client"), "$1 holder_taken;", beginAnewRun);
  finds("management can be closed", wire("is_a_session"), "$1 1'b1;", beginAnewRun);
  finds(
    "the number that was given last is given again",
    /next_given <= changed_session \+ 3'd1/,
    "next_given <= changed_session",
    beginAnewRun,
  );
  finds("a repetition opens another session", /same_name <= [^;]*;/, "same_name <= 1'b0;", beginAnewRun);
  finds("a session that was given up stays taken", wire("failed_ready"), "$1 1'b0;", silentRun);
  finds("a foreign user's packets are taken", wire("is_good"), "$1 to_node & who_b_whole;", checksRun);
  finds("lengths are not looked at", wire("is_good"), "$1 to_node & (|(who_b_to & who_b_mine));", checksRun);
  finds(
    "replies of all lengths are taken",
    wire("takes_reply"),
    "$1 is_reply & (|(who_b_from & who_b_mine));",
    checksRun,
  );
  finds("crowded is never seen", /crowded_before <= crowded;/, "crowded_before <= 1'b0;", fullRun, full);
  finds("one reply more than there are places", wire("room_for_reply"), "$1 1'b1;", fullRun, full);
  finds("a dropped reply's place is not given back", wire("reply_is_planned"), "$1 number_given;", silentRun);
  finds("an error of memory is not told", /\? 2'd2 : 2'd0/, "? 2'd0 : 2'd0", memoryErrorRun);
  finds("a frame leaves by the port of the one before", wire("leaves_by"), "$1 port_of_frame;", windowRun);
  findsLong(
    "sessions are open after a reset",
    /(controls|control)_payload_open = [^;]*;/,
    "$1_payload_open = 1'b1;",
    resetRun,
  );
  void [ageRun, crowdedRun, wrap, wrapRun, lossy];
});
