/** Rules 3 to 5 for the choice that is due, in lists: what starts, and with which slots. */
import type { PickParameters } from "../../../../../../designs/supernic/rtl/index.ts";

export interface Candidate {
  /** Slots, lowest first. */
  readonly run: readonly number[];
  readonly over: boolean;
}
export interface Chosen {
  readonly region: number;
  readonly slot: number;
  readonly user: number;
}
export interface Started extends Chosen {
  readonly kind: number;
  readonly slots: readonly number[];
  readonly short: boolean;
  /** Slots whose turn goes on. */
  readonly moves: readonly number[];
}
/** What there was of a choice's region, in its cycle; by slot. */
export interface Seen {
  /** By kind: the candidate, and the one behind it. */
  readonly queues: readonly { readonly head: Candidate | undefined; readonly next: readonly number[] | undefined }[];
  readonly busy: readonly boolean[];
  /** Credits, two at most. */
  readonly free: readonly number[];
  readonly waits: readonly ReadonlySet<number>[];
  readonly last: readonly number[];
}
export type Verdict = { readonly gone: true } | { readonly lacks: "busy" | "credit" | "turn" } | Started;

export class ReserveModel {
  readonly #users: number;
  /** By region and user: the kind that started last. */
  readonly #lastKind = new Map<string, number>();
  constructor(p: PickParameters) {
    this.#users = p.users;
  }

  /** @param before what started in the cycle of the choice: it is not in what was seen */
  decide(due: Chosen, seen: Seen, before: Started | undefined): Verdict {
    const there = before?.region === due.region ? before : undefined,
      free = seen.free.map((n, s) => n - (there?.slots.includes(s) === true ? 1 : 0)),
      last = seen.last.map((l, s) => (there?.moves.includes(s) === true ? there.user : l));
    const key = `${due.region} ${due.user}`,
      preferred = 1 - (this.#lastKind.get(key) ?? 1);
    let verdict: Verdict = { gone: true };
    for (const kind of [preferred, 1 - preferred]) {
      const same = there?.user === due.user && there.kind === kind;
      const { head, next } = seen.queues[kind]!,
        candidate = same ? (there.short || next === undefined ? undefined : { run: next, over: false }) : head;
      if (candidate?.run[0] !== due.slot) continue;
      const slots = this.#slots(due, candidate, { ...seen, free, last });
      if (typeof slots === "string") {
        verdict = { lacks: slots };
        continue;
      }
      this.#lastKind.set(key, kind);
      const short = slots.length < candidate.run.length,
        moves = slots.filter((s, i) => i === 0 || [...seen.waits[s]!].some(u => u !== due.user));
      return { ...due, kind, slots, short, moves };
    }
    return verdict;
  }
  #slots({ user }: Chosen, { run, over }: Candidate, seen: Seen): readonly number[] | "busy" | "credit" | "turn" {
    if (run.some(s => seen.busy[s])) return "busy";
    const distance = (s: number, u: number): number => (u - seen.last[s]! - 1 + 2 * this.#users) % this.#users;
    const others = (s: number): boolean =>
      [...seen.waits[s]!].some(u => u !== user && distance(s, u) < distance(s, user));
    const lack = run.findIndex((s, i) => seen.free[s]! <= 0 || (i > 0 && others(s)));
    if (lack < 0) return run;
    if (over && lack > 0) return run.slice(0, lack);
    return seen.free[run[lack]!]! <= 0 ? "credit" : "turn";
  }
}
