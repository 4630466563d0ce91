/** Engines side by side: the first that knows the answer gives it. */
import { findTool } from "../backend/verilator/tools.ts";
import { BuildError } from "../errors.ts";
import type { Budget, Engine, Finding } from "./engine.ts";
import { bmcAbc, bmcSmt } from "./engines/bmc.ts";
import { pdr, pdrEach } from "./engines/pdr.ts";
import { smtbmc } from "./engines/smtbmc.ts";
import { tempinduct } from "./engines/tempinduct.ts";
import type { FormalModel } from "./model.ts";

/** All engines, those that answer soonest first. */
export const engines: readonly Engine[] = [pdr, smtbmc("z3"), tempinduct, smtbmc("cvc5"), pdrEach];

/** The engines of bounded checks. */
export const boundedEngines: readonly Engine[] = [bmcAbc, bmcSmt("z3"), bmcSmt("cvc5")];

/**
 * Head start of each engine before the next joins in, s: most properties are decided by then, and need
 * no second process.
 */
const HEAD_START = 1.5;

/** Result of the portfolio: the engine's finding and its name; for "unknown", the most that any of them checked. */
export interface Decision {
  readonly finding: Finding;
  readonly engine: string | undefined;
}

/** Engines whose programs are on the PATH. @throws BuildError when none can run. */
export function usable(wanted: readonly Engine[]): readonly Engine[] {
  const missing = new Set(["yosys", ...wanted.flatMap(e => e.needs)].filter(p => findTool(p) === undefined));
  const found = wanted.filter(e => e.needs.every(p => !missing.has(p)));
  if (found.length > 0 && !missing.has("yosys")) return found;
  throw new BuildError(
    `proofs need ${[...missing].join(", ")} on the PATH: install them (Debian: apt install yosys z3 cvc5) and run again`,
  );
}

/** Runs the engines on the model until one proves or refutes it, or all have given up. */
export async function decide(
  model: FormalModel,
  budget: Omit<Budget, "signal">,
  wanted: readonly Engine[] = engines,
): Promise<Decision> {
  const over = new AbortController();
  const unknown: string[] = [];
  let holdsFor = 0;
  const running = new Set<Promise<void>>();
  let answer: Decision | undefined;
  for (const engine of usable(wanted)) {
    const one = engine
      .decide(model, { ...budget, signal: over.signal })
      .then(finding => {
        if (finding.verdict === "unknown") {
          unknown.push(`${engine.name}: ${finding.why}`);
          holdsFor = Math.max(holdsFor, finding.holdsFor);
          return;
        }
        answer ??= { finding, engine: engine.name };
        over.abort();
      })
      .finally(() => {
        running.delete(one);
      });
    running.add(one);
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      one,
      new Promise<void>(resolve => {
        timer = setTimeout(resolve, HEAD_START * 1000);
      }),
    ]);
    clearTimeout(timer);
    if (answer !== undefined) break;
  }
  await Promise.all(running);
  return answer ?? { finding: { verdict: "unknown", why: unknown.join("; "), holdsFor }, engine: undefined };
}
