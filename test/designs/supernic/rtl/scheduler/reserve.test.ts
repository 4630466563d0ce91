import { describe, expect, test } from "vitest";
import { type PickParameters, Reserve } from "../../../../../designs/supernic/rtl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type Candidate, type Chosen, ReserveModel, type Seen, type Started } from "./support/reserve-model.ts";

const sizes = {
  one: { regions: 1, slots: 1, users: 1 },
  small: { regions: 2, slots: 3, users: 3 },
  full: { regions: 4, slots: 4, users: 16 },
  largest: { regions: 8, slots: 8, users: 16 },
} as const satisfies Readonly<Record<string, PickParameters>>;
type Size = keyof typeof sizes;
const dut = (size: Size) => Reserve(sizes[size]);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

interface Queue {
  list: { run: readonly number[]; over: boolean }[];
  /** Cycles until the packet that stopped short is back with the rest of its run. */
  back: number;
  rest: readonly number[];
}
const word = (slots: Iterable<number>): number => [...slots].reduce((n, s) => n | (1 << s), 0);

/** Queues, credits and turns around the reservation, and the rules beside it. */
class Rig {
  readonly b: B;
  readonly p: PickParameters;
  model: ReserveModel;
  readonly limit: number;
  /** By region, user, kind. */
  readonly queues: Queue[][][];
  readonly busy: boolean[][];
  readonly held: number[][];
  readonly waits: Set<number>[][];
  last: number[][] = [];
  /** How often a slot is busy, and a held credit comes back. */
  busyPart = 0.1;
  backPart = 0.2;
  readonly met = { whole: 0, short: 0, gone: 0, busy: 0, credit: 0, turn: 0, again: 0, later: 0, slow: 0 };
  #choice: Chosen | undefined;
  #due: Chosen | undefined;
  #seen: Seen | undefined;
  #began: Started | undefined;
  #cycle = 0;

  constructor(b: B, size: Size, limit = 3) {
    this.b = b;
    this.p = sizes[size];
    this.limit = limit;
    this.model = new ReserveModel(this.p);
    const { regions, slots, users } = this.p,
      each = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);
    this.queues = each(regions, () => each(users, () => each(2, (): Queue => ({ list: [], back: 0, rest: [] }))));
    this.busy = each(regions, () => each(slots, () => false));
    this.held = each(regions, () => each(slots, () => 0));
    this.waits = each(regions, () => each(slots, () => new Set<number>()));
    this.#forget();
    this.#drive(undefined);
  }
  #forget(): void {
    const { regions, slots, users } = this.p;
    this.last = Array.from({ length: regions }, () => Array.from({ length: slots }, () => users - 1));
    this.model = new ReserveModel(this.p);
    this.#choice = this.#due = this.#seen = this.#began = undefined;
    this.#lacked = false;
  }
  #heads(region: number, user: number): { head: Candidate | undefined; next: readonly number[] | undefined }[] {
    return this.queues[region]![user]!.map(q =>
      q.back > 0 ? { head: undefined, next: undefined } : { head: q.list[0], next: q.list[1]?.run },
    );
  }
  #drive(choice: Chosen | undefined): void {
    const { io, random } = this.b,
      { regions, slots, users } = this.p;
    const put = (port: B["io"]["due"], c: Chosen | undefined): void => {
      port.valid.value = c === undefined ? 0 : 1;
      port.region.value = c?.region ?? random.below(regions);
      port.slot.value = c?.slot ?? random.below(slots);
      port.user.value = c?.user ?? random.below(users);
    };
    put(io.choice, choice);
    put(io.due, this.#due);
    const heads = choice === undefined ? [] : this.#heads(choice.region, choice.user);
    [0, 1].forEach(k => {
      io.found[k]!.run.value = word(heads[k]?.head?.run ?? []);
      io.found[k]!.over.value = heads[k]?.head?.over === true ? 1 : 0;
      io.found[k]!.next.value = word(heads[k]?.next ?? []);
    });
    this.held.forEach((held, r) => {
      const free = held.map(n => this.limit - n),
        slotsOf = (is: (s: number) => boolean): number => word(held.map((_, s) => s).filter(is));
      io.busy[r]!.value = slotsOf(s => this.busy[r]![s]!);
      io.has[r]!.value = slotsOf(s => free[s]! > 0);
      io.hasTwo[r]!.value = slotsOf(s => free[s]! > 1);
      held.forEach((_, s) => (io.waits[r * slots + s]!.value = word(this.waits[r]![s]!)));
    });
  }
  #see({ region, user }: Chosen): Seen {
    return {
      queues: this.#heads(region, user).map(q => ({ head: q.head && { ...q.head }, next: q.next })),
      busy: [...this.busy[region]!],
      free: this.held[region]!.map(n => Math.min(2, this.limit - n)),
      waits: this.waits[region]!.map(w => new Set(w)),
      last: [...this.last[region]!],
    };
  }

  /** A cycle with a choice; the one before is due unless it was taken back. */
  async cycle(choice: Chosen | undefined): Promise<Started | undefined> {
    const { io } = this.b;
    this.#drive(choice);
    await this.b.cycles(1);
    this.#cycle++;
    const verdict = this.#due && this.model.decide(this.#due, this.#seen!, this.#began);
    const started = verdict !== undefined && "slots" in verdict ? verdict : undefined,
      lacks = verdict !== undefined && "lacks" in verdict;
    const start = io.start,
      got = [start.valid.num, io.lacks.num];
    expect(got, `verdict in cycle ${this.#cycle}`).toEqual([started ? 1 : 0, this.#lacked ? 1 : 0]);
    this.#lacked = lacks;
    this.last.flat().forEach((n, at) => expect(io.turns[at]!.num, `turn ${at} in cycle ${this.#cycle}`).toBe(n));
    if (started) {
      const seen = [start.region, start.user, start.slow, start.slots, start.short].map(x => x.num);
      const { region, user, kind, slots, short } = started;
      expect(seen, `start in cycle ${this.#cycle}`).toEqual([region, user, kind, word(slots), short ? 1 : 0]);
    }
    this.#count(verdict, started);
    this.#apply(started);
    this.#seen = choice && this.#snapshot;
    this.#began = started;
    const takenBack = lacks && choice?.region === this.#due?.region && choice?.slot === this.#due?.slot;
    this.#due = takenBack || this.b.random.chance(this.#loses) ? undefined : choice;
    return started;
  }
  #snapshot: Seen | undefined;
  #loses = 0;
  /** What was due in the cycle before lacked something. */
  #lacked = false;
  #count(verdict: unknown, started: Started | undefined): void {
    const v = verdict as { lacks?: "busy" | "credit" | "turn"; gone?: true } | undefined;
    if (v?.gone) this.met.gone++;
    if (v?.lacks) this.met[v.lacks]++;
    if (started === undefined) return;
    this.met[started.short ? "short" : "whole"]++;
    if (started.moves.length > 1) this.met.later++;
    if (started.kind === 1) this.met.slow++;
    const b = this.#began;
    if (b?.region === started.region && b.user === started.user && b.kind === started.kind) this.met.again++;
  }
  #apply(s: Started | undefined): void {
    if (s === undefined) return;
    const q = this.queues[s.region]![s.user]![s.kind]!,
      head = q.list.shift()!;
    for (const slot of s.slots) {
      this.held[s.region]![slot]!++;
      expect(this.held[s.region]![slot], `credits of region ${s.region}, slot ${slot}`).toBeLessThanOrEqual(this.limit);
    }
    for (const slot of s.moves) this.last[s.region]![slot] = s.user;
    if (!s.short) return;
    q.rest = head.run.slice(s.slots.length);
    q.back = this.b.random.between(1, 12);
  }
  /** What happens around it in a cycle: packets come, credits come back, tasks are busy, others wait. */
  #world(): void {
    const { random } = this.b,
      { regions, slots, users } = this.p;
    for (let n = 0; n < 3; n++) {
      const q = this.queues[random.below(regions)]![random.below(users)]![random.below(2)]!,
        run = Array.from({ length: slots }, (_, s) => s).filter(() => random.chance(0.6));
      if (q.list.length < 4 && run.length > 0) q.list.push({ run, over: false });
      const r = random.below(regions),
        waits = this.waits[r]![random.below(slots)]!,
        u = random.below(users);
      if (random.chance(0.4)) waits.add(u);
      else waits.delete(u);
      this.busy[r]![random.below(slots)] = random.chance(this.busyPart);
    }
    this.held.forEach(h => h.forEach((n, s) => (h[s] = n > 0 && random.chance(this.backPart) ? n - 1 : n)));
    for (const q of this.queues.flat(2)) {
      if (q.back > 0 && --q.back === 0) q.list.unshift({ run: q.rest, over: false });
      if (q.back === 0 && q.list[0] && random.chance(0.03)) q.list[0].over = true;
    }
  }
  /** One that waits, or anyone; and often who was chosen before. */
  #any(): Chosen | undefined {
    const { random } = this.b,
      { regions, slots, users } = this.p;
    if (random.chance(0.1)) return undefined;
    const same = this.#choice !== undefined && random.chance(0.5),
      region = same ? this.#choice!.region : random.below(regions),
      user = same && random.chance(0.7) ? this.#choice!.user : random.below(users),
      head = this.#heads(region, user)[random.below(2)]!.head;
    return { region, user, slot: random.chance(0.9) ? (head?.run[0] ?? 0) : random.below(slots) };
  }
  async traffic(cycles: number): Promise<void> {
    this.#loses = 0.1;
    for (let n = 0; n < cycles; n++) {
      this.#world();
      this.#choice = this.#any();
      this.#snapshot = this.#choice && this.#see(this.#choice);
      await this.cycle(this.#choice);
    }
    this.#loses = 0;
  }
  /** Chooses one, without a world. */
  async choose(choice: Chosen): Promise<Started | undefined> {
    this.#snapshot = this.#see(choice);
    return this.cycle(choice);
  }
  /** Chooses one and the same, without a world. */
  async only(choice: Chosen, cycles: number): Promise<(Started | undefined)[]> {
    const list: (Started | undefined)[] = [];
    for (let n = 0; n < cycles; n++) {
      list.push(await this.choose(choice));
    }
    return list;
  }
  reset(): void {
    this.b.sim.reset(1);
    this.#forget();
    this.#drive(undefined);
  }
}

async function life(b: B, size: Size, cycles = 1_500): Promise<Rig> {
  const rig = new Rig(b, size);
  for (const [busy, back] of [
    [0, 0.5],
    [0.2, 0.2],
    [0.02, 0.05],
  ] as const) {
    rig.busyPart = busy;
    rig.backPart = back;
    await rig.traffic(cycles / 3);
  }
  return rig;
}
/** The two kinds of each user, in each region and at each slot, start in turn, whoever starts in between. */
async function inTurn(b: B, size: Size): Promise<void> {
  const rig = new Rig(b, size, 1_000),
    { regions, slots, users } = rig.p,
    runs = (slot: number) => Array.from({ length: 4 }, () => ({ run: [slot], over: false })),
    all = Array.from({ length: regions * users }, (_, i) => ({ region: i % regions, user: Math.floor(i / regions) }));
  for (let round = 0; round < 4; round++) {
    for (const [i, { region, user }] of all.entries()) {
      const choice = { region, user, slot: (i + round) % slots },
        kinds = rig.queues[region]![user]!;
      for (const q of kinds) q.list = runs(choice.slot);
      // Once, twice or three times in a row: so the turns of users beside each other differ.
      for (let n = b.random.between(1, 3); n > 0; n--) await rig.choose(choice);
    }
  }
}
async function resets(b: B, size: Size): Promise<void> {
  const rig = new Rig(b, size);
  for (let round = 0; round < 30; round++) {
    await rig.traffic(b.random.between(1, 40));
    rig.reset();
  }
  await rig.traffic(100);
}

describe("Reserve", () => {
  for (const size of Object.keys(sizes) as Size[]) {
    bench(`${size}: what starts, with which slots and turns, in every cycle`, dut(size), { seed: 3 }, async b => {
      const { met } = await life(b, size, size === "largest" ? 300 : 1_500);
      if (size === "small") expect(Math.min(...Object.values(met)), JSON.stringify(met)).toBeGreaterThan(10);
    });
    if (size === "small" || size === "largest")
      bench(`${size}: each user's two kinds start in turn, in each region`, dut(size), { seed: 6 }, b =>
        inTurn(b, size),
      );
    bench(`${size}: a reset beside traffic`, dut(size), { seed: 4 }, b => resets(b, size));
  }
  bench(
    "a queue alone starts every cycle, in the cycle in which it is due, until a credit lacks",
    dut("full"),
    {},
    async b => {
      const rig = new Rig(b, "full", 9);
      rig.queues[2]![7]![0]!.list = Array.from({ length: 40 }, () => ({ run: [0, 2, 3], over: false }));
      const list = await rig.only({ region: 2, slot: 0, user: 7 }, 14);
      expect(list.map(s => (s === undefined ? 0 : 1)).join("")).toBe("01111111110000");
      expect(rig.held[2]).toEqual([9, 0, 9, 9]);
    },
  );
  bench("a user's two kinds start in turn, and one alone every cycle", dut("full"), {}, async b => {
    const rig = new Rig(b, "full", 30),
      choice = { region: 1, slot: 1, user: 4 };
    const fill = (n: number) => Array.from({ length: n }, () => ({ run: [1], over: false }));
    [rig.queues[1]![4]![0]!.list, rig.queues[1]![4]![1]!.list] = [fill(6), fill(12)];
    const kinds = (await rig.only(choice, 19)).map(s => s?.kind);
    expect(kinds.slice(1)).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1]);
  });
  bench("a user passes a slot once, then the turn is of who waits there", dut("full"), {}, async b => {
    const rig = new Rig(b, "full", 20);
    rig.queues[0]![3]![0]!.list = Array.from({ length: 9 }, () => ({ run: [0, 1], over: false }));
    rig.waits[0]![1]!.add(11);
    const list = await rig.only({ region: 0, slot: 0, user: 3 }, 8);
    expect(list.map(s => (s === undefined ? 0 : 1)).join("")).toBe("01000000");
    expect(rig.met.turn).toBeGreaterThan(0);
    rig.queues[0]![3]![0]!.list[0]!.over = true;
    const short = (await rig.only({ region: 0, slot: 0, user: 3 }, 4)).find(Boolean);
    expect(short).toMatchObject({ slots: [0], short: true });
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [
        b => life(b, "small"),
        b => inTurn(b, "small"),
        b => resets(b, "small"),
      ];
      for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a credit is given twice in a row", /took <= starting[^;]*;/, "took <= 3'd0;"],
      ["a start in another region takes this one's credit", "took <= starting & {3{same_region}}", "took <= starting"],
      ["the turn of the cycle before is not seen", /changed <= moves[^;]*;/, "changed <= 3'd0;"],
      ["the turn of the cycle before counts in all regions", "{3{started & same_region}}", "{3{started}}"],
      ["the turn moves although nobody started", "{3{started & same_region}}", "{3{same_region}}"],
      ["a candidate starts twice", /same_user = [^;]*;/, "same_user = 1'b0;"],
      ["a start in another region takes the candidate away", "same_user = same_region & (", "same_user = ("],
      ["the candidate is taken away although it lacks something", "fast_popped <= is_fast &", "fast_popped <="],
      ["one behind a packet that stopped short overtakes it", "{3{~began_short}}", "{3{1'b1}}"],
      ["the next one has the patience of the one before", /fast_over & ~\w+/, "fast_over"],
      ["a busy task does not hold the fast queue up", "fast_is_busy = |(fast_now & facts_busy)", "fast_is_busy = 1'b0"],
      [
        "a busy task holds nobody of the slow queue up",
        "slow_is_busy = |(slow_now & facts_busy)",
        "slow_is_busy = 1'b0",
      ],
      [
        "the turn counts at the first slot, too",
        /earlier_now = (.*) & behind_slot;/,
        "earlier_now = (facts_if_moved & changed) | (facts_earlier & ~changed);",
      ],
      ["the fast queue always first", /prefers_slow = [^;]*;/, "prefers_slow = 1'b0;"],
      [
        "the same kind starts again while both wait",
        "fast_popped | (slow_first & ~slow_popped)",
        "slow_popped | (slow_first & ~fast_popped)",
      ],
      ["a later slot's turn always goes on", "starting & facts_others", "starting"],
      [
        "a later slot's turn never goes on",
        "moves = fast_here_joined | (starting & facts_others)",
        "moves = fast_here_joined",
      ],
      [
        "the user itself is others",
        /wire \[2:0\] others_1 = [^;]*;/,
        "wire [2:0] others_1 = {3{1'b1}} & ((~choice_region ? waits_1 : waits_4));",
      ],
      ["a choice that was taken back starts", "started = due_valid & ", "started = "],
      ["a start in one region moves the other's turn", "started & due_region & moves[1]", "started & moves[1]"],
      ["who lacks something moves the turn", "started & ~due_region & moves[0]", "due_valid & ~due_region & moves[0]"],
      ["a turn is not reset", /if \(rst\) last_of_4 <= 2'd2;/, "if (1'b0) last_of_4 <= 2'd2;"],
      ["a candidate for another slot starts", /fast_here = [^;]*;/, "fast_here = |fast_now;"],
      ["a candidate that is gone lacks something", /lacks_q <= due_valid & \([^)]*\)/, "lacks_q <= due_valid"],
      ["the kinds' turn is not reset", /if \(rst\) slow_next_1 <= 3'd0;/, "if (1'b0) slow_next_1 <= 3'd0;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
