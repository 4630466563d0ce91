/** Property-directed reachability of yosys-abc: finds the inductive invariant by itself. */
import type { Engine, Finding } from "../engine.ts";
import { type Ended, runLimited } from "../process.ts";

/** The inputs of a run that fails, as abc writes it into the model's folder. */
export const failedRun = "failed.aiw";

/** A failure, as abc prints it for either way of asking. */
const failure = /was asserted in frame\s+(\d+)/;

interface Asking {
  readonly proved: (out: string) => boolean;
  /** The engine is ended when it has said this. */
  readonly enough?: RegExp;
  /** Commands behind it. */
  readonly then?: string;
}
const engine = (name: string, flags: string, o: Asking): Engine => ({
  name,
  needs: ["yosys-abc"],
  decide: async (model, budget) => {
    // `fold` turns assumptions into part of the property. abc's own limit is softer than ours: it ends in good order.
    const ended = await runLimited(
      "yosys-abc",
      ["-c", `read_aiger ${model.aiger}; fold; strash; pdr ${flags}-T ${Math.ceil(budget.seconds)}${o.then ?? ""}`],
      {
        cwd: model.folder,
        seconds: budget.seconds + 2,
        ...(o.enough ? { enough: o.enough } : {}),
        ...(budget.signal ? { signal: budget.signal } : {}),
      },
    );
    return findingOf(ended, o.proved);
  },
});

function findingOf(ended: Ended, proved: (out: string) => boolean): Finding {
  const frame = failure.exec(ended.out)?.[1];
  // Assertions of clocked blocks are looked at one step after their cycle.
  if (frame !== undefined) return { verdict: "failed", cycles: Number(frame) + 2 };
  if (proved(ended.out)) {
    const clauses = /Invariant F\[\d+\] : (\d+) clauses/.exec(ended.out)?.[1];
    return {
      verdict: "proved",
      how: clauses === undefined ? "inductive invariant" : `inductive invariant of ${clauses} clauses`,
    };
  }
  return {
    verdict: "unknown",
    why: ended.late ? "time is up" : (ended.out.trim().split("\n").at(-1) ?? ""),
    holdsFor: 0,
  };
}

/** All assertions as one. A run that fails is written down, for the counterexample. */
export const pdr = engine("abc pdr", "", {
  proved: out => out.includes("Property proved"),
  then: `; write_cex -a ${failedRun}`,
});

const each = engine("abc pdr -a", "-a ", {
  proved: out => /Disproved = 0\. Undecided = 0\./.test(out),
  enough: failure,
});
/**
 * Each assertion by itself, over one growing set of clauses: what was learnt for one helps the others. It decides units
 * that `pdr` does not, and takes longer where both do. Its frame is not the failure's length, which `pdr` tells.
 */
export const pdrEach: Engine = {
  ...each,
  decide: async (model, budget) => {
    const finding = await each.decide(model, budget);
    return finding.verdict === "failed" ? pdr.decide(model, budget) : finding;
  },
};
