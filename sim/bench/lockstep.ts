import type { Bench } from "./bench.ts";

interface Member {
  readonly bench: Bench;
  readonly cycle: () => number;
  over: boolean;
  wake: (() => void) | undefined;
}

/**
 * Several benches in one time: none is more than a cycle ahead of another. So the exchanges of their models between
 * edges come when they should, to a cycle.
 */
export class Lockstep {
  readonly #members: Member[] = [];
  readonly #expected: number;
  #all: () => void = () => undefined;
  readonly #complete: Promise<void>;

  /** @param members benches that will join; none goes on before all have */
  constructor(members: number) {
    this.#expected = members;
    this.#complete = new Promise(resolve => {
      this.#all = resolve;
    });
  }

  /** Joins, from the bench's main function. Resolves when all have joined. */
  async join(bench: Bench): Promise<void> {
    const from = bench.cycle,
      member: Member = { bench, cycle: () => bench.cycle - from, over: false, wake: undefined };
    this.#members.push(member);
    bench.scheduler.gate = () => {
      this.#wake();
      return this.#mayStep(member)
        ? undefined
        : new Promise(resolve => {
            member.wake = resolve;
          });
    };
    if (this.#members.length === this.#expected) this.#all();
    await this.#complete;
  }
  /** The bench ends: the others go on without it. */
  leave(bench: Bench): void {
    bench.scheduler.gate = undefined;
    for (const m of this.#members) m.over ||= m.bench === bench;
    this.#wake();
  }

  #mayStep(member: Member): boolean {
    return (
      this.#members.length === this.#expected &&
      this.#members.every(m => m === member || m.over || m.cycle() >= member.cycle())
    );
  }
  #wake(): void {
    for (const m of this.#members) {
      if (m.wake === undefined || !this.#mayStep(m)) continue;
      const { wake } = m;
      m.wake = undefined;
      wake();
    }
  }
}
