/** What packets hold comes back, whoever gives it back, and while the packet store takes no cell. */
import { describe, expect, test } from "vitest";
import { Releases } from "../../../../../designs/supernic/rtl/egress/releases.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyValue, scramble } from "../../support/any-value.ts";

const sizes = {
  ...{ ports: 4, users: 16, contexts: 256, cells: 1024, frameBytes: 1536, macs: 64 },
  pauseCycles: 2_500_000,
} as const;
const dut = Releases(sizes);
type Ports = typeof dut.ports;
type B = Bench<Ports>;
type From = "left" | "dropped" | "cleared";
const froms: readonly From[] = ["left", "dropped", "cleared"];
const cellBeats = 4;

/** Packets with a note each, given back in random order by all three. */
class Rig {
  readonly b: B;
  readonly sources;
  readonly cells;
  /** What contexts that are in hold, and of those that were sent back, by who did. */
  readonly holds = new Map<number, { readonly user: number; readonly firstCell: number; readonly beats: number }>();
  readonly sent: Record<From, number[]> = { left: [], dropped: [], cleared: [] };
  readonly turns: From[] = [];
  released = 0;
  #resetting = false;
  #free = Array.from({ length: sizes.contexts }, (_, i) => i);
  #account: { readonly user: number; readonly cells: number } | undefined;

  constructor(b: B, pauses: { readonly from: () => Pause; readonly cells: Pause }) {
    this.b = b;
    const of = (name: From) => new StreamSource(b.sim, b.io[name], { pause: pauses.from() });
    this.sources = { left: of("left"), dropped: of("dropped"), cleared: of("cleared") };
    this.cells = new StreamSink(b.sim, b.io.cells, { pause: pauses.cells });
    b.io.note.en.value = 0;
    b.onEdge({ sample: () => this.#sample() });
  }
  /** A packet comes, in this cycle. What stands at the note without one counts for nobody. */
  async note(): Promise<number> {
    const { note } = this.b.io,
      [ctx] = this.#free.splice(this.b.random.below(this.#free.length), 1);
    if (ctx === undefined) throw new Error("no context is free");
    scramble(this.b.random, note);
    note.en.value = 1;
    note.ctx.value = ctx;
    // A payload has as many beats as its frame has at most, or none.
    const values = anyValue(this.b.random, note.holds),
      beats = this.b.random.chance(0.3) ? 0 : this.b.random.between(1, 24),
      holds = { user: values.user, firstCell: Number(values.firstCell), beats };
    note.holds.user.value = holds.user;
    note.holds.firstCell.value = holds.firstCell;
    note.holds.beats.value = beats;
    this.holds.set(ctx, holds);
    await this.b.cycles(1);
    scramble(this.b.random, note);
    note.en.value = 0;
    return ctx;
  }
  giveBack(from: From, ctx: number): void {
    this.sent[from].push(ctx);
    this.sources[from].send(ctx);
  }
  #sample(): void {
    if (this.#resetting) return;
    const { io } = this.b;
    const account = this.#account;
    if ((io.released.valid.value !== 0) !== (account !== undefined)) throw new Error("told a cycle behind, and once");
    if (account !== undefined)
      expect([io.released.user.num, io.released.cells.num]).toEqual([account.user, account.cells]);
    this.#account = undefined;
    const cell = this.cells.take();
    if (io.release.valid.value === 0) {
      if (cell !== undefined) throw new Error("a cell comes back without its context");
      return;
    }
    const ctx = io.release.ctx.num,
      from = froms.find(f => this.sent[f][0] === ctx),
      holds = this.holds.get(ctx);
    if (from === undefined || holds === undefined) throw new Error(`context ${ctx} is released and was not given back`);
    this.sent[from].shift();
    this.turns.push(from);
    this.holds.delete(ctx);
    this.#free.push(ctx);
    const cells = Math.ceil(holds.beats / cellBeats);
    expect(cell?.value.first, `the first cell of context ${ctx}`).toBe(cells > 0 ? holds.firstCell : undefined);
    this.#account = { user: holds.user, cells };
    this.released++;
  }
  reset(): void {
    for (const f of froms) {
      this.sources[f].forget();
      this.sent[f].splice(0);
    }
    this.#free = Array.from({ length: sizes.contexts }, (_, i) => i);
    this.holds.clear();
    this.#account = undefined;
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.cells.received.splice(0);
  }
}

async function randomly(b: B): Promise<void> {
  const { random: r } = b,
    rig = new Rig(b, { from: () => bernoulli(r.pick([0, 0.4, 0.8]), r.word()), cells: bernoulli(0.5, r.word()) });
  for (let round = 0; round < 8; round++) {
    // Behind a reset only one of them gives back, whoever was waiting before.
    const who = round % 2 === 0 ? [r.pick(froms)] : froms;
    const inside: number[] = [];
    for (let i = 0; i < 150; i++) {
      if (r.chance(0.6) && rig.holds.size < 200) inside.push(await rig.note());
      else await b.cycles(1);
      while (inside.length > 20 || (inside.length > 0 && r.chance(0.3)))
        rig.giveBack(r.pick(who), inside.splice(r.below(inside.length), 1)[0] ?? 0);
    }
    if (round % 2 === 1) rig.reset();
    else await b.until(() => froms.every(f => rig.sent[f].length === 0));
    await b.cycles(3);
  }
  expect(rig.released).toBeGreaterThan(300);
}
/** All three give back all the time: one in every cycle, in turns, a cycle behind. */
async function fullRate(b: B): Promise<void> {
  const rig = new Rig(b, { from: () => never, cells: never }),
    all: number[] = [];
  for (let i = 0; i < 60; i++) all.push(await rig.note());
  all.forEach((ctx, i) => rig.giveBack(froms[i % 3] ?? "left", ctx));
  await b.cycles(1 + 1 + 60);
  expect(rig.released).toBe(60);
  for (let i = 0; i + 3 <= 60; i++) expect(new Set(rig.turns.slice(i, i + 3)).size).toBe(3);
}

const runs = { randomly, fullRate };
describe("Releases", () => {
  bench("everything comes back once, with what it holds", dut, { seed: 1, hangCycles: 500 }, randomly);
  bench("one in every cycle, in turns", dut, { seed: 2 }, fullRate);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 500, limitCycles: 20_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a context goes before its cell is taken", "~has_cells | cells_ready", "1'b1"],
      [
        "a cell comes back with every packet",
        "cells_valid = releasing_full & has_cells",
        "cells_valid = releasing_full",
      ],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
