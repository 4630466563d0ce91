/** Property-directed reachability of yosys-abc: finds the inductive invariant by itself. */
import type { Engine, Finding } from "../engine.ts";
import { type Ended, runLimited } from "../process.ts";

/** A failure, as abc prints it for either way of asking. */
const failure = /was asserted in frame\s+(\d+)/;

const engine = (name: string, flags: string, proved: (out: string) => boolean): Engine => ({
  name,
  needs: ["yosys-abc"],
  decide: async (model, budget) => {
    // `fold` turns assumptions into part of the property. abc's own limit is softer than ours: it ends in good order.
    const ended = await runLimited(
      "yosys-abc",
      ["-c", `read_aiger ${model.aiger}; fold; strash; pdr ${flags}-T ${Math.ceil(budget.seconds)}`],
      {
        cwd: model.folder,
        seconds: budget.seconds + 2,
        enough: failure,
        ...(budget.signal ? { signal: budget.signal } : {}),
      },
    );
    return findingOf(ended, proved);
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

/** All assertions as one. */
export const pdr = engine("abc pdr", "", out => out.includes("Property proved"));

const each = engine("abc pdr -a", "-a ", out => /Disproved = 0\. Undecided = 0\./.test(out));
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
