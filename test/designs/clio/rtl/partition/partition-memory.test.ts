/** The memory's bus that partitions share, by itself: PartitionReads and PartitionWrites. */
import { describe, expect, test } from "vitest";
import {
  memoryTurn,
  type PartitionMemoryParameters,
  PartitionReads,
  PartitionWrites,
} from "../../../../../designs/clio/rtl/partition/partition-memory.ts";
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
import { findsFault, plant } from "../../../../support/plant.ts";
import { type Booked, expectTurnsKept } from "./turns-kept.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const sets = [
  { partitions: 2, addressBits: 16, beatBytes: 8, idBits: 2, burstBeats: 8, bursts: 8, readBeats: 32 },
  { partitions: 4, addressBits: 20, beatBytes: 16, idBits: 1, burstBeats: 4, bursts: 8, readBeats: 16 },
] as const;
type Set = (typeof sets)[number];
type ReadPorts = ReturnType<typeof PartitionReads>["ports"];
type WritePorts = ReturnType<typeof PartitionWrites>["ports"];
interface Address {
  readonly addr: number;
  readonly id: number;
  readonly len: number;
}

/** The stream of each partition, which the ports' type does not name. */
const portOf = (io: unknown, name: string, i: number): never =>
  (io as Readonly<Record<string, never>>)[`${name}${i}`] as never;
const size = (p: { readonly beatBytes: number }): number => Math.log2(p.beatBytes);
/** A burst of a partition: its number is its address, so that what comes tells whose it is. */
const burst = (
  b: Pick<Bench<ReadPorts>, "random">,
  p: Omit<PartitionMemoryParameters, "bursts">,
  number: number,
): Address => ({
  addr: (number * p.beatBytes * p.burstBeats) % 2 ** p.addressBits,
  id: b.random.between(0, 2 ** p.idBits - 1),
  len: b.random.between(0, p.burstBeats - 1),
});

/**
 * Reads of all partitions, whose takers pause and stop for long, before a memory that never has to wait. What a
 * partition gets is what it asked for. One that takes nothing has its share under way and no more, the others go on,
 * and afterwards there is as much room as before.
 */
async function reads(b: Bench<ReadPorts>, p: Set): Promise<void> {
  const { io } = b,
    whose = 2 ** p.idBits,
    each = Array.from({ length: p.partitions }, (_, i) => i);
  let stopped: number | undefined,
    slow = false;
  const pauses = each.map(i => bernoulli(0.3, 30 + i));
  const asks = each.map(i => new StreamSource(b.sim, portOf(io, "ar", i), { pause: bernoulli(0.2, 10 + i) })),
    takes = each.map(i => new StreamSink(b.sim, portOf(io, "r", i), { pause: () => stopped === i || pauses[i]!() }));
  const asked = new StreamSink(b.sim, io.ar, { pause: bernoulli(0.1, 3) }),
    hesitates = bernoulli(0.1, 4),
    answers = new StreamSource(b.sim, io.r, { pause: () => slow || hesitates() });
  const most = Math.max(1, p.bursts / p.partitions),
    bursts = each.map(() => 0);
  const due: (readonly [id: number, data: bigint])[][] = each.map(() => []),
    underWay = each.map(() => 0),
    given = each.map(() => 0);
  b.onEdge({
    sample: () => {
      expect(io.r.ready.value, "the memory's beats are always taken").toBe(1);
      if (io.r.valid.value === 1 && io.r.payload.last.value === 1) bursts[Math.floor(io.r.payload.id.num / whose)]!--;
      for (let a = asked.take(); a !== undefined; a = asked.take()) {
        const { addr, id, len } = a.value as unknown as Address,
          owner = Math.floor(id / whose);
        expect(++bursts[owner]!, "bursts of a partition under way").toBeLessThanOrEqual(most);
        for (let k = 0; k <= len; k++) {
          const data = (BigInt(addr) << 8n) | BigInt(k);
          answers.send({ data, id, resp: 0, last: +(k === len) });
          underWay[owner]!++;
        }
      }
      each.forEach(i => {
        const sink = takes[i]!;
        for (let x = sink.take(); x !== undefined; x = sink.take()) {
          const { id, data } = x.value as unknown as { readonly id: number; readonly data: bigint };
          expect([id, data], `a beat of partition ${i}`).toEqual(due[i]!.shift());
          underWay[i]!--;
          given[i]!++;
        }
      });
    },
  });
  let number = 0;
  const ask = (i: number): void => {
    const a = burst(b, p, number++);
    asks[i]!.send({ ...a, size: size(p), burst: 1 });
    for (let k = 0; k <= a.len; k++) due[i]!.push([a.id, (BigInt(a.addr) << 8n) | BigInt(k)]);
  };
  const settle = (): Promise<void> => b.until(() => due.every((d, i) => d.length === 0 && asks[i]!.pending === 0));
  /** Beats under way of a partition that takes nothing, while the others take theirs. */
  const share = async (i: number): Promise<number> => {
    stopped = i;
    const before = [...given];
    for (let n = 0; n < 3 * p.readBeats; n++) for (const k of each) ask(k);
    await b.until(() => due.every((d, k) => k === i || d.length === 0));
    expect(given[i], "who takes nothing").toBe(before[i]);
    const found = underWay[i]!;
    stopped = undefined;
    await settle();
    return found;
  };
  for (let round = 0; round < 3; round++) {
    for (const i of each) {
      const found = await share(i);
      expect(found, "beats under way of who takes nothing").toBeLessThanOrEqual(p.readBeats);
      expect(found, "beats under way of who takes nothing").toBeGreaterThan(p.readBeats - p.burstBeats);
    }
    for (let n = 0; n < 60; n++) {
      slow = n % 30 > 20;
      ask(b.random.pick(each));
      if (b.random.chance(0.3)) await b.cycles(b.random.between(1, 40));
    }
    slow = false;
    await settle();
  }
}

/**
 * Writes of all partitions, whose data come late and whose answers are taken late. Each burst's data are its own and
 * stand side by side; no partition has more than its share unanswered; all are answered.
 */
async function writes(b: Bench<WritePorts>, p: Set): Promise<void> {
  const { io } = b,
    whose = 2 ** p.idBits,
    most = Math.max(1, p.bursts / p.partitions),
    each = Array.from({ length: p.partitions }, (_, i) => i);
  const addresses = each.map(i => new StreamSource(b.sim, portOf(io, "aw", i), { pause: bernoulli(0.2, 10 + i) })),
    data = each.map(i => new StreamSource(b.sim, portOf(io, "w", i), { pause: bernoulli(0.5, 20 + i) })),
    late = each.map(i => bernoulli(0.6, 30 + i)),
    takes = each.map(i => new StreamSink(b.sim, portOf(io, "b", i), { pause: () => stopped === i || late[i]!() }));
  let slow = false,
    stopped: number | undefined;
  const aw = new StreamSink(b.sim, io.aw, { pause: bernoulli(0.1, 3) }),
    w = new StreamSink(b.sim, io.w, { pause: bernoulli(0.1, 4) }),
    answers = new StreamSource(b.sim, io.b, { pause: () => slow });
  const asked: Address[] = [],
    unanswered = each.map(() => 0),
    due: number[][] = each.map(() => []);
  let beat = 0;
  b.onEdge({
    sample: () => {
      for (let a = aw.take(); a !== undefined; a = aw.take()) {
        const now = a.value as unknown as Address,
          owner = Math.floor(now.id / whose);
        asked.push(now);
        expect(++unanswered[owner]!, "bursts of a partition that are unanswered").toBeLessThanOrEqual(most);
      }
      while (asked.length > 0 && w.received.length > 0) {
        const now = asked[0]!,
          x = w.take()!.value as unknown as { readonly data: bigint; readonly last: number };
        expect(x.data, "the data of a burst").toBe((BigInt(now.addr) << 8n) | BigInt(beat));
        expect(x.last, "the last beat").toBe(+(beat === now.len));
        beat++;
        if (x.last === 1) {
          beat = 0;
          asked.shift();
          answers.send({ id: now.id, resp: now.addr % 3 === 0 ? 2 : 0 });
        }
      }
      each.forEach(i => {
        const sink = takes[i]!;
        for (let x = sink.take(); x !== undefined; x = sink.take()) {
          const { id } = x.value as unknown as { readonly id: number };
          expect(id, `an answer of partition ${i}`).toBe(due[i]!.shift());
          unanswered[i]!--;
        }
      });
    },
  });
  let number = 0;
  for (let n = 0; n < 150; n++) {
    const i = b.random.pick(each),
      a = burst(b, p, number++);
    addresses[i]!.send({ ...a, size: size(p), burst: 1 });
    due[i]!.push(a.id);
    for (let k = 0; k <= a.len; k++) {
      const strb = (1n << BigInt(p.beatBytes)) - 1n;
      data[i]!.send({ data: (BigInt(a.addr) << 8n) | BigInt(k), strb, last: +(k === a.len) });
    }
    if (n % 50 === 25) slow = true;
    if (n % 50 === 49) slow = false;
    // Now and then one takes no answers for long.
    if (n % 15 === 0) stopped = n % 2 === 0 ? b.random.pick(each) : undefined;
    if (b.random.chance(0.3)) await b.cycles(b.random.between(1, 30));
  }
  slow = false;
  stopped = undefined;
  await b.until(() => due.every(d => d.length === 0));
  await b.cycles(20);
  expect(io.waiting.value, "nothing waits").toBe(0);
}

const limits = { hangCycles: 3000, limitCycles: 200_000, wave: false } as const;
/** Sets in which nothing but the turns keeps a burst waiting. */
const roomy = { partitions: 4, addressBits: 20, beatBytes: 16, idBits: 1, burstBeats: 14, bursts: 64, readBeats: 256 },
  turnsOf = (paced: boolean, full: boolean) => ({
    partitions: roomy.partitions,
    cycles: memoryTurn(roomy),
    paced,
    full,
  }),
  /** Pauses of who asks: none, so that turns are full, or many. */
  rare = (full: boolean, seed: number): Pause => (full ? never : bernoulli(0.98, seed)),
  ownerOf = (a: Address): number => Math.floor(a.id / 2 ** roomy.idBits);

/** Reads of all partitions at any time, answered at once. */
async function readTurns(b: Bench<ReadPorts>, full: boolean): Promise<void> {
  const { io } = b,
    booked: Booked[] = [],
    out = new StreamSink(b.sim, io.ar),
    answers = new StreamSource(b.sim, io.r);
  for (let i = 0; i < roomy.partitions; i++) {
    const asks = new StreamSource(b.sim, portOf(io, "ar", i), { pause: rare(full, i) }),
      takes = new StreamSink(b.sim, portOf(io, "r", i));
    for (let n = 0; n < 200; n++) {
      // Full turns: no bursts so short that they leave sooner than others come.
      const { len, ...rest } = burst(b, roomy, n);
      asks.send({ ...rest, len: full ? Math.max(2, len) : len, size: size(roomy), burst: 1 });
    }
    b.onEdge({ sample: () => void takes.received.splice(0) });
  }
  b.onEdge({
    sample: () => {
      for (let a = out.take(); a !== undefined; a = out.take()) {
        const now = a.value as unknown as Address;
        booked.push({ cycle: a.cycle, owner: ownerOf(now), cost: now.len + 1 });
        for (let k = 0; k <= now.len; k++) answers.send({ data: 0, id: now.id, resp: 0, last: +(k === now.len) });
      }
    },
  });
  await b.until(() => booked.length >= (full ? 300 : 500));
  expectTurnsKept(booked.slice(8), turnsOf(false, full));
}

/** Writes of all partitions at any time, answered at once. */
async function writeTurns(b: Bench<WritePorts>, full: boolean): Promise<void> {
  const { io } = b,
    booked: Booked[] = [],
    out = new StreamSink(b.sim, io.aw),
    answers = new StreamSource(b.sim, io.b);
  new StreamSink(b.sim, io.w);
  for (let i = 0; i < roomy.partitions; i++) {
    const asks = new StreamSource(b.sim, portOf(io, "aw", i), { pause: rare(full, i) }),
      data = new StreamSource(b.sim, portOf(io, "w", i));
    new StreamSink(b.sim, portOf(io, "b", i));
    for (let n = 0; n < 200; n++) {
      const a = burst(b, roomy, n);
      asks.send({ ...a, size: size(roomy), burst: 1 });
      for (let k = 0; k <= a.len; k++) data.send({ data: 0, strb: 0, last: +(k === a.len) });
    }
  }
  b.onEdge({
    sample: () => {
      for (let a = out.take(); a !== undefined; a = out.take()) {
        const now = a.value as unknown as Address;
        booked.push({ cycle: a.cycle, owner: ownerOf(now), cost: now.len + 2 });
        answers.send({ id: now.id, resp: 0 });
      }
    },
  });
  await b.until(() => booked.length >= (full ? 300 : 500));
  expectTurnsKept(booked.slice(8), turnsOf(true, full));
}

describe("turns of the memory's bus", () => {
  const read = (design: Dut<ReadPorts>, full = true): Promise<void> =>
      runBench("turns", design, { ...limits, seed: 3 }, b => readTurns(b, full)),
    write = (design: Dut<WritePorts>, full = true): Promise<void> =>
      runBench("turns", design, { ...limits, seed: 3 }, b => writeTurns(b, full));
  test("a turn of reads ends only when the next burst does not fit", () => read(PartitionReads(roomy)));
  test("a turn of writes ends only when the next burst does not fit", () => write(PartitionWrites(roomy)));
  test("reads that come now and then end in their turn", () => read(PartitionReads(roomy), false));
  test("writes that come now and then end in their turn", () => write(PartitionWrites(roomy), false));
  test("a planted fault in the reads is found: a burst that just fits waits", () =>
    findsFault(read(plant(PartitionReads(roomy), /(?<=fits_0 = [^;]*)<= /, "< "))));
  test("a planted fault in the reads is found: more than the rest of the turn answers", () =>
    findsFault(read(plant(PartitionReads(roomy), /(?<=begin_2 = )[^;]*/, "{1'b0, turn_booked_2}"), false)));
  test("a planted fault in the writes is found: a burst that just fits waits", () =>
    findsFault(write(plant(PartitionWrites(roomy), /(?<=fits_0 = [^;]*)<= /, "< "))));
});

describe.each(sets)("$partitions partitions on one bus of $beatBytes bytes", p => {
  const read = (design: Dut<ReadPorts>): Promise<unknown> =>
      runBench("reads", design, { ...limits, seed: 1 }, b => reads(b, p)),
    write = (design: Dut<WritePorts>): Promise<unknown> =>
      runBench("writes", design, { ...limits, seed: 2 }, b => writes(b, p));
  testOfResets(PartitionReads(p), {}, b => reads(b, p));
  testOfResets(PartitionWrites(p), {}, b => writes(b, p));
  test("reads, takers that stop", () => read(PartitionReads(p)));
  test("writes, data and answers that are late", () => write(PartitionWrites(p)));
  test.each([
    ["room for beats comes back as they arrive", /(?<=left_0 <= left_0 - spent_0 \+ \{[^}]*, )[^}]*/, "comes_0"],
    ["room for beats does not come back", /(?<=left_0 <= left_0 - spent_0) \+ \{[^}]*\}/, ""],
    ["as many beats as there is room for, and one", /(?<=enough_0 = \{[^}]*\} )>/, ">="],
    ["a partition's burst ends with another's", /(?<=complete_0 = )comes_0 &/, ""],
    ["a beat's ID is another's", /r_payload_id\[(\d): ?0\]|r_payload_id\[0\]/, "(~$&)"],
  ] as const)("a planted fault in the reads is found: %s", (_, from, to) =>
    findsFault(read(plant(PartitionReads(p), from, to))),
  );
  test.each([
    ["a burst more than its share", /(?<=bursts_0_room = )[^;]*/, "1'b1"],
    ["an answer gives its place back before it is taken", /b0_valid & b0_ready/, "comes_0"],
    ["a burst goes out before its data are there", /\(\|data_0_packets\)/, "1'b1"],
    ["data end a beat early", /(?<=due_0 <= queue_0_pop_payload_len[^;]*) \+ \d+'d1/, ""],
  ] as const)("a planted fault in the writes is found: %s", (_, from, to) =>
    findsFault(write(plant(PartitionWrites(p), from, to))),
  );
});
