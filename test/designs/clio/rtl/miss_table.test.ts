import { describe, expect, test } from "vitest";
import { MissTable, verdict } from "../../../../designs/clio/rtl/miss_table.ts";
import { geometryOf } from "../../../../designs/clio/rtl/table_walk.ts";
import { type Bench, poke, type Random, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const table = { pageSize: 4096, physicalMemory: 2 ** 24, slotsFactor: 4 }, keyBits = 54;
const dut = (misses: number, slots: number) => MissTable({ ...table, misses, slots, beatBytes: 64, addressBits: 24, idBits: 5, keyBits });
type Ports = ReturnType<typeof dut>["ports"];
const { ppnBits } = geometryOf(table);

interface Result { readonly error: number; readonly allocated: number; readonly mapped: number; readonly read: number;
  readonly write: number; readonly ppn: number }
/** One outstanding miss of the reference. */
interface Miss {
  readonly key: bigint;
  readonly list: { readonly slot: number; readonly write: boolean }[];
  /** What it waits for: the bucket, a frame, nothing. */
  state: "fetching" | "faulting" | "done";
  verdict: number; ppn: number; read: number; write: number;
  writing: boolean; poisoned: boolean; first: boolean; wantsRead: boolean; wantsWrite: boolean;
}

/** The reference: misses as objects, lists as arrays. One call of `step` is one cycle. */
class Misses {
  readonly all: (Miss | undefined)[];
  /** Served last, for the order. */
  recent = 0;
  constructor(count: number) { this.all = Array.from({ length: count }, () => undefined); }
  /** Ends in this cycle: takes no more requests, its place is free from the next. */
  ends(m: Miss | undefined): boolean { return m !== undefined && m.state === "done" && m.list.length === 0 && !m.writing; }
  find(key: bigint): { readonly index: number; readonly closed: boolean; readonly room: boolean } {
    const index = this.all.findIndex(m => m !== undefined && m.key === key && !this.ends(m)), m = this.all[index];
    return { index, closed: m !== undefined && (m.poisoned || (m.state === "done" && m.verdict !== verdict.mapped)),
      room: this.all.includes(undefined) };
  }
  /** Indexes of misses to serve, in the order of their turns. `settling`: a verdict comes in this cycle. */
  ready(serving: number | undefined, settling: ReadonlySet<number>): number[] {
    const n = this.all.length, turns = Array.from({ length: n }, (_, i) => (this.recent + 1 + i) % n);
    return turns.filter(i => { const m = this.all[i];
      return m !== undefined && (m.state === "done" || settling.has(i)) && m.list.length > 0 && i !== serving; });
  }
}

const randomResult = (random: Random): Result => ({
  error: +random.bool(0.05), allocated: +random.bool(0.85), mapped: +random.bool(0.5), read: +random.bool(0.7), write: +random.bool(0.7),
    ppn: random.int(0, 2 ** ppnBits - 1),
});

/** Random operations as the pipeline in front makes them, everything compared in every cycle. */
async function run(b: Bench<Ports>, count: number, slots: number, cycles: number): Promise<void> {
  const random = b.random.fork("ops"), io = b.io, keys = Array.from({ length: count * 2 }, () => random.bits(keyBits));
  keys.push(...keys.map(k => k ^ (1n << BigInt(random.int(0, keyBits - 1)))));
  let model = new Misses(count), serving: number | undefined, free = new Set(Array.from({ length: slots }, (_, i) => i)),
    full = 0, merged = 0;
  for (let i = 0; i < cycles; i++) {
    if (i % 2000 === 1999) { poke(io.add as never, { valid: 0, slot: 0, write: 0 } as never); io.serve.valid.value = 0; b.sim.reset(1);
      model = new Misses(count); serving = undefined; free = new Set(Array.from({ length: slots }, (_, s) => s)); }
    const where = (f: (m: Miss) => boolean): number | undefined => { const found = model.all.flatMap((m, at) =>
      (m !== undefined && f(m) ? [at] : [])); return found.length > 0 && random.bool(0.4) ? random.pick(found) : undefined; };
    // What comes from memory.
    const walks = where(m => m.state === "fetching"), result = randomResult(random), faulted = where(m => m.state === "faulting"),
      out = random.bool(0.2), frame = random.int(0, 2 ** ppnBits - 1);
    const written = where(m => m.writing);
    // The operation on a page.
    const key = random.pick(keys), f = model.find(key), at = f.index;
    const canAdd = serving === undefined && free.size > 0 && (at >= 0 ? !f.closed : f.room), adds = canAdd && random.bool(0.7),
      slot = adds ? random.pick([...free]) : 0, write = random.bool();
    const poisons = serving === undefined && !adds && random.bool(0.1);
    poke(io.add as never, { valid: +adds, slot, write: +write } as never);
    io.key.value = key;
    io.poison.value = +poisons;
    poke(io.walked as never, { valid: +(walks !== undefined),
      result: { miss: walks ?? 0, ...result, slot: 3, index: 5, tag: 7 } } as never);
    poke(io.faulted as never, { valid: +(faulted !== undefined), miss: faulted ?? 0, outOfMemory: +out, ppn: frame } as never);
    poke(io.written as never, { valid: +(written !== undefined), miss: written ?? 0 } as never);
    poke(io.serve as never, { valid: +(serving !== undefined), miss: serving ?? 0 } as never);
    await b.risingEdge();

    const cycle = `cycle ${b.cycle}`;
    expect([io.find.joinable.value, io.find.blocked.value, io.find.room.value],
      `find at ${cycle}`).toEqual([+(at >= 0 && !f.closed), +(at >= 0 && f.closed), +f.room]);
    expect(io.poisonLeft.value, `poisonLeft at ${cycle}`).toBe(+model.all.some(m => m?.poisoned));
    const opens = adds && at < 0, opened = model.all.indexOf(undefined);
    if (adds) expect([io.added.fetch.value, Number(io.added.miss.value)], `added at ${cycle}`).toEqual([+opens, opens ? opened : at]);
    const w = walks === undefined ? undefined : (model.all[walks] as Miss);
    const faults = w !== undefined && !result.error && result.allocated === 1 && !result.mapped && (
      (w.wantsWrite && result.write === 1) || (w.wantsRead && result.read === 1));
    expect([io.fault.valid.value, faults ? Number(io.fault.result.miss.value) : 0],
      `fault at ${cycle}`).toEqual([+faults, faults ? walks : 0]);
    const settling = new Set([...(walks !== undefined && !faults ? [walks] : []), ...(faulted !== undefined ? [faulted] : [])]);
    const ready = model.ready(serving, settling);
    expect([io.next.valid.value, ready.length > 0 ? Number(io.next.miss.value) : 0],
      `next at ${cycle}`).toEqual([+(ready.length > 0), ready[0] ?? 0]);
    const ending = model.all.flatMap((m, x) => (model.ends(m) ? [x] : []));

    let last = true;
    if (serving !== undefined) {
      const m = model.all[serving] as Miss, head = m.list.shift() as Miss["list"][number];
      last = m.list.length === 0;
      const s = io.served;
      expect([Number(s.slot.value), s.last.value, s.verdict.value, s.key.big, s.first.value, s.poisoned.value],
        `served at ${cycle}`).toEqual([head.slot, +last, m.verdict, m.key, +m.first, +m.poisoned]);
      if (m.verdict === verdict.mapped) expect(Number(s.ppn.value), `frame served at ${cycle}`).toBe(m.ppn);
      if (m.verdict !== verdict.invalid && m.verdict !== verdict.error) expect([s.read.value, s.write.value],
        `permissions served at ${cycle}`).toEqual([m.read, m.write]);
      m.first = false;
      free.add(head.slot);
      model.recent = serving;
    }
    if (adds) {
      free.delete(slot);
      if (opens) model.all[opened] = { key, list: [{ slot, write }], state: "fetching", verdict: -1, ppn: 0, read: 0, write: 0,
        writing: false, poisoned: false, first: true, wantsRead: !write, wantsWrite: write };
      else {
        const m = model.all[at] as Miss;
        m.list.push({ slot, write });
        m.first = true;
        if (write) m.wantsWrite = true; else m.wantsRead = true;
        merged++;
      }
    }
    if (w !== undefined) {
      w.read = result.read; w.write = result.write;
      w.state = faults ? "faulting" : "done";
      if (!faults) { w.ppn = result.ppn; w.verdict = result.error ? verdict.error : !result.allocated ? verdict.invalid : result.mapped
        ? verdict.mapped : verdict.unmapped; }
    }
    if (faulted !== undefined) Object.assign(model.all[faulted] as Miss,
      { state: "done", verdict: out ? verdict.outOfMemory : verdict.mapped, ppn: frame, writing: !out });
    if (written !== undefined) (model.all[written] as Miss).writing = false;
    if (poisons && at >= 0) (model.all[at] as Miss).poisoned = true;
    for (const x of ending) model.all[x] = undefined;
    if (!f.room) full++;
    // Stage 2: a miss is served to its end, then the next, or something else comes in between.
    if (serving === undefined || last) serving = ready.length > 0 && random.bool(0.7) ? ready[0] : undefined;
  }
  expect(Math.min(full, merged), "full tables and merged misses were seen").toBeGreaterThan(10);
}

describe("MissTable", () => {
  for (const [misses, slots] of [[2, 8], [4, 16], [16, 64]] as const) {
    test(`${misses} misses, ${slots} slots: as the reference in every cycle`,
      () => runBench("misses", dut(misses, slots), {}, b => run(b, misses, slots, 8000)));
  }

  describe("planted faults are caught", () => {
    const caught = (name: string, from: string | RegExp, to: string, error: RegExp): void => {
      test(name, () => findsFault(runBench("misses planted", plant(dut(4, 16), from, to), { wave: false },
        b => run(b, 4, 16, 8000)), error));
    };
    caught("fault 1: a page is not found while its bucket is fetched", /wire same_(\d) = /, "wire same_$1 = done_$1 & ",
      /find|at most once|one miss/);
    caught("fault 4: of two faults the wrong one gets the frame", /faulted_miss == 2'd[01]/, "faulted_miss[1] == 1'b0", /next|served/);
    caught("fault 4: a miss ends before its entry is in memory", / & ~writing_\d/, "", /find|added|next/);
    caught("a poisoned miss is joined", /poisoned_(\d) \| \(/, "(", /find/);
    caught("a list is cut when a request joins while it is empty", /if \(empty_\d\) heads_/, "if (1'b0) heads_", /served/);
    caught("the lowest miss is always served first", /\|after \?/, "1'b0 ?", /next/);
  });
});
