/** Bounded checks: every run of so many cycles from reset, and nothing about longer ones. */
import type { Engine, Finding } from "../engine.ts";
import { runLimited } from "../process.ts";

/** Steps in which the last assertion of `depth` cycles is looked at: the reset's, and one after the cycle itself. */
const stepsOf = (depth: number): number => depth + 2;

/** yosys-abc's bmc3. */
export const bmcAbc: Engine = {
  name: "abc bmc3",
  needs: ["yosys-abc"],
  decide: async (model, budget) => {
    const ended = await runLimited(
      "yosys-abc",
      [
        "-c",
        `read_aiger ${model.aiger}; fold; strash; bmc3 -F ${stepsOf(budget.depth)} -T ${Math.ceil(budget.seconds)}`,
      ],
      {
        cwd: model.folder,
        seconds: budget.seconds + 2,
        ...(budget.signal ? { signal: budget.signal } : {}),
      },
    );
    const frame = /was asserted in frame\s+(\d+)/.exec(ended.out)?.[1];
    if (frame !== undefined) return { verdict: "failed", cycles: Number(frame) + 2 };
    const gone = Number(/No output asserted in (\d+) frames/.exec(ended.out)?.[1] ?? 0);
    return bounded(gone, budget.depth, ended.late ? "time is up" : (ended.out.trim().split("\n").at(-1) ?? ""));
  },
};

/** yosys-smtbmc, without its induction. */
export function bmcSmt(solver: "z3" | "cvc5"): Engine {
  return {
    name: `smtbmc ${solver}`,
    needs: ["yosys-smtbmc", solver],
    decide: async (model, budget) => {
      const ended = await runLimited(
        "yosys-smtbmc",
        ["-s", solver, "--presat", "--unroll", "-t", String(stepsOf(budget.depth)), model.smt2],
        { cwd: model.folder, seconds: budget.seconds, ...(budget.signal ? { signal: budget.signal } : {}) },
      );
      const step = Number([...ended.out.matchAll(/Checking assertions in step (\d+)/g)].at(-1)?.[1] ?? 0);
      if (ended.out.includes("BMC failed")) return { verdict: "failed", cycles: step + 1 };
      const gone = ended.out.includes("Status: PASSED") ? step + 1 : step;
      return bounded(gone, budget.depth, ended.late ? "time is up" : (ended.out.trim().split("\n").at(-1) ?? ""));
    },
  };
}

const bounded = (steps: number, depth: number, why: string): Finding => {
  const cycles = Math.max(0, steps - 2);
  return cycles >= depth ? { verdict: "bounded", cycles: depth } : { verdict: "unknown", why, holdsFor: cycles };
};
