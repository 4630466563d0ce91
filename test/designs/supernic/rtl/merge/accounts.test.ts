/** Accounts alone, beside a model: what each head's user may take is compared in every cycle. */
import { describe, expect, test } from "vitest";
import { Accounts, type MergeParameters } from "../../../../../designs/supernic/rtl/merge/index.ts";
import { tableWrite } from "../../../../../designs/supernic/wire/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { entryOf } from "../../support/tables.ts";
import { AccountModel, type Brought, type Limits } from "./support/account-model.ts";
import { cellsOf, sizes } from "./support/merge-rig.ts";

const builds = {
  ...{ small: sizes.small, odd: sizes.odd, scarce: sizes.scarce, full: sizes.full },
  /** All is cleared within a cycle: what a reset does not stop shows behind it. */
  one: { ...sizes.small, users: 1 },
} as const satisfies Readonly<Record<string, MergeParameters>>;
type Size = keyof typeof builds;
const dut = (size: Size) => Accounts(builds[size]);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** Classes of users at each port and at the loop port. */
const classes = 4;
const longestFrame = 2 ** 14 - 1;

interface Pace {
  readonly takes: number;
  readonly releases: number;
  /** Chance of a part where one may be. */
  readonly parts: number;
  readonly writes: number;
}

class Rig {
  readonly b: B;
  readonly p: MergeParameters;
  readonly model: AccountModel;
  /** Frames that are held. */
  readonly #held: { readonly user: number; readonly cells: number }[] = [];
  #sincePart = 0;

  constructor(b: B, size: Size) {
    this.b = b;
    this.p = builds[size];
    this.model = new AccountModel(this.p);
  }
  async cycle(brought: Brought = {}): Promise<void> {
    const { b, p } = this,
      { io } = b,
      { took, released, part, write } = brought,
      heads = (p.ports + 1) * classes;
    // Whose a head is says nothing when there is none; the table has room for users that there are not.
    const whose = Array.from({ length: heads }, () => b.random.below(p.users));
    for (const [i, user] of whose.entries()) poke(io.whose.at(i) as never, user as never);
    const some = { user: b.random.below(p.users), bytes: b.random.between(0, longestFrame), cells: 1 };
    poke(io.took as never, { valid: took ? 1 : 0, ...(took ?? some) } as never);
    poke(io.released as never, { valid: released ? 1 : 0, ...(released ?? { user: some.user, cells: 1 }) } as never);
    io.part.value = part ? 1 : 0;
    const limits: Limits = write?.value ?? { limited: 1, bytes: 1, contexts: 1, cells: 1 },
      index = write?.index ?? some.user,
      { value } = tableWrite("user", 0, { ...limits, class: b.random.below(4) });
    poke(io.users as never, { en: write ? 1 : 0, index, value: entryOf("user", value) } as never);
    await b.cycles(1);
    this.#compare(whose);
    this.model.step(brought);
    this.#sincePart = part ? 0 : this.#sincePart + 1;
  }
  #compare(whose: readonly number[]): void {
    const { io, cycle } = this.b,
      { model, p } = this;
    const same = (what: string, is: unknown, wanted: unknown): void => {
      if (JSON.stringify(is) !== JSON.stringify(wanted))
        throw new Error(`${what} in cycle ${cycle}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
    };
    same("closed", io.closed.num, model.closed ? 1 : 0);
    same(
      "dry",
      io.dry.num,
      model.dry.reduce((sum, is, u) => sum + is * 2 ** u, 0),
    );
    // Nobody may take anything while it is closed, whatever else is said.
    if (model.closed) return;
    for (const [i, user] of whose.entries()) {
      const a = io.allowed.at(i)!,
        may = model.may[user]!;
      same(
        `head ${i}, user ${user}`,
        [a.plenty.num, a.one.num, a.cells.num],
        i < p.ports * classes ? may.arrival : may.loop,
      );
    }
  }
  /** A take of one who may, as far as the device has room for it. */
  take(bytes: number, user = this.b.random.below(this.p.users)): Brought["took"] {
    const { p, model } = this,
      cells = this.b.random.between(0, cellsOf(p.frameBytes)),
      all = this.#held.reduce((sum, f) => sum + f.cells, 0);
    if (model.closed || !model.mayTake(user) || this.#held.length === p.contexts || all + cells > p.cells)
      return undefined;
    this.#held.push({ user, cells });
    return { user, bytes, cells };
  }
  release(): Brought["released"] {
    return this.#held.splice(this.b.random.below(Math.max(1, this.#held.length)), 1)[0];
  }
  mayPart(): boolean {
    return this.#sincePart >= 2 * this.p.users;
  }
  /** Entries of all kinds: few and many of each, more than there is, and users that there are not. */
  write(): Brought["write"] {
    const { random: r } = this.b,
      { p } = this,
      longest = cellsOf(p.frameBytes);
    const value: Limits = {
      limited: r.chance(0.7) ? 1 : 0,
      bytes: r.chance(0.5) ? r.between(0, 5_000) : r.between(0, 200_000),
      contexts: r.chance(0.5) ? r.between(0, 8) : r.chance(0.5) ? r.between(0, p.contexts + 1) : r.between(0, 511),
      cells: r.chance(0.6) ? r.between(0, 8 * longest) : r.chance(0.5) ? r.between(0, p.cells + 1) : r.between(0, 2047),
    };
    return { index: r.chance(0.2) ? r.between(p.users, 63) : r.below(p.users), value };
  }
  async traffic(cycles: number, pace: Pace): Promise<void> {
    const { random: r } = this.b;
    for (let i = 0; i < cycles; i++) {
      // What goes was held before this cycle.
      const released = r.chance(pace.releases) ? this.release() : undefined,
        took = r.chance(pace.takes) ? this.take(r.chance(0.8) ? r.between(0, 900) : longestFrame) : undefined;
      await this.cycle({
        took,
        released,
        part: this.mayPart() && r.chance(pace.parts),
        write: r.chance(pace.writes) ? this.write() : undefined,
      });
    }
  }
  /** All is offered in the cycle of the reset. */
  reset(): void {
    const { io } = this.b;
    poke(io.took as never, { valid: 1, user: this.p.users - 1, bytes: 100, cells: 1 } as never);
    poke(io.released as never, { valid: 1, user: 0, cells: 1 } as never);
    io.part.value = 1;
    io.users.en.value = 0;
    this.b.sim.reset(1);
    this.model.reset();
    this.#held.splice(0);
    this.#sincePart = 0;
  }
}

const paces: readonly Pace[] = [
  { takes: 0.5, releases: 0.5, parts: 1, writes: 0.02 },
  { takes: 1, releases: 1, parts: 0.5, writes: 0 },
  { takes: 1, releases: 0.3, parts: 0.1, writes: 0.05 },
  { takes: 0.1, releases: 1, parts: 1, writes: 0.01 },
];

async function life(b: B, size: Size): Promise<void> {
  const rig = new Rig(b, size);
  for (let u = 0; u < rig.p.users; u++) await rig.cycle({ write: { ...rig.write()!, index: u } });
  // Just behind the last user there is none.
  for (const index of [rig.p.users, 63]) await rig.cycle({ write: { ...rig.write()!, index } });
  for (const pace of paces) await rig.traffic(400, pace);
}
async function resets(b: B, size: Size): Promise<void> {
  const rig = new Rig(b, size);
  for (let i = 0; i < 30; i++) {
    await rig.traffic(b.random.between(1, 60), paces[i % paces.length]!);
    rig.reset();
  }
}
/** One who uses all that he is given, the largest share: numbers of bytes wrap, and nothing is lost. */
async function wraps(b: B): Promise<void> {
  const rig = new Rig(b, "small"),
    value = { limited: 1, bytes: 2 ** 24 - 1, contexts: 32, cells: 64 };
  for (let index = 0; index < rig.p.users; index++) await rig.cycle({ write: { index, value } });
  for (let i = 0; i < 9_500; i++) {
    const released = i > 4 ? rig.release() : undefined;
    await rig.cycle({ took: rig.take(longestFrame, 2), released, part: rig.mayPart() });
  }
}

describe("Accounts", () => {
  testOfResets(dut("small"), { beside: { allowed: "" } }, b => life(b, "small"));
  for (const size of Object.keys(builds) as Size[]) {
    bench(`${size}: what each may take, in every cycle`, dut(size), { seed: 3 }, b => life(b, size));
    bench(`${size}: a reset beside all that comes; the table stays`, dut(size), { seed: 4 }, b => resets(b, size));
  }
  bench("numbers of bytes wrap", dut("small"), { seed: 5 }, wraps);

  // One who has nothing, and takes all the same.
  const limited = { limited: 1, bytes: 0, contexts: 8, cells: 8 },
    takes: Brought = { took: { user: 1, bytes: 64, cells: 0 } };
  const settle = async (rig: Rig): Promise<void> => {
    for (let i = 0; i < 3 * rig.p.users + 10; i++) await rig.cycle();
  };
  const misuse: readonly (readonly [string, (rig: Rig) => Promise<void>])[] = [
    [
      "behind an entry and a part",
      async rig => {
        await rig.cycle({ write: { index: 1, value: limited } });
        await rig.cycle({ part: true });
        await settle(rig);
      },
    ],
    [
      "behind a reset, whatever came before it",
      async rig => {
        await rig.cycle({ write: { index: 1, value: limited } });
        rig.reset();
        await settle(rig);
      },
    ],
  ];
  test.each(misuse)("a take without tokens is told: %s", async (_, prepare) => {
    const broken = runBench("misuse", dut("small"), { wave: false, seed: 2 }, async b => {
      const rig = new Rig(b, "small");
      await settle(rig);
      await prepare(rig);
      await rig.cycle(takes);
    });
    await expect(broken).rejects.toThrow("who takes a frame has tokens");
  });
  bench("an entry counts against takes from the next part on", dut("small"), {}, async b => {
    const rig = new Rig(b, "small");
    await settle(rig);
    await rig.cycle({ write: { index: 1, value: limited } });
    await settle(rig);
    await rig.cycle(takes);
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of [life, resets].entries())
        await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, b => run(b, "small"));
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["an entry of a user that there is not", "users_en & (users_index < 6'd4)", "users_en"],
      ["a part is lost beside a turn", "due <= part ? 4'd15 : due", "due <= due"],
      ["a user of this part gets another one", "due & ~due_joined", "due"],
      ["what is released counts for who takes", "released_q_user <= released_user", "released_q_user <= took_user"],
      ["an arrival leaves no context", "spent_contexts_left > 7'd1", "spent_contexts_left > 7'd0"],
      ["all who take have a limit", /counted_bytes = [^;]*;/, "counted_bytes = took_bytes;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
