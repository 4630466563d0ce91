/** yosys-smtbmc with an SMT solver: base case from reset, then induction. */
import type { Engine } from "../engine.ts";
import { runLimited } from "../process.ts";

/** @param solver `z3` or `cvc5` */
export function smtbmc(solver: "z3" | "cvc5"): Engine {
  return {
    name: `smtbmc ${solver}`,
    needs: ["yosys-smtbmc", solver],
    decide: async (model, budget) => {
      const begun = Date.now();
      const run = (args: readonly string[]): ReturnType<typeof runLimited> =>
        runLimited("yosys-smtbmc", ["-s", solver, ...args, model.smt2], {
          cwd: model.folder,
          seconds: Math.max(0.1, budget.seconds - (Date.now() - begun) / 1000),
          ...(budget.signal ? { signal: budget.signal } : {}),
        });
      const base = await run(["--presat", "--unroll", "-t", String(budget.depth)]);
      const reached = Number([...base.out.matchAll(/Checking assertions in step (\d+)/g)].at(-1)?.[1] ?? 0);
      if (base.out.includes("BMC failed")) return { verdict: "failed", cycles: reached + 1 };
      if (base.late) return { verdict: "unknown", why: "time is up in the base case", holdsFor: reached };
      if (!base.out.includes("Status: PASSED")) return { verdict: "unknown", why: lastLine(base.out), holdsFor: 0 };
      const step = await run(["-i", "-t", String(Math.min(budget.induction, budget.depth - 1))]);
      if (step.out.includes("Temporal induction successful")) {
        // The induction begins at the last step and goes back: its number of steps is the length of the induction.
        const tried = [...step.out.matchAll(/Trying induction in step (\d+)/g)].map(m => Number(m[1]));
        return { verdict: "proved", how: `base case and ${Math.max(...tried) - Math.min(...tried) + 1}-induction` };
      }
      return {
        verdict: "unknown",
        why: step.late ? "time is up in the induction" : "not inductive",
        holdsFor: budget.depth,
      };
    },
  };
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";
