/** Parts of the line that partitions share: PartitionRx and PartitionTx by themselves. */
import { describe, expect, test } from "vitest";
import { partitionBeats, PartitionRx } from "../../../../../designs/clio/rtl/partition/partition-rx.ts";
import { PartitionTx, txTurn } from "../../../../../designs/clio/rtl/partition/partition-tx.ts";
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
import { expectTurnsKept } from "./turns-kept.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const p = { partitions: 2, beatBytes: 8, frameBytes: 64, plain: true } as const,
  most = p.frameBytes / p.beatBytes;
const rx = PartitionRx(p),
  tx = PartitionTx(p);
type RxPorts = typeof rx.ports;
type TxPorts = typeof tx.ports;
interface Beat {
  readonly data: bigint;
  readonly keep: number | bigint;
  readonly last: number;
  readonly user: number;
}

/** The stream of each partition, which the ports' type does not name. */
const each = (io: unknown, name: string): readonly never[] =>
  [0, 1].map(i => (io as Readonly<Record<string, never>>)[`${name}${i}`] as never);
const beatsOf = (s: { readonly received: readonly { readonly value: unknown }[] }): Beat[] =>
  s.received.map(r => r.value as Beat);
/** A frame of a partition: its low bit is the owner, the rest of the first beat its number. */
function frame(b: { readonly random: Bench<RxPorts>["random"] }, owner: number, number: number, beats: number): Beat[] {
  return Array.from({ length: beats }, (_, i) => ({
    data: i === 0 ? (BigInt(number) << 1n) | BigInt(owner) : b.random.bits(64),
    keep: 255n,
    last: i === beats - 1 ? 1 : 0,
    user: 0,
  }));
}
function framesOf(beats: readonly Beat[]): Beat[][] {
  const out: Beat[][] = [[]];
  for (const x of beats) {
    (out.at(-1) as Beat[]).push(x);
    if (x.last === 1) out.push([]);
  }
  out.pop();
  return out;
}
const numberOf = (f: readonly Beat[]): bigint => (f[0] as Beat).data >> 1n;
const plainly = (f: readonly Beat[]): string => f.map(x => `${x.data}${x.last === 1 ? "." : ","}`).join("");

/** Frames of both, back to back or not, into queues that are emptied at their own pace. */
async function receive(
  b: Bench<RxPorts>,
  count: number,
  give: Pause,
  take: readonly [Pause, Pause],
): Promise<{ readonly dropped: readonly number[] }> {
  const io = b.io,
    source = new StreamSource(b.sim, io.rx, { pause: give });
  const sinks = each(io, "rx").map((s, i) => new StreamSink(b.sim, s, { pause: take[i] as Pause }));
  const dropped = [0, 0],
    sent: Beat[][][] = [[], []];
  b.onEdge({
    sample: () => {
      if (io.rx.ready.value !== 1) throw new Error("the line is held up");
      for (const i of [0, 1]) dropped[i]! += (Number(io.dropped.value) >> i) & 1;
    },
  });
  for (let n = 0; n < count; n++) {
    const owner = b.random.between(0, 1),
      f = frame(b, owner, n, b.random.between(1, most));
    sent[owner]!.push(f);
    const all = f.map(x => source.send(x));
    await b.until(() => all.every(x => x.cycle !== undefined));
  }
  const left = (): boolean => sinks.every((s, i) => framesOf(beatsOf(s)).length + dropped[i]! === sent[i]!.length);
  await b.until(left);
  sinks.forEach((s, i) => {
    const came = framesOf(beatsOf(s)),
      known = new Map(sent[i]!.map(f => [numberOf(f), plainly(f)]));
    expect(came.map(numberOf)).toEqual(came.map(numberOf).toSorted((x, y) => (x < y ? -1 : 1)));
    for (const f of came) expect(plainly(f)).toBe(known.get(numberOf(f)));
  });
  return { dropped };
}

/** Frames of up to two beats more than the largest pass; of one that is longer the beats between are cut out. */
async function tooLong(b: Bench<RxPorts>): Promise<void> {
  const source = new StreamSource(b.sim, b.io.rx, { pause: bernoulli(0.2, 1) }),
    sinks = each(b.io, "rx").map(s => new StreamSink(b.sim, s)),
    wanted: string[][] = [[], []];
  for (let n = 0; n < 120; n++) {
    const owner = b.random.between(0, 1),
      f = frame(b, owner, n, n % 2 === 0 ? most + (n % 12) / 2 : b.random.between(1, 2 * most)),
      last = f.at(-1) as Beat;
    wanted[owner]!.push(plainly(f.length > most + 2 ? [...f.slice(0, most + 1), last] : f));
    const sent = f.map(x => source.send(x));
    await b.until(() => sent.every(x => x.cycle !== undefined));
    // Room for all of it: only what is too long is looked at here.
    await b.cycles(3 * most);
    expect(b.io.dropped.num).toBe(0);
  }
  expect(sinks.map(s => framesOf(beatsOf(s)).map(plainly))).toEqual(wanted);
}

/** One that takes nothing gets frames until a largest one and two beats have no room, whatever their lengths are. */
async function exactRoom(b: Bench<RxPorts>, lengths: () => number): Promise<void> {
  const source = new StreamSource(b.sim, b.io.rx, { pause: bernoulli(0.1, 1) }),
    sinks = each(b.io, "rx").map((s, i) => new StreamSink(b.sim, s, { pause: () => i === 0 })),
    depth = partitionBeats(p);
  let kept = 0,
    dropped = 0,
    waits = 0;
  b.onEdge({ sample: () => void (dropped += b.io.dropped.num & 1) });
  for (let n = 0; n < 60; n++) {
    const beats = lengths(),
      before = dropped,
      sent = frame(b, 0, n, beats).map(x => source.send(x));
    await b.until(() => sent.every(x => x.cycle !== undefined));
    await b.cycles(4);
    const fits = kept + most + 2 <= depth;
    expect(dropped - before, `frame ${n} dropped, ${kept} of ${depth} beats kept`).toBe(fits ? 0 : 1);
    if (fits) kept += beats;
    else waits++;
  }
  expect(waits, "frames without room").toBeGreaterThan(0);
  expect(sinks.map(s => s.received.length)).toEqual([0, 0]);
}

describe("PartitionRx", () => {
  bench("frames that are too long are cut to two beats more", rx, { seed: 1, limitCycles: 40_000 }, tooLong);
  bench("room for a largest frame, to the beat: frames of one beat", rx, { seed: 1 }, b => exactRoom(b, () => 1));
  bench("room for a largest frame, to the beat: any frames", rx, { seed: 2 }, b =>
    exactRoom(b, () => b.random.between(1, most)),
  );
  bench(
    "frames go to their partition, in order and whole; one that takes nothing loses its own, and only its",
    rx,
    { seed: 1, limitCycles: 40_000 },
    async b => {
      const { dropped } = await receive(b, 300, never, [never, bernoulli(0.97, 3)]);
      expect(dropped[0]).toBe(0);
      expect(dropped[1]).toBeGreaterThan(20);
    },
  );
  testOfResets(rx, {}, b => receive(b, 100, bernoulli(0.2, 1), [bernoulli(0.4, 2), bernoulli(0.9, 3)]));
  bench("the same with pauses, after a reset", rx, { seed: 2, limitCycles: 40_000 }, async b => {
    await b.cycles(3);
    b.sim.reset();
    await receive(b, 200, bernoulli(0.3, 1), [bernoulli(0.6, 2), bernoulli(0.9, 3)]);
  });
  bench(
    "a beat is at its partition's queue's head a cycle later, and one follows another each cycle",
    rx,
    { seed: 3 },
    async b => {
      const source = new StreamSource(b.sim, b.io.rx, { pause: never }),
        sink = new StreamSink(b.sim, each(b.io, "rx")[1]!, { pause: never });
      const sent = frame(b, 1, 0, most).map(x => source.send(x));
      await b.until(() => sink.received.length === most);
      expect(sink.received.map((r, i) => r.cycle - (sent[i]!.cycle as number))).toEqual(sent.map(() => 1));
    },
  );
  test("a queue keeps two of the largest frames at least", () =>
    expect(partitionBeats(p)).toBeGreaterThanOrEqual(2 * most));
});

/** Frames of both, each at its own pace; the frames that leave, and their times. */
async function transmit(
  b: Bench<TxPorts>,
  count: number,
  gives: readonly [Pause, Pause],
  take: Pause,
): Promise<readonly { readonly cycle: number; readonly owner: number; readonly beats: number }[]> {
  const io = b.io,
    sources = each(io, "tx").map((s, i) => new StreamSource(b.sim, s, { pause: gives[i] as Pause }));
  const sink = new StreamSink(b.sim, io.tx, { pause: take }),
    sent = sources.map((_, owner) =>
      Array.from({ length: count }, (_x, n) => frame(b, owner, n, b.random.between(1, most))),
    );
  sent.forEach((fs, i) => {
    for (const x of fs.flat()) sources[i]!.send(x as never);
  });
  await b.until(() => sink.received.length === sent.flat(2).length);
  const came = framesOf(beatsOf(sink));
  for (const owner of [0, 1])
    expect(came.filter(f => Number((f[0] as Beat).data & 1n) === owner).map(plainly)).toEqual(
      sent[owner]!.map(plainly),
    );
  return came.reduce<{ at: number; out: { cycle: number; owner: number; beats: number }[] }>(
    (a, f) => {
      const owner = Number((f[0] as Beat).data & 1n);
      a.out.push({ cycle: sink.received[a.at]!.cycle, owner, beats: f.length });
      return { at: a.at + f.length, out: a.out };
    },
    { at: 0, out: [] },
  ).out;
}

async function inTurn(b: Bench<TxPorts>): Promise<void> {
  const out = await transmit(b, 60, [never, never], never),
    turn = txTurn(p);
  const whose = (x: { readonly cycle: number }, from: number): number => Math.floor((x.cycle + from) / turn) % 2;
  // The ports do not show where the turns begin: one beginning must fit all.
  expect(Array.from({ length: 2 * turn }, (_, from) => out.every(x => whose(x, from) === x.owner)).some(Boolean)).toBe(
    true,
  );
}

/** Turns are full: frames of both partitions are always there. The first ones find the queues empty. */
async function fullTurns(b: Bench<TxPorts>): Promise<void> {
  const out = await transmit(b, 150, [never, never], never),
    half = out.slice(20, out.length / 2);
  expectTurnsKept(
    half.map(f => ({ cycle: f.cycle, owner: f.owner, cost: f.beats + 1 })),
    { partitions: p.partitions, cycles: txTurn(p), paced: true, full: true },
  );
}

describe("PartitionTx", () => {
  bench(
    "frames leave whole and in order, under random back-pressure",
    tx,
    { seed: 4, limitCycles: 60_000 },
    async b => {
      await transmit(b, 80, [bernoulli(0.3, 1), bernoulli(0.5, 2)], bernoulli(0.4, 3));
    },
  );
  testOfResets(tx, {}, b => transmit(b, 60, [bernoulli(0.3, 1), bernoulli(0.5, 2)], bernoulli(0.4, 3)));
  bench(
    "a partition's frames begin in its own turns only, whatever the other has",
    tx,
    { seed: 5, limitCycles: 60_000 },
    inTurn,
  );
  bench("a turn ends only when the next frame does not fit", tx, { seed: 6, limitCycles: 60_000 }, fullTurns);
  test.each([
    ["a frame costs a cycle too many", /(?<=cost_0 = )([^;]*)/, "($1) + 1"],
    ["a frame that just fits waits", /(?<=fits_0 = [^;]*)<= /, "< "],
  ] as const)("a planted fault is found: %s", (_, from, to) =>
    findsFault(
      runBench("full turns", plant(tx, from, to), { wave: false, hangCycles: 400, limitCycles: 60_000 }, fullTurns),
    ),
  );
});

describe("a planted fault is found", () => {
  const receiving = (design: Dut<RxPorts>) =>
    runBench("partition rx", design, { wave: false, seed: 1, hangCycles: 400, limitCycles: 40_000 }, b =>
      receive(b, 200, never, [never, bernoulli(0.97, 3)]),
    );
  const sending = (design: Dut<TxPorts>) =>
    runBench("partition tx", design, { wave: false, seed: 4, hangCycles: 400, limitCycles: 60_000 }, b =>
      transmit(b, 40, [bernoulli(0.3, 1), bernoulli(0.5, 2)], bernoulli(0.4, 3)),
    );
  test("a frame without room is let in", async () => {
    await findsFault(receiving(plant(rx, /wire admits = [^;]*;/, "wire admits = 1'b1;")));
  });
  test("later beats go by their own low bits", async () => {
    await findsFault(receiving(plant(rx, /wire owner = [^;]*;/, "wire owner = rx_payload_data[0];")));
  });
  test("a frame begins while another is being sent", async () => {
    await findsFault(sending(plant(tx, /(wire begins_1 = [^;]*)turn_fits_1([^;]*;)/, "$1turn_mine[1]$2")));
  });
  test("a partition sends in the other's turn too", async () => {
    await findsFault(
      runBench(
        "partition tx",
        plant(tx, /turn_fits_1 = turn_mine\[1\]/, "turn_fits_1 = ~(sending_0 | begins_0 | sending_1)"),
        { wave: false, seed: 5, hangCycles: 400, limitCycles: 60_000 },
        inTurn,
      ),
    );
  });
});
