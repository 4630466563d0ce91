import { describe, test } from "vitest";
import { type Bench, designOf, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import {
  chosenNumbers,
  forgottenWhileSought,
  fullSets,
  leaps,
  type MixtureOptions,
  newcomers,
  pauses,
  retryBenches,
  runMixture,
  type Size,
  small,
  tiny,
} from "./support/retry-benches.ts";
import { retryDut, retryFaultDut, type RetryPorts } from "./support/retry-rig.ts";

const dut = retryDut(small);

describe("RetryBuffer", () => {
  for (const x of retryBenches) bench(x.name, dut, x.seed === undefined ? {} : { seed: x.seed }, x.run);

  describe("a planted fault is found", () => {
    const mix =
      (o: MixtureOptions = {}) =>
      (b: Bench<RetryPorts>, p: Size) =>
        runMixture(b, 3000, { doneAfter: [1, 60], ...o }, p);
    const stalled = (b: Bench<RetryPorts>, p: Size) =>
      runMixture(b, 3000, { doneAfter: [1, 4], pause: pauses(b.random) }, p);
    const twice = /done before|was to pass|order of what passes/,
      wrong = /answer|number|sees|once|order/;
    /** Fault; an expression of the Verilog and its replacement; the bench and its message. */
    const faults: readonly (readonly [
      string,
      RegExp,
      string,
      (b: Bench<RetryPorts>, p: Size) => Promise<unknown>,
      RegExp,
    ])[] = [
      ["what is pushed out is not written down", /(?<=newest = )[^;]*/, "1'b0", mix(), twice],
      [
        "who comes right behind an insertion does not see it",
        /(?<=repeats_ahead = )[^;]*/,
        "1'b0",
        mix(),
        /done before|was to pass|order of what passes|remembered once/,
      ],
      ["who comes right behind what pushes out does not see it", /(?<=leaves_it = )[^;]*/, "1'b0", fullSets, twice],
      [
        "who comes second behind what pushes out does not see it",
        /(?<=left <= )judged_forgets[^;]*/,
        "1'b0",
        fullSets,
        twice,
      ],
      [
        "who waits at the verdict forgets what was pushed out",
        /(?<=left <= )left \| leaves_it/,
        "left",
        stalled,
        twice,
      ],
      ["what is overwritten right ahead is still seen", /(?<=wire current_\d = )[^;]*/, "1'b1", fullSets, wrong],
      [
        "a newcomer is not known to who comes right behind",
        /matches_ \| entering/,
        "matches_",
        newcomers,
        /one place|answer|was to pass/,
      ],
      ["a newcomer is held against what another has forgotten", /(?<=mark <= )preceding/, "mark", newcomers, wrong],
      [
        "a client is found in the cycle in which it is forgotten",
        /matching & ~forgotten/,
        "matching",
        forgottenWhileSought,
        /gap|answer|replayed/,
      ],
      [
        "a client that is being asked for is forgotten",
        /(?<=~\(\(\|\()matches_ & idle_place/,
        "1'b0",
        forgottenWhileSought,
        /gap|answer|expired/,
      ],
      ["what is too old is not removed", /(?<=removes_\d =[^;]*at_purging \| )[^;]*(?=\);)/, "1'b0", leaps, /answer/],
      [
        "another's operation makes room as soon as it is older",
        /(?<=wire own_\d = )[^;]*/,
        "1'b0",
        chosenNumbers,
        /answer/,
      ],
      [
        "who comes right behind its own is not seen to have a way",
        /(?<=own_\d = [^;]*)ahead_same_client/,
        "1'b0",
        chosenNumbers,
        /answer/,
      ],
      [
        "a client that has most of a set does not make room first",
        /(?<=wire crowded_\d =\s*)crowded_0_or[^;]*/,
        "1'b1",
        mix(),
        wrong,
      ],
      ["the key is not used", /(?<=hash_key_q <= )hash_key\b/, "64'd0", mix(), wrong],
      ["a result goes to the wrong entry", /(?<=results\[)done_entry/, "done_entry ^ 1'b1", mix(), /answer|number/],
      [
        "a result of an operation that was pushed out is kept",
        /(?<=orphaned = )[^;]*/,
        "1'b0",
        mix({ doneAfter: [1, 1500] }),
        /answer|number/,
      ],
      ["who is entered is not awaited", /(?<=wire starts = )[^;]*/, "1'b0", mix(), /answer|number/],
      ["who is answered is awaited", /(?<=wire starts = )[^;]*/, "finding_valid", mix(), /answer|number|one operation/],
      ["an entered operation pushes none out", /(?<=judged_evicts = )[^;]*/, "1'b0", mix(), twice],
      ["a client's mark is not drawn behind it", /(?<=judged_forgets = )[^;]*/, "judged_evicts", leaps, /./],
      ["clients are compared without their port's lowest bit", /(?<== )key\[2:0\]/, "{key[2:1], 1'b0}", mix(), /./],
      ["an expired operation is done", /(?<=fresh = )[^;]*/, "known", mix(), twice],
      [
        "numbers are compared without wrapping",
        /(?<=fresh = )[^;]*/,
        "known & (request_operation > mark) & ~left & ~leaves_it",
        mix({ start: 2 ** 32 - 300 }),
        /./,
      ],
    ];
    // One build has them all; its port chooses.
    let faulty = designOf(retryFaultDut(tiny));
    faults.forEach(([, from, to], i) => {
      faulty = plant(faulty, from, `(RetryFaults.fault == 5'd${i + 1} ? ${to} : $&)`);
    });
    const o = { wave: false, seed: 5, hangCycles: 3000 };
    const runs = (i: number, run: (b: Bench<RetryPorts>, p: Size) => Promise<unknown>): Promise<void> =>
      runBench(`fault ${i}`, faulty, o, async b => {
        b.io.fault.value = i;
        await run(b, tiny);
      });
    test("none: the same benches pass", async () => {
      for (const run of new Set(faults.map(f => f[3]))) await runs(0, run);
    });
    faults.forEach(([name, , , run, why], i) => test(name, () => findsFault(runs(i + 1, run), why)));
  });
});
