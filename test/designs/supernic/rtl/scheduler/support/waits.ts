/** How long a user waits that waits for its turn at a slot, and for nothing else: in credits, and in decisions. */
import type { DecisionParameters } from "../../../../../../designs/supernic/rtl/index.ts";

interface Waiting {
  /** Cycles since it waits, without a break. */
  cycles: number;
  /** Credits of its slot that others have taken since. */
  credits: number;
  /** Cycles since then, or since one of those, in which there was a credit. */
  decisions: number;
}

/** Cycles until a user that has come is known to every choice that is not settled yet. */
const known = 8;

export class Waits {
  /** The longest wait so far. */
  readonly most = { credits: 0, decisions: 0 };
  /** By region, slot and user. */
  readonly #all: Waiting[][][];

  constructor(p: Pick<DecisionParameters, "regions" | "slots" | "users">) {
    this.#all = Array.from({ length: p.regions }, () =>
      Array.from({ length: p.slots }, () =>
        Array.from({ length: p.users }, () => ({ cycles: 0, credits: 0, decisions: 0 })),
      ),
    );
  }
  /** A cycle of a user: the slots that its candidates wait for. */
  cycle(region: number, user: number, slots: readonly number[], hasCredit: (slot: number) => boolean): void {
    this.#all[region]!.forEach((users, s) => {
      const w = users[user]!;
      if (!slots.includes(s)) w.cycles = w.credits = w.decisions = 0;
      else {
        w.cycles++;
        w.decisions = hasCredit(s) && w.cycles > known ? w.decisions + 1 : w.decisions;
        this.most.decisions = Math.max(this.most.decisions, w.decisions);
      }
    });
  }
  starts(region: number, user: number, slots: readonly number[]): void {
    for (const [n, s] of slots.entries())
      this.#all[region]![s]!.forEach((w, u) => {
        w.decisions = 0;
        if (u === user) {
          if (n === 0) w.credits = 0;
        } else if (w.cycles > known) this.most.credits = Math.max(this.most.credits, ++w.credits);
      });
  }
}
