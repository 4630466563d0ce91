import { describe, test } from "vitest";
import { clockPeriod } from "../../../../../designs/clio/config/index.ts";
import type { RetryBufferParameters } from "../../../../../designs/clio/rtl/retry/retry-request.ts";
import { type Bench, designOf, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type Size, small, tiny } from "./support/retry-benches.ts";
import { retryDut, type RetryPorts } from "./support/retry-rig.ts";
import { askedAllTheTime, waitedOut } from "./support/told-waits.ts";

/** What is said when it is too short, and too long. */
const short = /not too short/,
  long = /not too long/;
/** Times that are no multiple of four, and many places. */
const odd = { slots: 8, entries: 32, clients: 2, timeoutCycles: 203 },
  many = { slots: 16, entries: 256, clients: 64, timeoutCycles: 1700 };
/** Nanoseconds of the two rounds in which a silence is found. */
const rounds = (2 * many.clients + 16) * clockPeriod;

describe("the time to wait", () => {
  for (const p of [small, tiny, odd, many] satisfies RetryBufferParameters[]) {
    const size = `${p.clients} places, ${p.entries} operations, TIMEOUT ${p.timeoutCycles}`,
      dut = retryDut(p);
    bench(`${size}: right whenever it is asked for`, dut, { seed: p.clients }, b => askedAllTheTime(b, p));
    bench(`${size}: who waits is served`, dut, { seed: p.entries }, b => waitedOut(b, p, p.clients > 8 ? 6 : 12));
  }

  describe("a planted fault is found", () => {
    const asked = askedAllTheTime,
      waited = (b: Bench<RetryPorts>, p: Size): Promise<void> => waitedOut(b, p, 4),
      sweep = /cycles of a sweep/;
    /** Fault; an expression of the Verilog and its replacement; the bench and its message. */
    const faults: readonly (readonly [string, RegExp, string, typeof waited, RegExp, Size?])[] = [
      [
        "a quarter of TIMEOUT is left out",
        /case \(clients_remaining\)/,
        "case (clients_remaining - 4'd1)",
        waited,
        short,
      ],
      [
        "a quarter of TIMEOUT too much",
        /case \(clients_remaining\)/,
        "case (clients_remaining + 4'd1)",
        asked,
        /cycles to wait/,
      ],
      ["the first wait is said for ever", /case \(clients_remaining\)/, "case (4'd13)", asked, long],
      ["the wait for seven quarters is missing", /4'd7: to_wait <= [^;]*;/, "4'd7: ;", asked, long],
      ["the wait for one quarter is missing", /4'd1: to_wait <= [^;]*;/, "4'd1: ;", asked, long],
      [
        "the rounds in which a silence is found are not waited for",
        /(?<=assign wait_ns = )to_wait/,
        `to_wait > 32'd${(many.entries / 4 + 16) * clockPeriod} ? to_wait - 32'd${rounds} : to_wait`,
        b => waitedOut(b, many, 24),
        /somebody is forgotten/,
        many,
      ],
      ["cycles, not nanoseconds", /(?<=assign wait_ns = )to_wait/, "to_wait >> 2", asked, short],
      ["twice the nanoseconds", /(?<=assign wait_ns = )to_wait/, "to_wait << 1", asked, long],
      ["a sweep is not said", /if \(clients_sweeping\)(?= to_wait)/, "if (1'b0)", waited, sweep],
      ["a sweep of half the sets", /(?<=\(clients_sweeping\) to_wait <= )32'd\d+/, "32'd32", waited, sweep],
      ["a sweep of twice the sets", /(?<=\(clients_sweeping\) to_wait <= )32'd\d+/, "32'd192", asked, sweep],
      ["the sweep is said all the time", /if \(clients_sweeping\)(?= to_wait)/, "if (1'b1)", asked, short],
    ];
    test("none: the same benches pass", async () => {
      await runBench("no fault", designOf(retryDut(small)), { wave: false, seed: 5 }, b => waitedOut(b, small, 4));
    });
    for (const [name, from, to, run, why, p = small] of faults)
      test(name, () =>
        findsFault(
          runBench(name, plant(retryDut(p), from, to), { wave: false, seed: 5, hangCycles: 3000 }, b => run(b, p)),
          why,
        ),
      );
  });
});
