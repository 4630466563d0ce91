/** Faults planted in replication: the benches find each. */
import { describe, it } from "vitest";
import { never, runBench } from "../../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { type B, replicaDut } from "./support/rig.ts";
import { agesRun, mixedRun, resetRun, stoppedRun } from "./support/runs.ts";

const mixed = (b: B) => mixedRun(b, 400, () => never),
  stopped = async (b: B): Promise<void> => {
    const { forwarded, copies } = await stoppedRun(b);
    if (forwarded !== 40 || copies.length !== 32) throw new Error(`${forwarded} went on, ${copies.length} copies`);
  };

describe("a planted fault in replication is found", () => {
  const finds = (name: string, from: string | RegExp, to: string, run: (b: B) => Promise<unknown>) =>
    it(
      name,
      () =>
        findsFault(
          runBench(
            `replicate fault ${name}`,
            plant(replicaDut, from, to),
            { seed: 9, wave: false, limitCycles: 300_000, hangCycles: 30_000 },
            run,
          ),
        ),
      60_000,
    );
  const wire = (name: string): RegExp => new RegExp(`(wire (?:\\[[^\\]]*\\] )?${name} =) [^;]*;`);
  finds("a reply counts twice", wire("is_fresh"), "$1 1'b1;", mixed);
  finds("the first reply is passed on", wire("is_done"), "$1 reply_counts;", mixed);
});
