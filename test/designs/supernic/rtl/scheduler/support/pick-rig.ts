/** Candidates that come, wait for what they lack, and start; the model beside the hardware; and who waits how long. */
import { expect } from "vitest";
import { type PickParameters, PickTurn } from "../../../../../../designs/supernic/rtl/index.ts";
import type { Bench } from "../../../../../../sim/index.ts";
import { PickModel, type Place } from "./pick-model.ts";

export const sizes = {
  one: { regions: 1, slots: 1, users: 1 },
  small: { regions: 2, slots: 2, users: 3 },
  odd: { regions: 3, slots: 3, users: 5 },
  full: { regions: 4, slots: 4, users: 16 },
  largest: { regions: 8, slots: 8, users: 16 },
} as const satisfies Readonly<Record<string, PickParameters>>;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => PickTurn(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** From being ready to the first choice that can know of it, and to its being settled. */
const KNOWN = 7;
const word = (bits: readonly boolean[]): number => bits.reduce((n, is, i) => n + (is ? 2 ** i : 0), 0);

export class PickRig {
  readonly b: B;
  readonly p: PickParameters;
  model: PickModel;
  /** Candidates that wait, by slot of all regions and user; and whether they lack something. */
  readonly waiting: number[][];
  readonly lacks: boolean[][];
  /** Candidates that have started, by the same. */
  readonly started: number[][];
  readonly met = { lacks: 0, gone: 0, starts: 0, later: 0, again: 0 };
  /** Choices a later slot's turn goes on with; without them the shares are watched. */
  laterMoves = 0;
  #cycle = 0;
  /** Who has started in the cycle before: `ready` does not show it yet. */
  #unseen: Place | undefined;
  /** What was due in the cycle before lacked something. */
  #lacks = false;
  /** By slot and user: since when ready all the time, and starts of each other user since. */
  readonly #since: (number | undefined)[][];
  readonly #seen: number[][][];
  /** By slot: cycles in which it had somebody, and nothing was under way. */
  readonly #alone: number[];

  constructor(b: B, size: Size) {
    this.b = b;
    this.p = sizes[size];
    this.model = new PickModel(this.p);
    const { regions, slots, users } = this.p;
    const table = <T>(value: () => T): T[][] =>
      Array.from({ length: regions * slots }, () => Array.from({ length: users }, value));
    this.waiting = table(() => 0);
    this.lacks = table(() => false);
    this.started = table(() => 0);
    this.#since = table(() => undefined);
    this.#seen = table(() => Array.from({ length: users }, () => 0));
    this.#alone = this.waiting.map(() => 0);
    this.#drive([], []);
  }
  get places(): number {
    return this.waiting.length;
  }
  #drive(ready: readonly (readonly boolean[])[], more: readonly (readonly boolean[])[]): void {
    const { io } = this.b;
    for (let at = 0; at < this.places; at++) {
      io.ready[at]!.value = word(ready[at] ?? []);
      io.more[at]!.value = word(more[at] ?? []);
    }
    io.lacks.value = this.#lacks ? 1 : 0;
    this.model.last.forEach((n, at) => (io.turns[at]!.value = n));
  }
  #sees(name: string, port: B["io"]["due"], expected: Place | undefined): void {
    const { slots } = this.p,
      at = port.region.num * slots + port.slot.num;
    const seen = port.valid.num === 0 ? undefined : { at, user: port.user.num };
    expect(seen, `${name} in cycle ${this.#cycle}`).toEqual(expected);
  }
  /** What becomes of the choice that is due: the slots whose turn goes on, none if it does not start. */
  #settle(due: Place | undefined): number {
    const { random } = this.b;
    // Nothing is due: there is anything on the wire a cycle later.
    this.#lacks = due === undefined && random.chance(0.5);
    if (due === undefined) return 0;
    const is = this.waiting[due.at]![due.user]! > 0;
    this.#lacks = is && this.lacks[due.at]![due.user]!;
    if (!is) this.met.gone++;
    else if (this.#lacks) this.met.lacks++;
    else this.met.starts++;
    if (!is || this.#lacks) return 0;
    return (1 << (due.at % this.p.slots)) | (random.chance(this.laterMoves) ? random.below(2 ** this.p.slots) : 0);
  }

  async cycle(): Promise<void> {
    const { io } = this.b,
      lacked = this.#lacks;
    const shown = this.waiting.map((users, at) => users.map((n, u) => n + (this.#isUnseen(at, u) ? 1 : 0))),
      ready = shown.map((users, at) => users.map((n, u) => n > 0 && !this.lacks[at]![u]!)),
      more = shown.map(users => users.map(n => n > 1));
    this.#drive(ready, more);
    await this.b.cycles(1);
    this.#cycle++;
    const due = this.model.due(lacked && this.model.wasDue !== undefined);
    this.#sees("choice", io.choice, this.model.chosen);
    this.#sees("due", io.due, due);
    this.#watch(ready);
    const moves = this.#settle(due);
    this.#unseen = moves !== 0 ? due : undefined;
    if (due && moves !== 0) this.#start(due, moves);
    this.model.step(ready, more, lacked && this.model.wasDue !== undefined, moves);
  }
  #isUnseen(at: number, user: number): boolean {
    return this.#unseen?.at === at && this.#unseen.user === user;
  }
  #start({ at, user }: Place, moves: number): void {
    this.waiting[at]![user]!--;
    this.started[at]![user]!++;
    if ((moves & (moves - 1)) !== 0) this.met.later++;
    this.#seen[at]!.forEach((seen, other) => {
      const since = this.#since[at]![other];
      if (other === user) seen.fill(0);
      else if (since !== undefined && this.#cycle - since > KNOWN) seen[user]!++;
      if (this.laterMoves === 0)
        expect(seen[user], `starts of user ${user} while ${other} waits at slot ${at}`).toBeLessThan(2);
    });
  }
  /** Who waits since when; and no slot that has somebody waits longer than a round of all slots. */
  #watch(ready: readonly (readonly boolean[])[]): void {
    ready.forEach((users, at) => {
      users.forEach((is, u) => {
        if (!is) this.#seen[at]![u]!.fill(0);
        this.#since[at]![u] = is ? (this.#since[at]![u] ?? this.#cycle) : undefined;
      });
      const waits = users.some(Boolean) && !this.model.underWay(at);
      this.#alone[at] = waits ? this.#alone[at]! + 1 : 0;
      expect(this.#alone[at], `cycles that slot ${at} waits`).toBeLessThanOrEqual(this.places + 1);
    });
  }

  /** Random candidates: how full they keep the slots, and how often they lack something. */
  async traffic(cycles: number, o: { readonly busy: number; readonly lacking: number }): Promise<void> {
    const { random } = this.b,
      { users } = this.p;
    for (let n = 0; n < cycles; n++) {
      for (let i = 0; i < 3; i++) {
        const at = random.below(this.places),
          user = random.below(users);
        if (random.chance(o.busy) && this.waiting[at]![user]! < 4) this.waiting[at]![user]!++;
        this.lacks[at]![user] = random.chance(o.lacking);
      }
      // Nobody has anything new at a slot: a credit of it is used up, or there again.
      if (random.chance(0.05)) this.lacks[random.below(this.places)]!.fill(random.chance(o.lacking));
      await this.cycle();
    }
  }
  reset(): void {
    this.b.sim.reset(1);
    this.model = new PickModel(this.p);
    this.#lacks = false;
    this.#unseen = undefined;
    for (const list of this.#since) list.fill(undefined);
    for (const list of this.#seen) for (const seen of list) seen.fill(0);
    this.#alone.fill(0);
    this.#drive([], []);
  }
  /** Everybody starts in the end. */
  async end(): Promise<void> {
    for (const l of this.lacks) l.fill(false);
    const left = (): number => this.waiting.flat().reduce((a, b) => a + b, 0);
    for (let limit = 40 + 8 * left(); left() > 0; limit--) {
      expect(limit, "cycles until everybody has started").toBeGreaterThan(0);
      await this.cycle();
    }
    for (let n = 0; n < 8; n++) await this.cycle();
    expect([this.model.chosen, this.model.due(false)]).toEqual([undefined, undefined]);
  }
}
