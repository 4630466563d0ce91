/** The SAT solver inside Yosys: base case and induction, step by step. */
import type { Engine } from "../engine.ts";
import { TOP } from "../model.ts";
import { runLimited } from "../process.ts";

export const tempinduct: Engine = {
  name: "yosys sat",
  needs: ["yosys"],
  decide: async (model, budget) => {
    const steps = Math.max(budget.depth, budget.induction);
    const ended = await runLimited(
      "yosys",
      ["-p", `read_rtlil ${model.rtlil}; sat -tempinduct -prove-asserts -set-assumes -maxsteps ${steps} ${TOP}`],
      { cwd: model.folder, seconds: budget.seconds, ...(budget.signal ? { signal: budget.signal } : {}) },
    );
    const based = Number([...ended.out.matchAll(/\[base case (\d+)\]/g)].at(-1)?.[1] ?? 0);
    if (ended.out.includes("model found for base case")) return { verdict: "failed", cycles: based + 1 };
    if (ended.out.includes("Induction step proven: SUCCESS")) {
      return {
        verdict: "proved",
        how: `base case and ${[...ended.out.matchAll(/\[induction step (\d+)\]/g)].at(-1)?.[1] ?? based}-induction`,
      };
    }
    return {
      verdict: "unknown",
      why: ended.late
        ? "time is up"
        : ended.out.includes("Reached maximum number")
          ? "not inductive"
          : (ended.out.trim().split("\n").at(-1) ?? ""),
      holdsFor: Math.max(0, based - 1),
    };
  },
};
