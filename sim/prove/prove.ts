/** A design's properties decided, for `mnemo prove` and the tests. */
import type { Ports } from "../../hdl-dsl/index.ts";
import { findTool } from "../backend/verilator/tools.ts";
import { designOf, type Dut } from "../design.ts";
import { counterexample, type Counterexample } from "./counterexample.ts";
import { type Covered, reachCovers } from "./covers.ts";
import type { Engine, Finding } from "./engine.ts";
import { formalModel } from "./model.ts";
import { boundedEngines, decide, type Decision } from "./portfolio.ts";
import type { Property } from "./properties.ts";

/** How long and how far engines look, and which of them. */
export interface ProveOptions {
  /** Limit for each engine and for the covers, s; default 60. */
  readonly seconds?: number;
  /** The longest induction tried, cycles; default 8. */
  readonly induction?: number;
  /** Cycles of bounded checks; default 20. */
  readonly depth?: number;
  /** Cycles within which covers must be reached; default 14. 0: covers are not looked at. */
  readonly reach?: number;
  /**
   * Looks for a failure within this many cycles after reset only: the finding is then "bounded" where there is none,
   * and `holds` is false. With several clocks, moments of time instead of cycles.
   */
  readonly bounded?: number;
  /** Only the claims of the top module itself: those of the modules in it are not looked at. Default: all. */
  readonly own?: boolean;
  /** Default: all that are installed. */
  readonly engines?: readonly Engine[];
}

/** What a proof came to: its claims, what was found, the covers reached. */
export interface Proved {
  readonly design: string;
  readonly assertions: readonly Property[];
  readonly assumptions: readonly Property[];
  /** Of all assertions together. */
  readonly finding: Finding;
  /** The engine that answered. */
  readonly engine: string | undefined;
  readonly covers: readonly Covered[];
  readonly counterexample: Counterexample | undefined;
  /** Preparation and engines, s. */
  readonly seconds: number;
}

/** The finding about a design that claims nothing: a proof of it would say nothing. */
const nothingToProve: Decision = {
  finding: { verdict: "unknown", why: "nothing to prove: the design has no assertAlways", holdsFor: 0 },
  engine: undefined,
};

/** Whether something is claimed, and a bounded check found no failure in all its cycles. That is not that it holds. */
export function noCounterexample(p: Proved): boolean {
  return p.finding.verdict === "bounded" && p.assertions.length > 0;
}

/** Whether something is claimed, all of it is proved for runs of any length, and every cover is reached. */
export function holds(p: Proved): boolean {
  return p.finding.verdict === "proved" && p.covers.every(c => c.cycle !== undefined);
}

/**
 * Decides all assertions of a design together, and looks for its covers.
 * @throws BuildError when tools are missing or refuse the design.
 */
export async function prove<P extends Ports>(dut: Dut<P>, o: ProveOptions = {}): Promise<Proved> {
  const begun = Date.now();
  const { bounded } = o;
  if (bounded !== undefined && !(Number.isInteger(bounded) && bounded >= 1))
    throw new RangeError(`prove: bounded is ${bounded}: give a whole number of cycles, 1 or more`);
  const seconds = o.seconds ?? 60,
    depth = bounded ?? o.depth ?? 20,
    wanted = o.engines ?? (bounded === undefined ? undefined : boundedEngines);
  using model = await formalModel(designOf(dut).emitted, o.own);
  const claims = model.properties.some(p => p.what === "assert");
  let { finding, engine } = claims
    ? await decide(model, { seconds, induction: o.induction ?? 8, depth }, wanted)
    : nothingToProve;
  let trace: Counterexample | undefined;
  if (finding.verdict === "failed") {
    trace = await counterexample(model, finding.cycles + 1, seconds);
    if (trace === undefined) {
      finding = {
        verdict: "unknown",
        why: `${engine ?? ""} finds a failure within ${finding.cycles} cycles that no SMT solver can show`,
        holdsFor: 0,
      };
      engine = undefined;
    }
  }
  const solver = findTool("z3") === undefined ? "cvc5" : "z3";
  const covers =
    o.reach === 0 || finding.verdict === "failed" ? [] : await reachCovers(model, o.reach ?? 14, seconds, solver);
  return {
    design: model.design.top,
    finding,
    engine,
    covers,
    counterexample: trace,
    seconds: (Date.now() - begun) / 1000,
    assertions: model.properties.filter(p => p.what === "assert"),
    assumptions: model.properties.filter(p => p.what === "assume"),
  };
}
