/** What the benches of the spill do: each on a rig of its own, to its end. */
import { expect } from "vitest";
import { bernoulli, bursts, type Pause } from "../../../../../../sim/index.ts";
import { widthOf } from "../../../../../../hdl-dsl/index.ts";
import { SpillRecord } from "../../../../../../designs/supernic/rtl/spill/index.ts";
import { number } from "../../../support/inlets.ts";
import { type B, type RigOptions, type Size, SpillRig } from "./spill-rig.ts";

const paused =
  (b: B, rate = 0.2) =>
  (): Pause =>
    bernoulli(rate, b.random.word());
const lengthOf = (b: B, rig: SpillRig): number =>
  b.random.chance(0.3)
    ? b.random.between(60, 65)
    : b.random.chance(0.2)
      ? rig.p.frameBytes
      : b.random.between(60, rig.p.frameBytes);
async function rigOf(b: B, size: Size, o: RigOptions = {}): Promise<SpillRig> {
  const rig = new SpillRig(b, size, o);
  await b.cycles(300);
  await rig.users();
  return rig;
}
/** DAGs that the benches use: each user has three. */
const dagsOf = (rig: SpillRig): number[] =>
  Array.from({ length: 3 * rig.p.users }, (_, i) => (i * 4 * 17 + (i % rig.p.users)) % 256).map(
    (d, i) => d - (d % rig.p.users) + (i % rig.p.users),
  );
const some = (b: B, rig: SpillRig, count: number, dags: readonly number[] = dagsOf(rig)): void => {
  for (let i = 0; i < count; i++)
    rig.put(b.random.between(0, rig.p.ports), dags[b.random.below(dags.length)] ?? 0, lengthOf(b, rig));
};

/** DAGs are stopped and started at random under traffic: as many as there are rings at once. */
export async function life(b: B, size: Size, o: RigOptions = {}, rounds = 6): Promise<SpillRig> {
  const rig = await rigOf(b, size, { pause: paused(b), ...o }),
    dags = dagsOf(rig);
  for (let round = 0; round < rounds; round++) {
    const stopped = Array.from({ length: rig.p.rings }, (_, r) => dags[(round * 5 + r * 7) % dags.length] ?? 0);
    some(b, rig, 40);
    for (const [r, dag] of stopped.entries()) {
      // A ring that is given too early changes nothing until the gate is closed.
      if (b.random.chance(0.5)) await rig.ask(r, "fill", dag);
      await b.cycles(b.random.between(0, 30));
      await rig.stop(dag, r);
    }
    some(b, rig, 30);
    some(b, rig, 30, stopped);
    await b.cycles(b.random.between(50, 1200));
    // One begins to drain and is stopped again.
    const [again = 0] = stopped;
    await rig.ask(0, "drain", again);
    await b.cycles(b.random.between(1, 200));
    await rig.ask(0, "fill", again);
    if (rig.ring(0).held) some(b, rig, 10, [again]);
    await Promise.all(
      stopped.map(async (dag, r) => {
        await b.cycles(1 + 3 * r);
        some(b, rig, 5, [dag]);
        if (rig.ring(r).held) await rig.start(dag, r);
      }),
    );
  }
  await rig.end();
  return rig;
}

/** The rings fill up, and heads wait; then all leaves. More than once round each ring. */
export async function full(b: B): Promise<SpillRig> {
  const rig = await rigOf(b, "small", { pause: paused(b, 0.1) }),
    dags = [4, 9];
  for (let round = 0; round < 3; round++) {
    for (const [r, dag] of dags.entries()) await rig.stop(dag, r);
    for (let i = 0; i < 60; i++) for (const dag of dags) rig.put(i % 3, dag, rig.p.frameBytes - (i % 5));
    await b.until(() => rig.ring(0).full && rig.ring(1).full);
    const before = rig.counts.fullCycles;
    await b.cycles(100);
    expect(rig.counts.fullCycles - before, "cycles in which frames wait").toBeGreaterThan(90);
    expect(rig.inlets.waiting, "frames that wait in their class queues").toBeGreaterThan(0);
    await Promise.all(dags.map((dag, r) => rig.start(dag, r)));
  }
  await rig.end();
  return rig;
}
/** A read fails: its frames are dropped and counted, all others arrive, and the ring goes on. */
export async function failingReads(b: B, size: Size = "small", o: RigOptions = {}): Promise<SpillRig> {
  const rig = await rigOf(b, size, { pause: paused(b, 0.1), ...o });
  rig.mayLose = true;
  for (let round = 0; round < 12; round++) {
    await rig.stop(1, 0);
    await rig.stop(6, 1);
    some(b, rig, 50, [1, 6]);
    await b.until(() => rig.inlets.waiting === 0 || rig.ring(0).full || rig.ring(1).full);
    await b.cycles(150);
    // A beat, four, or a chunk's first one, anywhere: records, bodies and the words of chunks.
    for (let k = 0; k < 3; k++) {
      const at = rig.written[b.random.below(rig.written.length)] ?? 0,
        from = round % 3 === 2 ? at - (at % 4096) : at;
      rig.ram.failAt({ from, to: from + 64 * (round % 2 === 0 ? 1 : 4) });
      // What comes with an error is not what was written.
      for (let beat = 0; beat < 4; beat++) {
        const place = from + 64 * beat,
          bytes = rig.ram.read(place, 12),
          which = b.random.below(12);
        bytes[which] = (bytes[which] ?? 0) ^ (1 << b.random.below(8));
        if (round % 2 === 1 || beat === 0) rig.ram.write(place, bytes);
      }
    }
    await Promise.all([rig.start(1, 0), rig.start(6, 1)]);
    rig.ram.mend();
  }
  await rig.end();
  return rig;
}
/** A write fails: what lies behind it in its ring is dropped and counted; then the ring goes on. */
export async function failingWrites(b: B, size: Size = "small", o: RigOptions = {}): Promise<SpillRig> {
  const rig = await rigOf(b, size, { pause: paused(b, 0.1), ...o });
  rig.mayLose = true;
  const first = rig.p.memoryBytes - rig.p.rings * rig.p.ringBytes;
  for (let round = 0; round < 8; round++) {
    await rig.stop(1, 0);
    await rig.stop(6, 1);
    some(b, rig, 10, [1, 6]);
    await b.cycles(b.random.between(1, 150));
    // A little ahead of what was written last, in the same ring.
    const last = rig.written.at(-1) ?? first,
      base = last - (last % rig.p.ringBytes),
      from = base + ((last - base + 64 * b.random.between(1, 24)) % rig.p.ringBytes);
    rig.ram.failAt({ from, to: from + 64 });
    some(b, rig, 20, [1, 6]);
    await b.cycles(400);
    rig.ram.mend();
    await Promise.all([rig.start(1, 0), rig.start(6, 1)]);
    await takes(b, rig);
  }
  await rig.end();
  return rig;
}
/** A ring that is free is as good as any: it takes a frame, and gives it back. */
async function takes(b: B, rig: SpillRig): Promise<void> {
  for (let r = 0; r < rig.p.rings; r++) {
    const before = rig.counts.restored;
    await rig.stop(2, r);
    rig.put(1, 2, 130);
    await b.until(() => rig.ring(r).inside === 1);
    await rig.start(2, r);
    await b.until(() => rig.counts.restored === before + 1);
  }
}
/** REMOVE_DAG: the ring is emptied whatever is under way, and another DAG has it at once. */
export async function discards(b: B, size: Size = "small", o: RigOptions = {}): Promise<SpillRig> {
  const rig = await rigOf(b, size, { pause: paused(b), ...o });
  rig.mayLose = true;
  for (let round = 0; round < 10; round++) {
    const dag = round % 2 === 0 ? 5 : 2;
    await rig.stop(dag, 0);
    some(b, rig, 12, [dag]);
    await b.until(() => rig.ring(0).inside > 0);
    await b.cycles(b.random.between(1, 200));
    if (round % 3 === 1) {
      await rig.ask(0, "drain", dag);
      await b.cycles(b.random.between(1, 80));
    }
    // Of a DAG that has not the ring: nothing happens.
    const before = rig.counts.discarded;
    await rig.ask(0, "discard", dag + 1);
    if (!rig.ring(0).drains) {
      await b.cycles(120);
      expect(rig.ring(0).held && rig.counts.discarded === before, "another DAG's ring").toBe(true);
    }
    await rig.ask(0, "discard", dag);
    await b.until(() => !rig.ring(0).held);
    await b.cycles(2);
    expect(rig.ring(0).inside, "frames of a ring that is free").toBe(0);
    // What is left in the class queues goes on.
    await rig.gate(dag, false);
    await b.until(() => rig.inlets.waiting === 0);
  }
  await rig.end();
  expect(rig.counts.discarded).toBeGreaterThan(0);
  return rig;
}
/** Resets beside everything: behind each nothing is inside, no DAG waits, and no ring is held. */
export async function resets(b: B): Promise<SpillRig> {
  const rig = await rigOf(b, "small", { pause: paused(b) });
  for (let round = 0; round < 6; round++) {
    await rig.stop(3, 1);
    some(b, rig, 40);
    some(b, rig, 20, [3]);
    await b.cycles(b.random.between(10, 300));
    if (round % 2 === 1) {
      await rig.ask(1, "drain", 3);
      await b.cycles(b.random.between(10, 150));
    }
    await rig.reset();
    await rig.users();
    expect([rig.inRings, rig.ring(1).held, rig.counts.spilled]).toEqual([0, false, 0]);
    some(b, rig, 10);
    await rig.end();
  }
  await rig.stop(3, 1);
  some(b, rig, 30, [3]);
  await b.cycles(200);
  await rig.start(3, 1);
  await takes(b, rig);
  await rig.end();
  return rig;
}
/** A user's frames come out at its rate; another ring's, and the class queue's, do not wait for them. */
export async function metered(b: B): Promise<{ readonly own: number; readonly most: number; readonly other: number }> {
  const rig = await rigOf(b, "small");
  const share = 3_000,
    part = 20;
  await rig.users(u => (u === 0 ? { limited: 1, bytes: share } : { limited: 0, bytes: 0 }));
  const epochs = rig.epochs(part);
  for (const [dag, r] of [
    [4, 0],
    [3, 1],
  ] as const)
    await rig.stop(dag, r);
  for (let i = 0; i < 16; i++) {
    rig.put(0, 4, 600);
    rig.put(0, 3, 600);
  }
  await b.until(() => rig.inlets.waiting === 0);
  await b.cycles(600);
  const from = b.cycle;
  await Promise.all([rig.ask(0, "drain", 4), b.cycles(2).then(() => rig.ask(1, "drain", 3))]);
  // User 3 has the class of user 0, and waits behind nobody.
  const others = Array.from({ length: 20 }, () => rig.put(0, 7, 200));
  await b.until(() => !rig.ring(1).held && others.every(w => w.taken !== undefined));
  const other = b.cycle - from;
  await b.until(() => !rig.ring(0).held);
  const took = b.cycle - from,
    own = 16 * 600,
    most = share * (took / (64 * part)) + share + share / 64 + 600;
  await rig.end();
  epochs.cancel();
  return { own, most, other };
}

/** A DAG is stopped under load, and frames of another user stand behind its own in one class queue. */
export async function behind(b: B, ring: boolean): Promise<number> {
  const rig = await rigOf(b, "full");
  if (ring) await rig.stop(16, 2);
  else await rig.gate(16, true);
  for (let i = 0; i < 30; i++) rig.put(1, 16, 1500);
  const others = Array.from({ length: 10 }, () => rig.put(1, 3, 200)),
    from = b.cycle;
  for (let i = 0; i < 4_000 && others.some(w => w.taken === undefined); i++) await b.cycles(1);
  const took = others.some(w => w.taken === undefined) ? Infinity : b.cycle - from;
  if (ring) await rig.start(16, 2);
  else await rig.gate(16, false);
  await rig.end();
  return took;
}
/** Cycles of a frame in, and out again, one alone and many. */
export async function speed(
  b: B,
  bytes: number,
  count: number,
): Promise<{ in: number; out: number; alone: number; memory: number }> {
  const rig = await rigOf(b, "full");
  await rig.stop(16, 0);
  rig.put(0, 16, bytes);
  await b.until(() => rig.counts.spilled === 1);
  await b.cycles(100);
  const lone = b.cycle;
  await rig.ask(0, "drain", 16);
  await b.until(() => rig.counts.restored === 1);
  const alone = b.cycle - lone;
  await b.until(() => !rig.ring(0).held);
  await rig.stop(16, 0);
  for (let i = 0; i < count; i++) rig.put(i % 4, 16, bytes);
  const begin = b.cycle;
  await b.until(() => rig.inlets.waiting === 0);
  const into = (b.cycle - begin) / count;
  await b.cycles(200);
  const from = b.cycle,
    beats = rig.busBeats;
  await rig.ask(0, "drain", 16);
  await b.until(() => rig.counts.restored === count + 1);
  const out = (b.cycle - from) / count,
    memory = (rig.busBeats - beats) / (b.cycle - from);
  await rig.end();
  return { in: into, out, alone, memory };
}

/** All at one class queue: users at their limits, a slow memory, and a DAG of each of two users that comes and goes. */
export async function crowded(b: B, rounds = 12): Promise<SpillRig> {
  const slow = (): Pause => bursts({ go: 8, pause: 40 }, b.random.word()),
    rig = await rigOf(b, "small", { pause: slow, memory: { latency: 40, jitter: 60 } }),
    epochs = rig.epochs(20),
    dags = [0, 3];
  rig.stay = 30;
  for (let round = 0; round < rounds; round++) {
    // Now both have little, now one of them.
    if (round % 4 === 0) {
      const most = round % 8 === 0 ? 3 : rig.p.contexts;
      await rig.users(u => ({ limited: u === 0 ? 1 : 0, bytes: 4_000, contexts: u === 3 ? 3 : most }));
    }
    const put = (count: number): void => {
      for (let i = 0; i < count; i++) rig.put(0, dags[b.random.below(2)] ?? 0, lengthOf(b, rig));
    };
    put(6);
    await b.cycles(b.random.between(0, 60));
    for (const [r, dag] of dags.entries()) {
      if (b.random.chance(0.5)) await rig.ask(r, "fill", dag);
      await rig.stop(dag, r);
    }
    put(8);
    await b.cycles(b.random.between(0, 500));
    await Promise.all(
      dags.map(async (dag, r) => {
        await b.cycles(b.random.between(0, 200));
        await rig.ask(r, "drain", dag);
        for (let i = 0; i < 8; i++) {
          rig.put(0, dag, lengthOf(b, rig));
          await b.cycles(b.random.between(0, 80));
        }
        await b.until(() => !rig.ring(r).held);
      }),
    );
  }
  await rig.end();
  epochs.cancel();
  return rig;
}
/** A record's first beat fails: frames are lost up to the next chunk, counted one by one, and no more. */
export async function oneHeader(b: B): Promise<{ readonly lost: number; readonly begin: number }> {
  const rig = await rigOf(b, "small"),
    first = rig.p.memoryBytes - rig.p.rings * rig.p.ringBytes,
    bytes = 600,
    beats = Math.ceil(bytes / 64) + 1,
    /** Records that begin in the first chunk, behind its first beat. */
    begin = Math.ceil(63 / beats);
  rig.mayLose = true;
  await rig.stop(1, 0);
  for (let i = 0; i < 3 * begin; i++) rig.put(0, 1, bytes);
  await b.until(() => rig.inlets.waiting === 0);
  await b.cycles(200);
  rig.ram.failAt({ from: first + 64, to: first + 128 });
  await rig.start(1, 0);
  await rig.end();
  const lost = rig.counts.lost + rig.counts.discarded;
  await nextLife(rig, first);
  return { lost, begin };
}
/** All that a ring has fails. What is lost then is over with it: the next frames in it are whole. */
async function nextLife(rig: SpillRig, first: number): Promise<void> {
  const { b } = rig;
  for (const fails of [true, false]) {
    const before = rig.counts.lost + rig.counts.discarded;
    rig.ram.mend();
    await rig.stop(1, 0);
    for (let i = 0; i < 3; i++) rig.put(0, 1, 100);
    await b.until(() => rig.inlets.waiting === 0);
    await b.cycles(200);
    // They were written well, and are read badly.
    if (fails) rig.ram.failAt({ from: first, to: first + rig.p.ringBytes });
    await rig.start(1, 0);
    await b.until(() => !rig.ring(0).held);
    await rig.end();
    expect(rig.counts.lost + rig.counts.discarded - before, "frames lost in this life").toBe(fails ? 3 : 0);
  }
}
/**
 * A record that was changed in memory, by one field: a length that cannot be, which is one beat more than the longest
 * frame has, or none, or a DAG that is not the ring's. All is dropped up to the chunk that tells where a record begins.
 * @returns what was lost of each, and the records that begin in front of that chunk
 */
export async function changedRecords(b: B): Promise<{ readonly lost: readonly number[]; readonly begin: number }> {
  const rig = await rigOf(b, "small"),
    { p } = rig,
    first = p.memoryBytes - p.rings * p.ringBytes,
    bytes = 600,
    begin = Math.ceil(63 / (Math.ceil(bytes / 64) + 1)),
    Record = SpillRecord(p),
    at = (name: string): { lsb: number; width: number } => {
      const fields = Object.entries(Record.fields),
        // The first field is the lowest.
        front = fields.slice(
          0,
          fields.findIndex(f => f[0] === name),
        );
      return { lsb: front.reduce((n, [, f]) => n + widthOf(f), 0), width: widthOf(Record.fields[name as "beats"]) };
    };
  const most = Math.ceil(p.frameBytes / 64),
    lost: number[] = [],
    beats = at("beats"),
    changes = [most + 1, 0].map(value => ({ ...beats, value }));
  for (const { lsb, width, value } of [...changes, { ...at("dag"), value: 2 }]) {
    // The ring begins at its start again.
    await rig.reset();
    await rig.users();
    rig.mayLose = true;
    await rig.stop(1, 0);
    for (let i = 0; i < begin + 2; i++) rig.put(0, 1, bytes);
    await b.until(() => rig.inlets.waiting === 0);
    await b.cycles(200);
    const beat = number(rig.ram.read(first + 64, 64)),
      changed = (beat & ~(((1n << BigInt(width)) - 1n) << BigInt(lsb))) | (BigInt(value) << BigInt(lsb));
    rig.ram.write(
      first + 64,
      Uint8Array.from({ length: 64 }, (_, i) => Number((changed >> BigInt(8 * i)) & 255n)),
    );
    await rig.start(1, 0);
    await rig.end();
    lost.push(rig.counts.lost + rig.counts.discarded);
  }
  return { lost, begin };
}
/** A ring's user is at its quota for long: who stands in the class queue has its turn. */
export async function atQuota(b: B): Promise<number> {
  const rig = await rigOf(b, "small");
  rig.stay = 6_000;
  await rig.users(u => ({ contexts: u === 0 ? 2 : rig.p.contexts }));
  for (let i = 0; i < 4; i++) rig.put(0, 4, 100);
  // One goes. The others wait for their user's quota, and not for a region: they are not the ring's.
  await rig.ask(1, "fill", 4);
  await b.cycles(200);
  expect(rig.counts.spilled, "frames of a DAG that does not wait").toBe(0);
  await rig.stop(4, 1);
  await b.until(() => rig.ring(1).inside === 3);
  await rig.ask(1, "drain", 4);
  await b.cycles(50);
  const others = Array.from({ length: 20 }, () => rig.put(0, 3, 100)),
    from = b.cycle;
  await b.until(() => others.every(w => w.taken !== undefined));
  const took = b.cycle - from;
  rig.stay = 20;
  await b.until(() => !rig.ring(1).held);
  await rig.end();
  return took;
}
/** A ring drains that was empty, and a frame for it is on its way: into it, or into the memory. */
export async function atTheEnd(b: B): Promise<SpillRig> {
  const rig = await rigOf(b, "small");
  for (let round = 0; round < 8; round++) {
    await rig.stop(2, 0);
    rig.holdsInlets = true;
    rig.put(0, 2, 200);
    await b.cycles(b.random.between(0, 8));
    await rig.ask(0, "drain", 2);
    await b.cycles(40);
    rig.holdsInlets = false;
    await b.until(() => !rig.ring(0).held && rig.inlets.waiting === 0);
    // Its record stands behind those of another ring, and the memory takes no address.
    await rig.stop(1, 1);
    await rig.stop(2, 0);
    rig.holdsBus = true;
    for (let i = 0; i < 4; i++) rig.put(1, 1, 64);
    await b.until(() => rig.ring(1).inside === 4);
    rig.put(0, 2, 64);
    await b.until(() => rig.ring(0).inside === 1);
    await rig.ask(0, "drain", 2);
    await b.cycles(60);
    rig.holdsBus = false;
    await Promise.all([b.until(() => !rig.ring(0).held), rig.start(1, 1)]);
  }
  // It drains in each cycle of a frame's way into it.
  for (let cycle = 0; cycle < 24; cycle++) {
    await rig.stop(2, 0);
    rig.put(0, 2, 64);
    await b.cycles(cycle);
    await rig.ask(0, "drain", 2);
    await b.until(() => !rig.ring(0).held && rig.inlets.waiting === 0);
  }
  await rig.end();
  return rig;
}
