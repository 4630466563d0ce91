/** Rule 5 in cycles: lists and places in a circle, where the hardware has masks. */
import type { PickParameters } from "../../../../../../designs/supernic/rtl/index.ts";

export interface Place {
  /** Of the slots of all regions. */
  readonly at: number;
  readonly user: number;
}
/** Users by slot of all regions. */
export type Users = readonly (readonly boolean[])[];
interface Picked {
  readonly at: number;
  readonly users: readonly boolean[];
  /** Choices of the slot that were under way when it was picked, the youngest first; then its last start. */
  readonly last: number;
  /** The slot of the cycle before was the same. */
  readonly again: boolean;
}

/** The first of `count` in a circle, from behind `last` on, for which `is` holds. */
function next(last: number, count: number, is: (i: number) => boolean): number | undefined {
  for (let n = 1; n <= count; n++) if (is((last + n) % count)) return (last + n) % count;
  return undefined;
}

export class PickModel {
  readonly last: number[];
  chosen: Place | undefined;
  /** What is due, unless it is taken back in this very cycle; and what was. */
  #due: Place | undefined;
  wasDue: Place | undefined;
  readonly #p: PickParameters;
  readonly #places: number;
  #ready: Users;
  #many: boolean[];
  #picked: Picked | undefined;
  /** Slots that had a choice under way, or one just settled, in the cycle before. */
  #were: readonly (number | undefined)[] = [];
  #lacked: number | undefined;
  #lastPlace: number;

  constructor(p: PickParameters) {
    this.#p = p;
    this.#places = p.regions * p.slots;
    this.last = Array.from({ length: this.#places }, () => p.users - 1);
    this.#ready = this.last.map(() => []);
    this.#many = this.last.map(() => false);
    this.#lastPlace = this.#places - 1;
  }
  /** How many choices of a slot are somewhere between picked and settled. */
  underWay(at: number): boolean {
    return [this.#picked?.at, ...this.#were].includes(at);
  }

  /** What is due in a cycle in which the one before turns out to lack something. */
  due(lacked: boolean): Place | undefined {
    return lacked && this.#due?.at === this.wasDue?.at ? undefined : this.#due;
  }

  /** The end of a cycle: what was due before lacked something; the due one starts and moves these slots' turns. */
  step(ready: Users, more: Users, lacked: boolean, moves: number): void {
    const { chosen } = this,
      due = this.due(lacked),
      lacking = lacked ? this.wasDue?.at : undefined,
      picked = this.#pick(),
      user = this.#choose(lacking);
    this.#were = [this.#picked?.at, chosen?.at, this.#due?.at, this.wasDue?.at];
    this.#lacked = lacking;
    this.wasDue = due;
    this.#due = chosen !== undefined && chosen.at !== lacking ? chosen : undefined;
    this.chosen = user === undefined || this.#picked === undefined ? undefined : { at: this.#picked.at, user };
    this.#picked = picked;
    this.#ready = ready;
    this.#many = ready.map((r, at) => r.filter(Boolean).length > 1 || r.some((is, u) => is && more[at]?.[u] === true));
    if (due) this.#move(due, moves);
  }
  /** A slot of whose candidates more are there than are under way. */
  #pick(): Picked | undefined {
    const asks = (at: number): boolean => this.#ready[at]!.some(Boolean) && (this.#many[at]! || !this.underWay(at));
    const at = next(this.#lastPlace, this.#places, asks);
    if (at === undefined) return undefined;
    this.#lastPlace = at;
    const before = [this.chosen, this.#due].find(c => c?.at === at);
    return { at, users: this.#ready[at]!, last: before?.user ?? this.last[at]!, again: this.#picked?.at === at };
  }
  #choose(lacking: number | undefined): number | undefined {
    const p = this.#picked;
    if (p === undefined || p.at === lacking || p.at === this.#lacked) return undefined;
    const last = p.again && this.chosen !== undefined ? this.chosen.user : p.last;
    return next(last, this.#p.users, u => p.users[u] === true);
  }
  #move({ at, user }: Place, moves: number): void {
    const region = Math.floor(at / this.#p.slots);
    for (let s = 0; s < this.#p.slots; s++) if ((moves >> s) & 1) this.last[region * this.#p.slots + s] = user;
  }
}
