import type { Ports } from "../../hdl-dsl/index.ts";
import { builtinBackend } from "../backend/builtin/builtin.ts";
import type { Bench } from "../bench/bench.ts";
import { runBench } from "../bench/run-bench.ts";
import type { Dut } from "../design.ts";
import { Recording } from "./recording.ts";
import type { Inputs } from "./simulators.ts";

/** Drives a design. `ready` is called where it begins to count: what is before only brings the design there. */
export type Load<P extends Ports> = (b: Bench<P>, ready: () => void) => Promise<unknown>;

/**
 * The inputs of a bench from the reset on, for `compareSimulatorSpeed`. @param o.most cycles that are recorded
 * @param o.seed of the bench
 */
export const recordInputs = <P extends Ports>(
  dut: Dut<P>,
  o: { readonly seed: number; readonly most: number },
  load: Load<P>,
): Promise<Inputs> =>
  runBench(
    "recording",
    dut,
    {
      seed: o.seed,
      hangCycles: 20_000,
      limitCycles: Infinity,
      wave: false,
      resetCycles: 0,
      backend: builtinBackend,
    },
    async b => {
      const r = new Recording(b.sim, o.most);
      let from = 0;
      b.onEdge(r);
      b.sim.reset(2);
      await load(b, () => (from = r.cycles));
      return { rows: r.rows, width: r.width, first: r.first, cycles: r.cycles, from };
    },
  );
