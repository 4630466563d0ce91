/** Accounts of users as plain numbers that never wrap: what each may take in each cycle, and whose turn it is. */
import { blindTakes, type MergeParameters } from "../../../../../../designs/supernic/rtl/merge/index.ts";
import { cellsOf } from "./merge-rig.ts";

/** A user's entry, as software writes it. */
export interface Limits {
  readonly limited: number;
  readonly bytes: number;
  readonly contexts: number;
  readonly cells: number;
}
/** What a cycle brings. */
export interface Brought {
  readonly took?: { readonly user: number; readonly bytes: number; readonly cells: number } | undefined;
  readonly released?: { readonly user: number; readonly cells: number } | undefined;
  readonly part?: boolean | undefined;
  readonly write?: { readonly index: number; readonly value: Limits } | undefined;
}
/** What a user may take: arrivals at ports, and second passes. */
interface MayTake {
  readonly arrival: readonly [plenty: number, one: number, cells: number];
  readonly loop: readonly [plenty: number, one: number, cells: number];
}
interface Account {
  readonly limits: Limits;
  /** In 64ths of a byte. */
  readonly given: number;
  readonly bytes: number;
  readonly contexts: number;
  readonly cells: number;
}
/** What is worked out of an account, to be seen a cycle later. */
interface Due {
  readonly user: number;
  readonly account: Account;
}

const parts = 64;
const nothing: MayTake = { arrival: [0, 0, 0], loop: [0, 0, 0] };
const flag = (b: boolean): number => (b ? 1 : 0);
const within = (n: number, most: number): number => Math.max(0, Math.min(most, n));

export class AccountModel {
  readonly p: MergeParameters;
  readonly limits: Limits[];
  /** Frames that are held, as `allowed` will have them: what was released counts a cycle later. */
  contexts: number[] = [];
  cells: number[] = [];
  #given: number[] = [];
  #used: number[] = [];
  /** What is shown. */
  may: MayTake[] = [];
  dry: number[] = [];
  #cycle = 0;
  #due = new Set<number>();
  #spent: Due | undefined;
  #seen: (Due & { readonly gets: boolean }) | undefined;
  #gets: { readonly user: number; readonly given: number } | undefined;
  #released: Brought["released"];

  constructor(p: MergeParameters) {
    this.p = p;
    // As the table is made, before anybody has written it.
    this.limits = this.#list(() => ({ limited: 0, bytes: 0, contexts: 0, cells: 0 }));
    this.reset();
  }
  #list<T>(of: () => T): T[] {
    return Array.from({ length: this.p.users }, of);
  }
  /** All is empty; the table stays. */
  reset(): void {
    this.contexts = this.#list(() => 0);
    this.cells = this.#list(() => 0);
    this.#given = this.#list(() => 0);
    this.#used = this.#list(() => 0);
    this.may = this.#list(() => nothing);
    this.dry = this.#list(() => 0);
    this.#cycle = 0;
    this.#due = new Set();
    this.#spent = this.#seen = this.#gets = this.#released = undefined;
  }
  /** Nobody may take. */
  get closed(): boolean {
    return this.#cycle < this.p.users;
  }
  /** Whole bytes that are left to the user. */
  tokens(user: number): number {
    return Math.floor((this.#given[user] ?? 0) / parts) - (this.#used[user] ?? 0);
  }
  mayTake(user: number): boolean {
    return this.limits[user]?.limited !== 1 || this.tokens(user) > 0;
  }
  #account(user: number): Account {
    return {
      limits: this.limits[user] as Limits,
      given: this.#given[user] ?? 0,
      bytes: this.#used[user] ?? 0,
      contexts: this.contexts[user] ?? 0,
      cells: this.cells[user] ?? 0,
    };
  }
  #allowed(a: Account): { readonly may: MayTake; readonly dry: number } {
    const { p } = this,
      longest = cellsOf(p.frameBytes),
      tokens = Math.floor(a.given / parts) - a.bytes,
      contexts = Math.min(p.contexts, a.limits.contexts) - a.contexts,
      cells = Math.min(p.cells, a.limits.cells) - a.cells;
    const some = a.limits.limited !== 1 || tokens > 0,
      many = a.limits.limited !== 1 || tokens >= 2 ** Math.ceil(Math.log2(blindTakes * p.frameBytes)),
      plenty = flag(many && contexts > blindTakes && cells >= (blindTakes + 1) * longest);
    return {
      may: {
        arrival: [plenty, flag(some && contexts > 1), within(cells - longest, longest)],
        loop: [plenty, flag(some && contexts > 0), within(cells, longest)],
      },
      dry: flag(!some),
    };
  }
  /** What a user has been given with a part: to one share saved at most, and less when the share is less. */
  #withPart({ limits, given, bytes }: Account): number {
    return Math.min(given + limits.bytes, parts * (bytes + limits.bytes));
  }
  #show(due: Due | undefined): void {
    if (!due) return;
    const { may, dry } = this.#allowed(due.account);
    this.may[due.user] = may;
    this.dry[due.user] = dry;
  }
  /** The cycle is over. */
  step({ took, released, part, write }: Brought): void {
    const turn = this.#cycle % this.p.users,
      { closed } = this;
    // A take shows before a turn of the same cycle.
    const shown = [this.#seen, this.#spent],
      gets = this.#gets,
      back = this.#released;
    this.#gets = this.#seen?.gets ? { user: this.#seen.user, given: this.#withPart(this.#seen.account) } : undefined;
    this.#seen = closed ? undefined : { user: turn, account: this.#account(turn), gets: this.#due.has(turn) };
    this.#spent = undefined;
    if (took) {
      const a = this.#account(took.user),
        bytes = a.limits.limited === 1 ? took.bytes : 0;
      this.#spent = {
        user: took.user,
        account: { ...a, bytes: a.bytes + bytes, contexts: a.contexts + 1, cells: a.cells + took.cells },
      };
      this.#used[took.user] = a.bytes + bytes;
      this.contexts[took.user] = a.contexts + 1;
      this.cells[took.user] = a.cells + took.cells;
    }
    for (const due of shown) this.#show(due);
    if (gets) this.#given[gets.user] = gets.given;
    if (back) {
      this.contexts[back.user] = (this.contexts[back.user] ?? 0) - 1;
      this.cells[back.user] = (this.cells[back.user] ?? 0) - back.cells;
    }
    this.#released = released;
    this.#due.delete(turn);
    if (part) for (let u = 0; u < this.p.users; u++) this.#due.add(u);
    if (write && write.index < this.p.users) this.limits[write.index] = write.value;
    this.#cycle++;
  }
}
