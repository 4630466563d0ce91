import { describe, expect, test } from "vitest";
import { type Bench, designOf, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { leavesAtOnce } from "./support/leaves-at-once.ts";
import { retryDut, type RetryPorts } from "./support/retry-rig.ts";
import { behindEvictions, newcomerGetsIn, soak, wholeTurn } from "./support/turn-benches.ts";

const few = { slots: 8, entries: 64, clients: 4, timeoutCycles: 400 },
  many = { slots: 16, entries: 2048, clients: 64, timeoutCycles: 4000 };
const crowded = { slots: 8, entries: 16, clients: 4, timeoutCycles: 4000 };
const soaked = 150_000;

describe("turns for places", () => {
  for (const p of [few, many])
    bench(`${p.clients} warm clients, and one that finds no place`, retryDut(p), { seed: p.clients }, b =>
      newcomerGetsIn(b, p),
    );
  for (const stays of [true, false])
    bench(`asked for all the time; the newcomer ${stays ? "stays" : "goes away"}`, retryDut(few), {}, b =>
      wholeTurn(b, few, stays),
    );
  bench("newcomers behind writes that push others out", retryDut(crowded), { seed: 4 }, b =>
    behindEvictions(b, crowded, 8),
  );
  bench("a turn ends as another client is forgotten", retryDut(few), { limitCycles: 400_000 }, b =>
    leavesAtOnce(b, few),
  );
  for (const seed of [1, 2, 3])
    bench(`more clients than places, a bad network, seed ${seed}`, retryDut(few), { seed }, async b => {
      const seen = await soak(b, few, soaked);
      for (const [what, n] of Object.entries(seen)) expect(n, what).toBeGreaterThan(3);
    });

  describe("a planted fault is found", () => {
    type Run = (b: Bench<RetryPorts>) => Promise<void>;
    const newcomer: Run = b => newcomerGetsIn(b, few),
      stays: Run = b => wholeTurn(b, few, true),
      goes: Run = b => wholeTurn(b, few, false),
      atOnce: Run = b => leavesAtOnce(b, few),
      done = /what ended for good/;
    const faults: readonly (readonly [string, RegExp, string, Run, RegExp])[] = [
      [
        "what is begun late ends for good, too",
        /\(parting == parting_yields\) \? finding_kind_yields : finding_kind_busy/,
        "finding_kind_yields",
        goes,
        done,
      ],
      [
        "a turn of one part",
        /(?<=parting_yields: if \(turn_over\) parting <= )parting_fades/,
        "parting_ends",
        goes,
        /./,
      ],
      ["parts shorter than a frame's life", /(?<=turn_left <= begins \? )11'd1624/, "11'd300", goes, /./],
      ["who is to leave counts as silent", /(?<=wire its_turn = )[^;]*;/, "1'b0;", stays, /who is to leave is known/],
      ["who is to leave is heard of", /(?<=request_tracked & known) & ~leaving/, "", stays, /waits behind the turn/],
      ["who is to leave may begin", /(?<=wire fresh = newer) & ~leaving/, "", stays, /./],
      ["nobody leaves", /(?<=wire clients_strike_valid = )[^;]*;/, "1'b0;", newcomer, /newcomer waits/],
      [
        "who is to leave stays when another is forgotten in the same cycle",
        /(?<=strikes = strike_valid & [^;]*) & ~retire/,
        "",
        atOnce,
        done,
      ],
      ["a greeting passes", /(?<=assign stays = )[^;]*;/, "1'b0;", newcomer, /no lie/],
      [
        "a wait in a turn lacks a nanosecond",
        /(turn_to_wait\} \* \d+'d4\} \+ )(32'd\d+)/,
        "$1$2 - 32'd1",
        stays,
        /not of whole cycles/,
      ],
      ["the newest leaves", /(?<=turn_next <= clients_place_index) \+ 2'd1/, "", newcomer, /others go on/],
      [
        "what is told in a turn leaves out its second part",
        /\(parting == parting_yields\) \? (?=\d+'d1624)/,
        "1'b0 ? ",
        stays,
        /moments that are told/,
      ],
      [
        "what is told in a turn has two parts to the end",
        /\(parting == parting_yields\) \? (?=\d+'d1624)/,
        "1'b1 ? ",
        stays,
        /moments that are told/,
      ],
      ["nobody is told of a turn", /else if \(its_turn_or\)/, "else if (1'b0)", stays, /moment/],
      ["no turn begins", /(?<=parting_asked: begin)/, " if (1'b1) parting <= parting_asked; else", newcomer, /waits/],
    ];
    test("a newcomer's mark is lost behind what is pushed out", () =>
      findsFault(
        runBench(
          "mark lost",
          plant(retryDut(crowded), /(?<=enters = holds) & ~judged_forgets/, ""),
          { wave: false, seed: 4, hangCycles: 3000 },
          b => behindEvictions(b, crowded, 8),
        ),
        /before it was known|and then|pushed out/,
      ));
    for (const [name, from, to, run, why] of faults)
      test(name, () =>
        findsFault(
          runBench(
            name,
            plant(retryDut(few), from, to),
            { wave: false, seed: 2, hangCycles: 3000, limitCycles: 400_000 },
            run,
          ),
          why,
        ),
      );
    test("none: the same benches pass", async () => {
      for (const run of [newcomer, stays, goes, atOnce])
        await runBench("no fault", designOf(retryDut(few)), { wave: false, seed: 2, limitCycles: 400_000 }, run);
    });
  });
});
