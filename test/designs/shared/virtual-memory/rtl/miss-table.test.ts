import { describe, expect, test } from "vitest";
import {
  MissTable,
  type MissTableParameters,
  Verdict,
} from "../../../../../designs/shared/virtual-memory/rtl/miss-table.ts";
import { Faulted } from "../../../../../designs/shared/virtual-memory/rtl/page-fault.ts";
import { Arriving, geometryOf, Walked } from "../../../../../designs/shared/virtual-memory/rtl/table-walk.ts";
import { bit, input, instance, module, node, output, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { type Bench, poke, type Random, runBench, type ValueOf } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

/** By misses: pages, memory and address space, and with them the widths of keys and frames. */
const parameterSets = {
  2: { pageSize: 65_536, physicalMemory: 2 ** 28, slotsFactor: 2, vaBits: 36, pidBits: 5 },
  4: { pageSize: 4096, physicalMemory: 2 ** 24, slotsFactor: 4, vaBits: 50, pidBits: 16 },
  16: { pageSize: 4096, physicalMemory: 2 ** 24, slotsFactor: 4, vaBits: 50, pidBits: 16 },
} as const;
type Count = keyof typeof parameterSets;
const widths = (misses: Count) => {
  const { wordBits, ppnBits } = geometryOf(parameterSets[misses]);
  return { keyBits: wordBits, ppnBits };
};

/**
 * The table with the decision within the cycle, as in translation. A list that is next is taken if it may be, else a
 * key is compared.
 */
const Harness = module(
  "MissHarness",
  (p: MissTableParameters) => {
    const miss = uint(Math.log2(p.misses)),
      slot = uint(Math.log2(p.slots)),
      { keyBits } = p,
      { ppnBits } = geometryOf(p);
    return {
      key: input(uint(keyBits)),
      wantsAdvance: input(bit),
      advanced: output(bit),
      wantsTake: input(bit),
      taken: output(bit),
      next: output(bit),
      room: output(bit),
      add: input(struct({ valid: bit, key: uint(keyBits), slot, write: bit })),
      added: output(struct({ taken: bit, fetch: bit, miss })),
      poison: input(bit),
      poisonLeft: output(bit),
      arriving: input(Arriving(p)),
      walked: input(Walked(p)),
      fault: output(struct({ valid: bit, miss })),
      faulted: input(Faulted(p)),
      quick: input(bit),
      written: input(struct({ valid: bit, miss })),
      served: output(
        struct({
          valid: bit,
          slot,
          last: bit,
          verdict: Verdict,
          ppn: uint(ppnBits),
          read: bit,
          write: bit,
          key: uint(keyBits),
          first: bit,
          poisoned: bit,
        }),
      ),
    };
  },
  (io, p) => {
    const dut = instance("dut", MissTable(p));
    const ends = node(dut.served.valid.not().or(dut.served.last));
    const take = node(io.wantsTake.and(dut.next).and(ends)),
      advance = node(io.wantsAdvance.and(ends).and(dut.next.not()));
    dut.take.set(take);
    dut.advance.set(advance);
    io.taken.set(take);
    io.advanced.set(advance);
    io.next.set(dut.next);
    io.room.set(dut.room);
    io.added.set(dut.added);
    io.poisonLeft.set(dut.poisonLeft);
    io.served.set(dut.served);
    io.fault.set({ valid: dut.fault.valid, miss: dut.fault.result.miss });
    dut.key.set(io.key);
    dut.add.set(io.add);
    dut.poison.set(io.poison);
    dut.arriving.set(io.arriving);
    dut.walked.set(io.walked);
    dut.faulted.set(io.faulted);
    dut.quick.set(io.quick);
    dut.written.set(io.written);
  },
);
const dut = (misses: Count, slots: number) =>
  Harness({
    ...parameterSets[misses],
    misses,
    slots,
    beatBytes: 64,
    addressBits: 24,
    idBits: 5,
    keyBits: widths(misses).keyBits,
  });
type Ports = ReturnType<typeof dut>["ports"];

interface Result {
  readonly error: number;
  readonly allocated: number;
  readonly mapped: number;
  readonly read: number;
  readonly write: number;
  readonly ppn: number;
}
interface Rights {
  readonly read: boolean;
  readonly write: boolean;
}
/** One outstanding miss of the reference. */
interface Miss {
  readonly key: bigint;
  readonly list: number[];
  /** The awaited event: the bucket, a frame, nothing. */
  state: "fetching" | "arriving" | "faulting" | "done";
  verdict: ValueOf<typeof Verdict> | undefined;
  ppn: number;
  read: number;
  write: number;
  writing: boolean;
  poisoned: boolean;
  /** Needs of its requests, now and when the bucket's arrival was announced. */
  readonly needs: Rights[];
  helps: readonly Rights[];
  /** Since when its list could be served, and how many others have been since. */
  since: number;
  passed: number;
}

/** The reference: misses as objects, lists as arrays. */
class Misses {
  readonly all: (Miss | undefined)[];
  constructor(count: number) {
    this.all = Array.from({ length: count }, () => undefined);
  }
  /** Ends in this cycle: takes no more requests, its place is free from the next. */
  ends(m: Miss | undefined): boolean {
    return m !== undefined && m.state === "done" && m.list.length === 0 && !m.writing;
  }
  find(key: bigint): { readonly index: number; readonly closed: boolean } {
    const index = this.all.findIndex(m => m !== undefined && m.key === key && !this.ends(m)),
      m = this.all[index];
    return { index, closed: m !== undefined && (m.poisoned || (m.state === "done" && m.verdict !== "mapped")) };
  }
}

const randomResult = (random: Random, ppnBits: number): Result => ({
  error: +random.chance(0.05),
  allocated: +random.chance(0.85),
  mapped: +random.chance(0.5),
  read: +random.chance(0.7),
  write: +random.chance(0.7),
  ppn: random.between(0, 2 ** ppnBits - 1),
});
const permits = (r: Result, needs: Rights): boolean => (needs.write ? r.read & r.write : r.read | r.write) === 1;

/** Random operations as the pipeline in front makes them, everything compared in every cycle. */
async function run(b: Bench<Ports>, count: Count, slots: number, cycles: number): Promise<void> {
  const { keyBits, ppnBits } = widths(count),
    random = b.random.fork("ops"),
    io = b.io,
    keys = Array.from({ length: count * 2 }, () => random.bits(keyBits));
  keys.push(...keys.map(k => k ^ (1n << BigInt(random.between(0, keyBits - 1)))));
  let model = new Misses(count),
    free = new Set(Array.from({ length: slots }, (_, i) => i));
  let serving: Miss | undefined,
    taken = false,
    held: bigint | undefined,
    arrives: { miss: number; result: Result } | undefined,
    quickly: number | undefined;
  let full = 0,
    merged = 0,
    prompt = 0,
    fresh = 1;
  for (let i = 0; i < cycles; i++) {
    if (i % 2000 === 1999) {
      poke(io.add, { valid: 0, key: 0n, slot: 0, write: 0 });
      io.wantsTake.value = 0;
      io.wantsAdvance.value = 0;
      io.arriving.valid.value = 0;
      io.walked.valid.value = 0;
      io.faulted.valid.value = 0;
      io.quick.value = 0;
      io.poison.value = 0;
      io.written.valid.value = 0;
      b.sim.reset(1);
      model = new Misses(count);
      free = new Set(Array.from({ length: slots }, (_, s) => s));
      serving = held = arrives = quickly = undefined;
      taken = false;
      fresh = 1;
    }
    const where = (chance: number, f: (m: Miss) => boolean): number | undefined => {
      const found = model.all.flatMap((m, at) => (m !== undefined && f(m) ? [at] : []));
      return found.length > 0 && random.chance(chance) ? random.pick(found) : undefined;
    };
    // Arrivals from memory: buckets, announced a cycle ahead; frames, some announced with the fault; write-backs.
    const walks = arrives,
      coming = where(Math.min(0.4, 4 / count), m => m.state === "fetching");
    arrives = coming === undefined ? undefined : { miss: coming, result: randomResult(random, ppnBits) };
    const faulted = quickly ?? where(0.4, m => m.state === "faulting"),
      ends =
        quickly === undefined ? random.pick(["mapped", "mapped", "mapped", "outOfMemory", "error"] as const) : "mapped";
    const quick = faulted === undefined && !model.all.some(m => m?.state === "faulting") && random.chance(0.7);
    const frame = random.between(0, 2 ** ppnBits - 1),
      written = where(0.4, m => m.writing);
    // The operation on the page that was compared in the cycle before.
    const f = model.find(held ?? -1n),
      at = f.index,
      idle = serving === undefined && !taken && held !== undefined;
    const adds = idle && free.size > 0 && random.chance(0.7),
      slot = adds ? random.pick([...free]) : 0;
    const needs = random.pick([
      { read: true, write: false },
      { read: false, write: true },
      { read: true, write: true },
    ]);
    const poisons = idle && !adds && random.chance(0.3);
    const key = random.pick(keys);
    poke(io.add, { valid: +adds, key: held ?? 0n, slot, write: +needs.write });
    io.key.value = key;
    io.wantsTake.value = +random.chance(0.7);
    io.wantsAdvance.value = +random.chance(0.8);
    io.poison.value = +poisons;
    poke(io.arriving as never, { valid: +(coming !== undefined), miss: coming ?? 0 } as never);
    poke(
      io.walked as never,
      {
        valid: +(walks !== undefined),
        result: {
          miss: walks?.miss ?? 0,
          ...(walks?.result ?? randomResult(random, ppnBits)),
          slot: 3,
          index: 5,
          tag: 7,
        },
      } as never,
    );
    poke(
      io.faulted as never,
      {
        valid: +(faulted !== undefined),
        miss: faulted ?? 0,
        outOfMemory: +(ends === "outOfMemory"),
        error: +(ends === "error"),
        ppn: frame,
      } as never,
    );
    io.quick.value = +quick;
    poke(io.written, { valid: +(written !== undefined), miss: written ?? 0 });
    await b.risingEdge();

    const cycle = `cycle ${b.cycle}`,
      hasRoom = fresh === 0 && model.all.includes(undefined);
    expect(io.room.value, `room at ${cycle}`).toBe(+hasRoom);
    expect(io.poisonLeft.value, `poisonLeft at ${cycle}`).toBe(+model.all.some(m => m?.poisoned));
    const opens = adds && at < 0 && hasRoom,
      joins = adds && at >= 0 && !f.closed,
      opened = Number(io.added.miss.value);
    if (adds)
      expect([io.added.taken.value, io.added.fetch.value], `added at ${cycle}`).toEqual([+(opens || joins), +opens]);
    if (opens) expect(model.all[opened], `the miss ${opened}, opened at ${cycle}`).toBe(undefined);
    const w = walks === undefined ? undefined : (model.all[walks.miss] as Miss),
      result = walks?.result as Result;
    const faults =
      w !== undefined &&
      !result.error &&
      result.allocated === 1 &&
      !result.mapped &&
      w.helps.some(n => permits(result, n));
    expect([io.fault.valid.value, faults ? Number(io.fault.miss.value) : 0], `fault at ${cycle}`).toEqual([
      +faults,
      faults ? walks?.miss : 0,
    ]);
    const ending = model.all.flatMap((m, x) => (model.ends(m) ? [x] : []));

    // The list being served; which one was taken, its key tells.
    const s = io.served,
      first = taken;
    if (taken) {
      serving = model.all.find(m => m?.key === s.key.big && m.list.length > 0);
      if (serving?.state !== "done") throw new Error(`a list is served at ${cycle} of a page whose verdict is not in`);
      if (serving.since === i - 1) prompt++;
      for (const m of model.all) if (m !== undefined && m !== serving) m.passed++;
      serving.passed = 0;
    }
    expect(s.valid.value, `served at ${cycle}`).toBe(+(serving !== undefined));
    if (serving !== undefined) {
      const m = serving,
        head = m.list.shift() as number;
      expect(
        [Number(s.slot.value), s.last.value, s.verdict.value, s.first.value, s.poisoned.value],
        `served at ${cycle}`,
      ).toEqual([head, +(m.list.length === 0), m.verdict, +first, +m.poisoned]);
      if (m.verdict === "mapped") expect(Number(s.ppn.value), `frame served at ${cycle}`).toBe(m.ppn);
      if (m.verdict !== "invalid" && m.verdict !== "error")
        expect([s.read.value, s.write.value], `permissions served at ${cycle}`).toEqual([m.read, m.write]);
      free.add(head);
      if (m.list.length === 0) serving = undefined;
    }
    for (const m of model.all) {
      if (m === undefined || m.state !== "done" || m.list.length === 0) {
        if (m) m.passed = 0;
        continue;
      }
      if (m === serving) continue;
      expect(m.passed, `lists served before one that waits, at ${cycle}`).toBeLessThan(count);
      if (i - m.since > 1) expect(io.next.value, `a list is next at ${cycle}: one waits`).toBe(1);
    }

    if (opens) {
      model.all[opened] = {
        key: held as bigint,
        list: [slot],
        state: "fetching",
        verdict: undefined,
        ppn: 0,
        read: 0,
        write: 0,
        writing: false,
        poisoned: false,
        needs: [needs],
        helps: [],
        since: -1,
        passed: 0,
      };
    }
    if (coming !== undefined) {
      const m = model.all[coming] as Miss;
      m.state = "arriving";
      m.helps = [...m.needs];
    }
    if (w !== undefined) {
      w.read = result.read;
      w.write = result.write;
      w.state = faults ? "faulting" : "done";
      if (!faults) {
        w.ppn = result.ppn;
        w.since = i;
        w.verdict = result.error ? "error" : !result.allocated ? "invalid" : result.mapped ? "mapped" : "unmapped";
      }
    }
    quickly = faults && quick ? walks?.miss : undefined;
    if (faulted !== undefined)
      Object.assign(model.all[faulted] as Miss, {
        state: "done",
        verdict: ends,
        ppn: frame,
        writing: ends === "mapped",
        since: i,
      });
    if (written !== undefined) (model.all[written] as Miss).writing = false;
    if (poisons && at >= 0) (model.all[at] as Miss).poisoned = true;
    if (joins) {
      const m = model.all[at] as Miss;
      if (m.list.length === 0) m.since = i;
      m.list.push(slot);
      m.needs.push(needs);
      merged++;
    }
    if (opens || joins) free.delete(slot);
    taken = io.taken.value === 1;
    for (const x of ending) model.all[x] = undefined;
    if (!hasRoom) full++;
    held = io.advanced.value ? key : undefined;
    fresh = 0;
  }
  expect(
    Math.min(full, merged, prompt),
    "full tables, merged misses and lists served at once were seen",
  ).toBeGreaterThan(10);
}

describe("MissTable", () => {
  for (const [misses, slots] of [
    [2, 8],
    [4, 16],
    [16, 64],
  ] as const) {
    test(`${misses} misses, ${slots} slots: as the reference in every cycle`, () =>
      runBench("misses", dut(misses, slots), {}, b => run(b, misses, slots, 8000)));
  }

  testOfResets(dut(4, 16), { beside: { added_miss: "added_fetch" } }, b => run(b, 4, 16, 800));
  describe("planted faults are caught", () => {
    const caught = (name: string, from: string | RegExp, to: string, error: RegExp): void => {
      test(name, () =>
        findsFault(
          runBench("misses planted", plant(dut(4, 16), from, to), { wave: false }, b => run(b, 4, 16, 8000)),
          error,
        ),
      );
    };
    caught(
      "fault 1: a page is not found while its bucket is fetched",
      /wire same_(\d) = /,
      "wire same_$1 = done_$1 & ",
      /added|poisonLeft|one miss/,
    );
    caught(
      "fault 1: the comparison does not see the miss opened in the same cycle",
      "add_key == key",
      "1'b0",
      /added|one miss/,
    );
    caught(
      "fault 4: of two faults the wrong one gets the frame",
      /faulted_miss == 2'd[01]/,
      "faulted_miss[1] == 1'b0",
      /next|served|quick/,
    );
    caught("fault 4: a miss ends before its entry is in memory", / & ~writing_\d/, "", /room|added|next/);
    caught("a poisoned miss is joined", /poisoned_(\d) \| /, "", /added/);
    caught(
      "a list is cut when a request joins while it is empty",
      /opens \| \(?joining & joins_empty\)?/,
      "opens",
      /served/,
    );
    caught("a request that joins as its list is taken is left behind", "goes_on | ~joined_picked", "1'b1", /served/);
    caught("a fault does not take its list back", "picked_early & fault_now", "1'b0", /verdict is not in|served/);
    caught(
      "a page that is being copied takes a frame for a write",
      /helps_write & walked_result_write & walked_result_read/,
      "helps_write & walked_result_write",
      /fault at/,
    );
  });
});
