/** A few packets by hand: those that can go nowhere, and those that wait for a flow that is marked. */
import { expect } from "vitest";
import { mostSlots, mostStages } from "../../../../../../designs/supernic/wire/index.ts";
import { StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { type BesideBench, besideSizes } from "./beside-model.ts";
import { writeTable } from "./scheduler-tables.ts";

const { users, regions, slots } = besideSizes.random;
/** DAGs: one of a chain with two regions, bad ones, one of two branches, and one that shares a group with `both`. */
export const dags = {
  good: 0,
  noBranch: 1,
  noSlot: 2,
  noChain: 3,
  badSecondBranch: 4,
  badSecondStage: 5,
  both: 6,
  beside: 7,
} as const;
/** More than the flow table takes to be clear, and a mark of each group. */
const untilAsked = 2_200;

class Rig {
  readonly b: BesideBench;
  readonly arrive;
  readonly back;
  readonly finished;
  readonly started: { ctx: number; branch: number; region: number; run: number }[] = [];
  constructor(b: BesideBench) {
    this.b = b;
    b.io.open.value = 2 ** regions - 1;
    for (let r = 0; r < regions; r++) b.io.give[r]!.value = b.io.busy[r]!.value = 0;
    this.arrive = new StreamSource(b.sim, b.io.arrive);
    this.back = new StreamSource(b.sim, b.io.back);
    this.finished = new StreamSink(b.sim, b.io.finished);
    b.onEdge({
      sample: () => {
        const { valid, ctx, branch, region, run } = b.io.start;
        if (valid.num === 1) this.started.push({ ctx: ctx.num, branch: branch.num, region: region.num, run: run.num });
      },
    });
  }
  async program(): Promise<void> {
    const { b } = this;
    for (let r = 0; r < regions; r++)
      for (let s = 0; s < slots; s++) await writeTable(b, "slot", r * mostSlots + s, { limit: 4 });
    await writeTable(b, "chain", 1, { regions: 0b0001, group: 1 });
    await writeTable(b, "chain", 2, { regions: 0b0110, group: 2 });
    const stage = (dag: number, at: number, values: Record<string, number>): Promise<void> =>
      writeTable(b, "dagStage", dag * mostStages + at, values);
    const one = { valid0: 1, chain0: 1, run0: 1 };
    await stage(dags.good, 0, { last: 1, valid0: 1, chain0: 2, run0: 3 });
    await stage(dags.noBranch, 0, { last: 1 });
    await stage(dags.noSlot, 0, { last: 1, ...one, run0: 0xf0 });
    await stage(dags.noChain, 0, { last: 1, ...one, chain0: 63 });
    await stage(dags.badSecondBranch, 0, { last: 1, ...one, valid1: 1, chain1: 63, run1: 1 });
    await stage(dags.badSecondStage, 0, one);
    await stage(dags.badSecondStage, 1, { last: 1, valid2: 1, chain2: 63, run2: 1 });
    await stage(dags.both, 0, { last: 1, ...one, valid1: 1, chain1: 2, run1: 1 });
    await writeTable(b, "chain", 3, { regions: 0b1000, group: 1 });
    await stage(dags.beside, 0, { last: 1, valid0: 1, chain0: 3, run0: 1 });
    await b.cycles(untilAsked);
  }
  send(ctx: number, dag: number, o: { readonly user?: number; readonly unordered?: number } = {}): void {
    this.arrive.send({ ctx, dag, user: o.user ?? 1, flowHash: 5, unordered: o.unordered ?? 0 });
  }
  /** What has ended since: context and whether it was dropped. */
  ended(): [number, number][] {
    const list: [number, number][] = [];
    for (let s = this.finished.take(); s; s = this.finished.take()) list.push([Number(s.value.ctx), s.value.dropped]);
    return list;
  }
  /** The first of those that started has been through its tasks, and is back. */
  async comesBack(): Promise<void> {
    const one = this.started.shift();
    if (one === undefined) throw new Error("nobody has started");
    const { ctx, branch, region, run } = one;
    this.b.io.give[region]!.value = run;
    await this.b.cycles(1);
    this.b.io.give[region]!.value = 0;
    this.back.send({ ctx, branch, region, dropped: 0, refund: 0 });
    await this.b.cycles(20);
  }
  empty(): void {
    expect(this.b.io.inside.packets.num).toBe(0);
    expect(this.b.io.inside.waiting.num).toBe(0);
    expect(this.b.io.held.every(h => h.num === 0)).toBe(true);
    expect(this.started).toEqual([]);
  }
}
export const rigOf = async (b: BesideBench): Promise<Rig> => {
  const rig = new Rig(b);
  await rig.program();
  return rig;
};

/** One packet is inside, and two of its flow wait behind it. */
async function held(b: BesideBench): Promise<Rig> {
  const rig = await rigOf(b);
  rig.send(0, dags.good);
  await b.cycles(20);
  expect(rig.started).toHaveLength(1);
  await writeTable(b, "mark", 2, { now: 1 });
  rig.send(1, dags.good);
  rig.send(2, dags.good);
  await b.cycles(400);
  expect(rig.started).toHaveLength(1);
  expect(b.io.inside.waiting.num).toBe(2);
  return rig;
}

export async function lostAtOnce(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  rig.send(0, dags.noBranch);
  rig.send(1, dags.noSlot);
  rig.send(2, dags.noChain);
  rig.send(3, dags.good, { user: users });
  rig.send(4, dags.good, { user: 63 });
  await b.cycles(40);
  expect(rig.ended()).toEqual([0, 1, 2, 3, 4].map(ctx => [ctx, 1]));
  rig.empty();
}
export async function goodBesideBad(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  rig.send(7, dags.badSecondBranch);
  rig.send(8, dags.badSecondStage);
  await b.cycles(40);
  expect(rig.started.map(s => [s.ctx, s.branch])).toEqual([
    [7, 0],
    [8, 0],
  ]);
  expect(rig.ended()).toEqual([]);
  await rig.comesBack();
  await rig.comesBack();
  expect(rig.ended()).toEqual([
    [7, 1],
    [8, 1],
  ]);
  rig.empty();
}
export async function badBesideWaiting(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  rig.finished.pause = () => b.random.chance(0.9);
  for (let ctx = 0; ctx < 60; ctx++) rig.send(ctx, [dags.noChain, dags.good, dags.badSecondStage][ctx % 3]!);
  for (let n = 0; n < 200 && rig.finished.received.length < 60; n++) {
    if (rig.started.length > 0) await rig.comesBack();
    await b.cycles(10);
  }
  await b.cycles(1_000);
  const ended = rig.ended();
  expect(ended.map(([ctx]) => ctx).sort((x, y) => x - y)).toEqual(Array.from({ length: 60 }, (_, i) => i));
  expect(ended.filter(([, dropped]) => dropped === 1)).toHaveLength(40);
  rig.empty();
}
export async function waitsInOrder(b: BesideBench): Promise<void> {
  const rig = await held(b);
  rig.send(3, dags.good, { unordered: 1 });
  rig.send(4, dags.badSecondBranch);
  rig.send(6, dags.both);
  await b.cycles(60);
  expect(rig.started.map(s => s.ctx)).toEqual([0, 3, 4, 6]);
  expect(b.io.inside.waiting.num).toBe(3);
  await rig.comesBack();
  rig.send(5, dags.good);
  await b.cycles(60);
  expect(rig.started.map(s => [s.ctx, s.branch])).toEqual([
    [3, 0],
    [4, 0],
    [6, 0],
    [1, 0],
    [2, 0],
    [6, 1],
    [5, 0],
  ]);
  expect(new Set(rig.started.slice(3).map(s => s.region)).size).toBe(1);
  while (rig.started.length > 0) await rig.comesBack();
  expect(rig.ended()).toHaveLength(7);
  rig.empty();
  // The flow is as if nothing had been: a mark finds nobody inside.
  await writeTable(b, "mark", 2, { now: 1 });
  await b.cycles(400);
  rig.send(0, dags.good);
  await b.cycles(40);
  await rig.comesBack();
  rig.empty();
}
export async function movedChain(b: BesideBench): Promise<void> {
  const rig = await held(b);
  const before = rig.started[0]?.region ?? 0,
    other = before === 1 ? 2 : 1;
  await writeTable(b, "chain", 2, { regions: 1 << other, group: 2 });
  await b.cycles(400);
  expect(rig.started).toHaveLength(1);
  await rig.comesBack();
  await b.cycles(60);
  expect(rig.started.map(s => s.region)).toEqual([other, other]);
  while (rig.started.length > 0) await rig.comesBack();
  rig.empty();
}
export async function goneChain(b: BesideBench): Promise<void> {
  const rig = await held(b);
  await writeTable(b, "chain", 2, { regions: 0, group: 2 });
  await b.cycles(400);
  expect(rig.ended()).toEqual([
    [1, 1],
    [2, 1],
  ]);
  await rig.comesBack();
  await writeTable(b, "chain", 2, { regions: 0b0110, group: 2 });
  await b.cycles(400);
  rig.send(9, dags.good);
  await b.cycles(40);
  expect(rig.started.map(s => s.ctx)).toEqual([9]);
  await rig.comesBack();
  rig.empty();
}

/** A chain is moved while packets come: none is where it is now before the last has left where it was. */
export async function movedAtOnce(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  rig.send(0, dags.good);
  await b.cycles(20);
  const before = rig.started[0]?.region ?? 0,
    other = before === 1 ? 2 : 1;
  for (let ctx = 1; ctx < 20; ctx++) rig.send(ctx, dags.good);
  await b.cycles(6);
  await writeTable(b, "chain", 2, { regions: 1 << other, group: 2 });
  await b.cycles(400);
  const where = rig.started.map(s => s.region);
  expect(new Set(where)).toEqual(new Set([before]));
  expect(where.length).toBeLessThan(20);
  while (rig.started.some(s => s.region === before)) await rig.comesBack();
  await b.cycles(200);
  expect(new Set(rig.started.map(s => s.region))).toEqual(new Set([other]));
  for (let n = 0; n < 20; n++) {
    while (rig.started.length > 0) await rig.comesBack();
    await b.cycles(100);
  }
  expect(rig.ended().map(([ctx]) => ctx)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  rig.empty();
}
/** A chain that was nowhere gets two regions while packets come: none goes where it was before. */
export async function fromNowhere(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  for (let phase = 0; phase < 12; phase++) {
    await writeTable(b, "chain", 2, { regions: 0b1000, group: 2 });
    await b.cycles(10);
    await writeTable(b, "chain", 2, { regions: 0, group: 2 });
    await b.cycles(20);
    for (let ctx = 0; ctx < 12; ctx++) rig.send(ctx, dags.good);
    await b.cycles(phase);
    await writeTable(b, "chain", 2, { regions: 0b0110, group: 2 });
    await b.cycles(60);
    const where = rig.started.map(s => s.region);
    expect(where.length, `phase ${phase}`).toBeGreaterThan(0);
    expect(where.filter(r => r !== 1 && r !== 2)).toEqual([]);
    for (let n = 0; n < 12; n++) {
      while (rig.started.length > 0) await rig.comesBack();
      await b.cycles(40);
    }
    expect(rig.ended()).toHaveLength(12);
    rig.empty();
  }
}
/** Two chains of one region each share a group, and their flows an entry: each goes where its chain is. */
export async function sharedGroup(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  rig.send(0, dags.both);
  rig.send(1, dags.beside);
  await b.cycles(40);
  const where = rig.started.filter(s => s.branch === 0).map(s => [s.ctx, s.region]);
  expect(where).toEqual([
    [0, 0],
    [1, 3],
  ]);
  while (rig.started.length > 0) await rig.comesBack();
  expect(rig.ended()).toHaveLength(2);
  rig.empty();
}

/** A task has no credit: a packet waits for it, stops short in front of it when its patience is over, and goes on. */
export async function stopsShort(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  for (let r = 0; r < regions; r++) await writeTable(b, "slot", r * mostSlots + 1, { limit: 0 });
  rig.send(0, dags.good);
  rig.send(1, dags.good);
  await b.cycles(30);
  expect(rig.started).toEqual([]);
  await b.cycles(40);
  expect(rig.started.map(s => [s.ctx, s.run])).toEqual([[0, 1]]);
  await rig.comesBack();
  await b.cycles(100);
  expect(rig.started).toEqual([]);
  for (let r = 0; r < regions; r++) await writeTable(b, "slot", r * mostSlots + 1, { limit: 4 });
  await b.cycles(20);
  expect(rig.started.map(s => [s.ctx, s.run])).toEqual([
    [0, 2],
    [1, 3],
  ]);
  while (rig.started.length > 0) await rig.comesBack();
  expect(rig.ended()).toEqual([
    [0, 0],
    [1, 0],
  ]);
  rig.empty();
}
