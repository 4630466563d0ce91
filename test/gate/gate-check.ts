/**
 * Common part of every gate-level check: the benches of the RTL run on the netlist, and are shown to find faults in it.
 */
import { describe, expect, test, type TestContext } from "vitest";
import type { Def, Ports } from "../../hdl-dsl/index.ts";
import { type Bench, designOf, type Dut, Random, runBench } from "../../sim/index.ts";
import {
  countLuts,
  type FaultPort,
  faultyDesign,
  gateDesign,
  type LutFault,
  netlistOf,
  withFaults,
} from "./netlist.ts";

/** A limit against a hang, ms: synthesis and a compiler on a busy machine take minutes. */
const LIMIT = 1_200_000;

/** A bench of the RTL, made to run on any design with its ports. */
export interface GateBench<P extends Ports> {
  readonly name: string;
  readonly seed?: number;
  readonly run: (b: Bench<P>) => Promise<unknown>;
}

/**
 * Faults that are planted, one at a time, and the number that a short bench has to find. Some tables are wrong as a
 * whole, and some of these matter only in states that the bench does not reach. Other tables have one bit wrong, most
 * of them for inputs that never come.
 */
const whole = { planted: 12, found: 8 },
  single = { planted: 30, found: 2 };

/**
 * Checks a design at the gates: all benches pass on its netlist, and short ones on netlists with a fault do not.
 * @param quick the short bench
 */
export function gateCheck<P extends Ports>(
  name: string,
  dut: Def<P>,
  benches: readonly GateBench<P>[],
  quick: (b: Bench<P>) => Promise<unknown>,
): void {
  const long = (ctx: TestContext): void => {
    if (process.env["MNEMO_LONG"] === undefined)
      ctx.skip("synthesizes and compiles a netlist, a minute or two: .ci/run does it, and MNEMO_LONG=1 here");
  };
  describe(`${name} at the gates`, () => {
    test("the netlist passes the benches of the RTL", { timeout: LIMIT }, async ctx => {
      long(ctx);
      const design: Dut<P> = await gateDesign(dut, await netlistOf(dut));
      for (const b of benches) {
        await runBench(
          `${name} ${b.name}`,
          design,
          { wave: false, ...(b.seed === undefined ? {} : { seed: b.seed }) },
          b.run,
        );
      }
    });
    test("lookup tables that are wrong, as a whole or in one bit, are found", { timeout: LIMIT }, async ctx => {
      long(ctx);
      const netlist = await netlistOf(dut),
        random = new Random(1),
        count = countLuts(netlist);
      expect(count, "lookup tables in the netlist").toBeGreaterThan(100);
      const chosen = new Set<number>();
      while (chosen.size < whole.planted + single.planted) chosen.add(random.between(0, count - 1));
      const faults = [...chosen].map((lut, i): LutFault => ({
        lut,
        entry: i < whole.planted ? undefined : random.between(0, 63),
      }));
      const design = await faultyDesign(dut, withFaults(netlist, designOf(dut).emitted.top, faults));
      const options = { wave: false, hangCycles: 300, limitCycles: 20_000 };
      const run = (k: number) =>
        runBench(`${name} fault ${k}`, design as Dut<P & FaultPort>, options, async b => {
          (b as unknown as Bench<FaultPort>).io.fault.value = k;
          await quick(b);
        });
      // The netlist that faults can be planted in is right without one.
      await run(0);
      const found = { whole: 0, single: 0 };
      for (const [i, f] of faults.entries())
        await run(i + 1).catch(() => {
          found[f.entry === undefined ? "whole" : "single"]++;
        });
      expect(found.whole, `tables found of ${whole.planted} that are wrong`).toBeGreaterThanOrEqual(whole.found);
      expect(found.single, `tables found of ${single.planted} with one bit wrong`).toBeGreaterThanOrEqual(single.found);
      console.log(
        `${name}: ${count} tables; found ${found.whole} of ${whole.planted} that were wrong, ${found.single} of ${single.planted} with one bit wrong`,
      );
    });
  });
}
