/** The page table against a map, look by look, while software writes entries and pages run out. */
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { PageTable } from "../../../../../designs/supernic/rtl/memory/page-table.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  type Pause,
  peek,
  poke,
  runBench,
  StreamSource,
} from "../../../../../sim/index.ts";
import { portOf } from "../../../../../hdl-dsl/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyValue, scramble } from "../../support/any-value.ts";

const sizes = {
    ...{ ways: 3, pages: 32, spaces: 4, pageShift: 12, ppnBits: 6, freePages: 4 },
    frames: 40,
  } as const,
  dut = PageTable(sizes);
type Ports = typeof dut.ports;
type B = Bench<Ports>;
type Entry = ReturnType<typeof peek<B["io"]["pageWrite"]["value"]>>;
type Space = ReturnType<typeof peek<B["io"]["spaceWrite"]["value"]>>;
const wayNumbers = [0, 1, 2];
/** Cycles from a look to its verdict; and those behind it in which its entry is read, and judged. */
const latency = 5,
  reads = 3,
  judges = 4;

interface LookedUp {
  readonly way: number;
  readonly vpn: number;
  readonly write: boolean;
  readonly cycle: number;
  /** Its place, if it is inside its space; and what stood there when it was read, or that it changed meanwhile. */
  readonly page: number | undefined;
  readonly mayWrite: boolean;
  entry?: Entry;
  isStale: boolean;
  took?: number;
}

class Rig {
  readonly b: B;
  readonly looks;
  readonly free;
  readonly entries: Entry[] = [];
  readonly spaces: Space[] = [];
  readonly ways: { valid: number; space: number }[] = [];
  readonly stamps = new Map<number, number>();
  readonly seen = { mapped: 0, denied: 0, noPage: 0, remote: 0, again: 0, taken: 0 };
  /** Cycle of the last change of an entry, and of the last stamp. */
  #changed = 0;
  #stamped = 0;
  #under: LookedUp[] = [];
  #wanting = [0, 0];
  #resetting = false;

  constructor(b: B, pause: () => Pause) {
    const { sim, io } = b;
    this.b = b;
    this.looks = wayNumbers.map(way => new StreamSource(sim, portOf(io, "look", way), { pause: pause() }));
    this.free = new StreamSource(sim, io.free, { pause: pause() });
    this.quiet();
    io.wanting.value = io.seeAt.value = io.epoch.value = 0;
    b.onEdge({ sample: cycle => this.#sample(cycle) });
  }
  quiet(): void {
    for (const w of [this.b.io.wayWrite, this.b.io.spaceWrite, this.b.io.pageWrite]) {
      scramble(this.b.random, w);
      w.en.value = 0;
    }
  }
  /** Software writes an entry; it takes part in the looks of this cycle. */
  writes(index: number): void {
    const { io, random: r } = this.b,
      value = anyValue(r, io.pageWrite.value);
    poke(io.pageWrite, {
      en: 1,
      index,
      value: { ...value, valid: r.chance(0.9) ? 1 : 0, remote: r.chance(0.3) ? 1 : 0 },
    });
  }
  /** Nothing is looked up meanwhile. */
  async tables(): Promise<void> {
    const { io, random: r } = this.b;
    for (let i = 0; i < sizes.pages; i++) {
      this.writes(i);
      await this.b.cycles(1);
    }
    this.quiet();
    for (let i = 0; i < sizes.spaces; i++) {
      const value = { ...anyValue(r, io.spaceWrite.value), limit: r.pick([1, 4, 9, 32, 33, 63]) };
      this.spaces[i] = value;
      poke(io.spaceWrite, { en: 1, index: i, value });
      await this.b.cycles(1);
    }
    this.quiet();
    for (const way of wayNumbers) {
      if (r.chance(0.1)) continue;
      const value = { valid: r.chance(0.9) ? 1 : 0, space: r.below(sizes.spaces) };
      this.ways[way] = value;
      poke(io.wayWrite, { en: 1, index: way, value });
      await this.b.cycles(1);
      this.quiet();
    }
    await this.b.cycles(2);
  }
  look(way: number): void {
    const { random: r } = this.b,
      limit = Number(this.spaces[this.ways[way]?.space ?? 0]?.limit ?? 0),
      vpn = r.pick([r.below(limit), r.below(40), limit, limit - 1, r.below(1 << 23), 32 * (1 << r.below(18))]);
    this.looks[way]?.send({ vpn, write: r.below(2) });
  }
  #sample(cycle: number): void {
    if (this.#resetting) return;
    const { io } = this.b;
    const took = this.#take(cycle);
    // What changes in this cycle: of a look that reads it now nobody knows what it gets.
    const changes = io.pageWrite.en.value === 1 ? io.pageWrite.index.num : took?.page;
    for (const l of this.#under.filter(u => u.cycle + reads === cycle)) {
      if (l.page !== undefined) l.entry = { ...(this.entries[l.page] as Entry) };
      l.isStale = changes !== undefined && (l.page === changes || l.page === undefined);
    }
    this.#seen(cycle);
    this.#change(cycle, took);
    this.#verdicts(cycle);
    for (const way of wayNumbers) this.#lookedUp(way, cycle);
    this.#wanting = [this.#wanting[1] ?? 0, io.wanting.num];
  }
  /** A free page goes to a first touch, and to one that may have it. */
  #take(cycle: number): LookedUp | undefined {
    const { io } = this.b,
      takes = io.free.valid.value === 1 && io.free.ready.value === 1,
      l = this.#under.find(u => u.cycle + judges === cycle),
      isFirst = l !== undefined && this.#kind(l) === "noPage" && io.pageWrite.en.value === 0;
    const wanting = this.#wanting[1] ?? 0;
    if (takes && (!isFirst || (wanting !== 0 && ((wanting >> l.way) & 1) === 0)))
      throw new Error("a page goes to nobody who may have it");
    if (isFirst && io.free.valid.value === 1 && wanting === 0 && !takes)
      throw new Error("who touches first gets no page");
    if (!takes || l === undefined) return undefined;
    l.took = io.free.payload.num;
    this.seen.taken++;
    return l;
  }
  #change(cycle: number, took: LookedUp | undefined): void {
    const { io } = this.b;
    for (const l of this.#under.filter(u => u.cycle + judges === cycle))
      if (this.#kind(l) === "mapped" && l.page !== undefined) {
        this.stamps.set(l.page, io.epoch.num);
        this.#stamped = cycle;
      }
    if (io.pageWrite.en.value === 1) {
      const value = peek(io.pageWrite.value),
        isBeyond = value.present === 1 && value.ppn >= sizes.frames;
      this.entries[io.pageWrite.index.num] = { ...value, valid: isBeyond ? 0 : value.valid };
    } else if (took?.page !== undefined)
      this.entries[took.page] = { ...(took.entry as Entry), present: 1, remote: 0, ppn: took.took ?? 0 };
    else return;
    this.#changed = cycle;
  }
  #kind(l: LookedUp): keyof Rig["seen"] {
    if (l.isStale) return "again";
    const { entry } = l;
    if (l.page === undefined || entry?.valid !== 1) return "denied";
    if (l.write && !(entry.write === 1 && l.mayWrite)) return "denied";
    if (entry.present === 1 || l.took !== undefined) return "mapped";
    return entry.remote === 1 ? "remote" : "noPage";
  }
  #verdicts(cycle: number): void {
    const { io } = this.b;
    for (const way of wayNumbers) {
      const at = this.#under.findIndex(u => u.cycle + latency === cycle && u.way === way),
        verdict = io.verdict[way];
      if (verdict === undefined || verdict.valid.value !== (at < 0 ? 0 : 1))
        throw new Error(`way ${way} has a verdict, or none, at the wrong time`);
      const [l] = at < 0 ? [] : this.#under.splice(at, 1);
      if (l === undefined) continue;
      const wanted = this.#kind(l),
        kind: unknown = verdict.kind.value;
      // Of a look outside its space nobody knows what changes beside it.
      const may = l.page === undefined ? ["denied", "again"] : [wanted];
      if (!may.includes(kind as string)) throw new Error(`the verdict is ${String(kind)}, not ${wanted}`);
      this.seen[kind as typeof wanted]++;
      if (kind === "mapped") expect(verdict.ppn.num).toBe(l.took ?? l.entry?.ppn);
      if (kind === "mapped" || kind === "noPage" || kind === "remote") expect(verdict.page.num).toBe(l.page);
      // Who got no page waits for one, until another verdict.
      const bit = 1 << way;
      this.#want = kind === "noPage" ? this.#want | bit : this.#want & ~bit;
    }
    io.wanting.value = this.#want;
  }
  #want = 0;
  #lookedUp(way: number, cycle: number): void {
    const { io } = this.b,
      port = portOf(io, "look", way);
    if (port.valid.value === 0 || port.ready.value === 0) return;
    const vpn = port.payload.vpn.num,
      its = this.ways[way],
      space = its?.valid === 1 ? this.spaces[its.space] : undefined,
      at = Number(space?.base ?? 0) + vpn,
      isInside = space !== undefined && vpn < space.limit && at < sizes.pages;
    this.#under.push({
      ...{ way, vpn, write: port.payload.write.value === 1, cycle },
      ...{ page: isInside ? at : undefined, mayWrite: space?.write === 1, isStale: false },
    });
  }
  #seeAt = [0, 0, 0];
  /** An entry that stands still is seen as it is. */
  #seen(cycle: number): void {
    const { io } = this.b;
    this.#seeAt = [...this.#seeAt.slice(-3), io.seeAt.num];
    const [at] = this.#seeAt;
    if (at === undefined || this.#seeAt.some(x => x !== at) || this.#changed + 4 > cycle) return;
    const { stamp, ...entry } = peek(io.seen);
    if (!isDeepStrictEqual(entry, this.entries[at])) expect(entry).toEqual(this.entries[at]);
    const stamped = this.stamps.get(at);
    if (stamped !== undefined && this.#stamped + 4 <= cycle) expect(stamp).toBe(stamped);
  }
  async settled(): Promise<void> {
    await this.b.until(() => this.looks.every(l => l.pending === 0));
    await this.b.cycles(latency + 2);
    expect(this.#under).toEqual([]);
  }
  reset(): void {
    this.#resetting = true;
    for (const s of [...this.looks, this.free]) s.forget();
    this.quiet();
    this.#want = this.b.io.wanting.value = 0;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.#under = [];
    this.#wanting = [0, 0];
    this.ways.splice(0);
  }
}

async function looks(b: B): Promise<void> {
  const { random: r, io } = b,
    rig = new Rig(b, () => bernoulli(r.pick([0, 0.5]), r.word()));
  for (let round = 0; round < 16; round++) {
    await rig.tables();
    const pages = r.pick([0.02, 0.2, 1]);
    for (let n = 0; n < 120; n++) {
      rig.quiet();
      if (r.chance(0.15)) rig.writes(r.below(sizes.pages));
      for (const way of wayNumbers) if ((rig.looks[way]?.pending ?? 1) === 0 && r.chance(0.6)) rig.look(way);
      if (rig.free.pending === 0 && r.chance(pages)) rig.free.send(r.below(sizes.frames));
      if (r.chance(0.1)) io.seeAt.value = r.below(sizes.pages);
      if (r.chance(0.1)) io.epoch.value = r.below(1 << 16);
      await b.cycles(1);
    }
    rig.quiet();
    if (round % 3 === 2) {
      rig.reset();
      // Nobody has a space after a reset.
      for (const way of wayNumbers) rig.look(way);
    }
    await rig.settled();
    for (let i = 0; i < 6; i++) {
      io.seeAt.value = r.below(sizes.pages);
      await b.cycles(6);
    }
  }
  expect(Math.min(...Object.values(rig.seen))).toBeGreaterThan(5);
}
/** Who waits for a page gets one of so many as wait, and nobody else any: each page goes round. */
async function turns(b: B): Promise<void> {
  const { io } = b,
    rig = new Rig(b, () => () => false);
  await rig.tables();
  const base = { valid: 1, present: 0, write: 1, remote: 0, ppn: 0 };
  poke(io.spaceWrite, { en: 1, index: 0, value: { base: 0, limit: sizes.pages, write: 1 } });
  rig.spaces[0] = { base: 0, limit: sizes.pages, write: 1 };
  await b.cycles(1);
  rig.quiet();
  for (const way of wayNumbers) {
    poke(io.wayWrite, { en: 1, index: way, value: { valid: 1, space: 0 } });
    rig.ways[way] = { valid: 1, space: 0 };
    await b.cycles(1);
  }
  rig.quiet();
  const order: number[] = [];
  for (let i = 0; i < 24; i++) {
    for (const way of wayNumbers) {
      poke(io.pageWrite, { en: 1, index: 8 * way, value: base });
      await b.cycles(1);
    }
    rig.quiet();
    await b.cycles(2);
    // All want one, and one comes.
    for (const way of wayNumbers) rig.looks[way]?.send({ vpn: 8 * way, write: 1 });
    await rig.settled();
    const before = rig.seen.taken;
    rig.free.send(i);
    for (let again = 0; again < 4 && rig.seen.taken === before; again++) {
      for (const way of wayNumbers) rig.looks[way]?.send({ vpn: 8 * way, write: 1 });
      await rig.settled();
    }
    expect(rig.seen.taken).toBe(before + 1);
    order.push(wayNumbers.find(way => rig.entries[8 * way]?.present === 1) ?? NaN);
  }
  for (let i = 0; i + 3 <= order.length; i += 3) expect(new Set(order.slice(i, i + 3)).size).toBe(3);
}

const runs = { looks, turns };
describe("PageTable", () => {
  bench("each look ends in its verdict, in its time", dut, { seed: 1, hangCycles: 1000 }, looks);
  bench("pages go to who waits, in turns", dut, { seed: 2, hangCycles: 1000 }, turns);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 1000, limitCycles: 20_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["pages behind the table", /beyond_table \| /, ""],
      ["a page that is nobody's", "page_write_value_ppn >= 6'd40", "page_write_value_ppn > 6'd40"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
