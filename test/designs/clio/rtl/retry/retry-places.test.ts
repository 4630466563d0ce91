import { describe, test } from "vitest";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { changingPlaces, doneLate } from "./support/changing-places.ts";
import { small, tiny } from "./support/retry-benches.ts";
import { retryDut, type RetryPorts } from "./support/retry-rig.ts";

/** Times in which a round of the clients fits. */
const p = { ...small, timeoutCycles: 600 },
  few = { ...tiny, timeoutCycles: 400 };

describe("places that go from one client to the next", () => {
  for (const [size, seed] of [
    [p, 1],
    [few, 2],
  ] as const)
    bench(`${size.entries} operations`, retryDut(size), { seed, limitCycles: 200_000 }, b =>
      changingPlaces(b, size, 9),
    );

  for (const size of [p, few])
    bench(`${size.entries} operations: done when long forgotten`, retryDut(size), { seed: 1 }, b => doneLate(b, size));

  describe("a planted fault is found", () => {
    const run = (design: Dut<RetryPorts>): Promise<void> =>
      runBench(
        "places planted",
        design,
        { wave: false, seed: 5, hangCycles: 3000, limitCycles: 100_000 },
        (b: Bench<RetryPorts>) => changingPlaces(b, few, 6),
      );
    test("and nothing without one", () => run(retryDut(few)));
    const faults: readonly (readonly [string, RegExp, string])[] = [
      ["the client of the last purge is purged once more", /purge_client <= purge_index;/, ""],
      ["the sets of the client whose turn it is to age are purged", /(?<=at_client = )purging \? purge_client : /, ""],
      ["nothing of a forgotten client is removed", /(?<=removes_\d = [^;]*)at_purging \| /, ""],
      [
        "everybody's operations are removed",
        /(?<=removes_\d =\s*\(&\{at_sweeping, row_\d_valid, current_\d), row_\d_client == client/,
        "",
      ],
      ["a place is given while its last sets are swept", /(?<=purged <= )at_valid & at_purges_last/, "at_purging"],
      ["a place is never given again", /(?<=purged <= )at_valid & at_purges_last/, "1'b0"],
      ["who enters has the mark of who had the place before", /if \(newest \| enters\)/, "if (newest)"],
      ["a purge claims no cycle", /(?<=urgent = )purging \? turn : /, ""],
      ["a purge claims every cycle", /(?<=urgent = )purging \? turn : /, "purging | "],
    ];
    for (const [name, from, to] of faults) test(name, () => findsFault(run(plant(retryDut(few), from, to))));
    test("who stands where a forgotten client's operation is under way gets its result", () =>
      findsFault(
        runBench(
          "late planted",
          plant(retryDut(few), /at_sweeping \? row_\d_slot : request_access_slot/, "request_access_slot"),
          { wave: false, seed: 1 },
          b => doneLate(b, few),
        ),
        /answer to slot/,
      ));
  });
});
