/** What became of each mutant, from all that the tests told. */
import type { Described, Report } from "./plan.ts";

/**
 * `survived`: no test that has it fails. `unseen`: no test has it. `equivalent`: the simulator makes the same circuit
 * of it. `loop`: no circuit. `argued`: it survives, and somebody argued that it must.
 */
export type Fate = "killed" | "survived" | "unseen" | "equivalent" | "loop" | "argued";
export interface Outcome {
  readonly mutant: Described;
  readonly fate: Fate;
  /** The test that killed it, and how; or the argument. */
  readonly by?: string;
}

export class Ledger {
  readonly #killed = new Map<string, { readonly id: string; readonly message: string }>();
  readonly #lived = new Set<string>();
  readonly #void = new Map<string, "equivalent" | "loop">();
  readonly #whole = new Set<string>();
  readonly #doubted = new Map<string, string>();
  #failed: { readonly id: string; readonly message: string } | undefined;

  /** A test that fails without a mutant. */
  get failed(): { readonly id: string; readonly message: string } | undefined {
    return this.#failed;
  }
  /** Files that must be run whole with every mutant that is left. */
  get whole(): readonly string[] {
    return [...this.#whole];
  }

  add(all: readonly Report[]): void {
    for (const r of all)
      if (r.kind === "killed" && !this.#killed.has(r.key)) this.#killed.set(r.key, r);
      else if (r.kind === "lived") this.#lived.add(r.key);
      else if (r.kind === "void") this.#void.set(r.key, r.verdict);
      else if (r.kind === "whole") this.#whole.add(r.file);
      else if (r.kind === "failed") this.#failed ??= r;
    // A kill by a test that afterwards fails by itself counts only once it is confirmed.
    for (const r of all)
      if (r.kind === "doubt")
        for (const key of r.keys)
          if (this.#killed.get(key)?.id === r.id) {
            this.#killed.delete(key);
            this.#lived.add(key);
            this.#doubted.set(key, r.file);
          }
  }

  /** Whether it is still to be found out whether a test kills it. */
  isOpen(key: string): boolean {
    const known = this.#void.get(key);
    return !this.#killed.has(key) && known !== "loop" && !(known === "equivalent" && !this.#lived.has(key));
  }
  /** The file whose kill of a mutant is in doubt. */
  doubted(key: string): string | undefined {
    return this.#doubted.get(key);
  }

  of(mutant: Described, argument: string | undefined): Outcome {
    const killed = this.#killed.get(mutant.key);
    if (killed !== undefined) return { mutant, fate: "killed", by: `${killed.id}: ${killed.message}` };
    const verdict = this.#void.get(mutant.key);
    if (verdict === "loop" || (verdict === "equivalent" && !this.#lived.has(mutant.key)))
      return { mutant, fate: verdict };
    if (argument !== undefined) return { mutant, fate: "argued", by: argument };
    return { mutant, fate: this.#lived.has(mutant.key) ? "survived" : "unseen" };
  }
}

/** Those of one fate. */
export const withFate = (all: readonly Outcome[], ...fates: readonly Fate[]): readonly Outcome[] =>
  all.filter(o => fates.includes(o.fate));
/** Killed, of those that could be: percent, downwards. Nothing to kill is 100. */
export function score(all: readonly Outcome[]): number {
  const killed = withFate(all, "killed").length,
    counted = killed + withFate(all, "survived", "unseen").length;
  return counted === 0 ? 100 : Math.floor((1000 * killed) / counted) / 10;
}
