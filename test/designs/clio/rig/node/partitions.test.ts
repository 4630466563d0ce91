/**
 * The node in partitions: processes of another partition change no cycle of a process's replies. It also does all that
 * the node does.
 */
import { describe, expect, test } from "vitest";
import {
  type CounterName,
  counters,
  makeSettings,
  partitionOfProcess,
  type Settings,
} from "../../../../../designs/clio/config/index.ts";
import { clientEndpoint, FrameClient } from "../../../../../designs/clio/workload/index.ts";
import { accessBody, dissect, faaBody, frameOffsets, opcode } from "../../../../../designs/clio/wire/index.ts";
import { concat, encode } from "../../../../../designs/shared/wire/index.ts";
import { bernoulli } from "../../../../../sim/index.ts";
import { type SimulatedNode, withNode } from "../../../../../designs/clio/rig/index.ts";
import { randomRun } from "../../../../../designs/clio/rig/node/random-run.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";

const partitioned = makeSettings({ slowPathLatency: 8, partitions: 2 }),
  whole = makeSettings({ slowPathLatency: 8 });
const { config } = partitioned,
  page = BigInt(config.pageSize),
  { beatBytes } = config;
/**
 * Both processes use the same virtual addresses: A a few pages, B more than the TLB holds, nothing of
 * them there before.
 */
const start = 16n * page,
  pagesOfA = 24,
  pagesOfB = config.tlbEntries + 40,
  pointer = start;
/** Cycles between two of A's requests, on average. */
const pace = 70;

const beatsOf = (frame: Uint8Array): number => Math.ceil(frame.length / beatBytes);

/** A's requests, the same in every run: all kinds, across pages, refused ones, and first touches of pages all along. */
function requestOfA(client: FrameClient, pid: number, r: Random): Uint8Array {
  const length = r.between(1, r.chance(0.2) ? 1400 : 100),
    at = start + BigInt(r.below(pagesOfA)) * page;
  const va = r.chance(0.2) ? at + page - BigInt(r.between(1, length)) : at + BigInt(r.between(64, 2000));
  switch (r.below(8)) {
    case 0:
    case 1:
    case 2:
      return client.read(pid, va, length);
    case 3:
    case 4:
      return client.write(pid, va, r.bytes(length));
    case 5:
      return client.request(
        opcode.ATOMIC_FAA,
        pid,
        encode(faaBody, { va: at + 4096n, length: 8, addend: BigInt(r.below(1000)) }),
      );
    case 6:
      return client.request(opcode.DEREF_READ, pid, encode(accessBody, { va: pointer, length }));
    default:
      return r.chance(0.5)
        ? client.request(opcode.FENCE, pid)
        : client.read(pid, start + BigInt(pagesOfA + r.below(9)) * page, length);
  }
}
/** B's: as much disturbance as a process can make. */
function requestOfB(client: FrameClient, pid: number, r: Random): Uint8Array {
  const va = start + BigInt(r.below(pagesOfB)) * page + BigInt(r.below(3000)),
    length = r.between(1, r.chance(0.5) ? 200 : config.maxData);
  switch (r.below(10)) {
    case 0:
    case 1:
    case 2:
      return client.write(pid, va, r.bytes(length));
    case 3:
    case 4:
    case 5:
      return client.read(pid, va, length);
    case 6:
      return client.request(opcode.ATOMIC_FAA, pid, encode(faaBody, { va: va & ~7n, length: 8, addend: 1n }));
    case 7:
      return client.request(
        opcode.DEREF_WRITE,
        pid,
        concat(encode(accessBody, { va: va & ~7n, length: 4 }), r.bytes(4)),
      );
    case 8:
      return client.request(r.chance(0.5) ? opcode.PINGPONG : opcode.FENCE, pid);
    // Longer than any frame may be: it must be gone without a trace.
    default:
      return concat(client.read(pid, va, length), new Uint8Array(config.mtuFrame + r.below(200)));
  }
}

interface Run {
  /**
   * Of A: the cycle in which each frame's last beat came, and each reply's bytes and last cycle in the
   * order of leaving.
   */
  readonly arrivals: readonly number[];
  readonly replies: readonly string[];
  readonly cycles: readonly number[];
  /** Cycles from a request's last beat in to its reply's last beat out. */
  readonly latencies: readonly number[];
  /** B's replies, and its frames that found no room. */
  readonly repliesOfB: number;
  readonly dropped: number;
}
interface Pair {
  readonly settings: Settings;
  readonly pidOfA: number;
  readonly pidOfB: number;
  readonly count: number;
}

/** A's requests at fixed cycles; with `withB` every other cycle of the line is B's. */
function run({ settings, pidOfA, pidOfB, count }: Pair, withB: boolean): Promise<Run> {
  return withNode("partitions", settings, { seed: 5, wave: false, limitCycles: 5_000_000 }, async node => {
    const { memory } = node.slowPath;
    for (const [pid, pages] of [
      [pidOfA, pagesOfA],
      [pidOfB, pagesOfB],
    ] as const) {
      memory.createProcess(pid);
      await memory.allocate({
        pid,
        address: start,
        length: BigInt(pages) * page,
        vregion: 0n,
        write: true,
        populate: false,
      });
    }
    return schedule(node, { pidOfA, pidOfB, count }, withB);
  });
}

async function schedule(
  node: SimulatedNode,
  { pidOfA, pidOfB, count }: Omit<Pair, "settings">,
  withB: boolean,
): Promise<Run> {
  const { bench, runtime } = node,
    a = new FrameClient(clientEndpoint(0), runtime),
    b = new FrameClient(clientEndpoint(1), runtime);
  const random = new Random(1),
    randomOfB = new Random(2),
    sent: { readonly bytes: Uint8Array; readonly end: number | undefined }[] = [],
    replies: string[] = [],
    cycles: number[] = [];
  const ends = new Map<number, number>(),
    { dropped: drops } = bench.io as unknown as { readonly dropped?: { readonly value: number } };
  const idOf = (frame: Uint8Array): number => dissect(frame).clio?.requestId ?? -1;
  let repliesOfB = 0,
    dropped = 0;
  bench.onEdge({
    sample: () => {
      for (let f = node.take(); f !== undefined; f = node.take()) {
        if (dissect(f.bytes).udp?.dstPort === a.endpoint.port) {
          replies.push(Buffer.from(f.bytes).toString("hex"));
          cycles.push(f.end);
          ends.set(idOf(f.bytes), f.end);
        } else repliesOfB++;
      }
      if (drops !== undefined && drops.value !== 0) dropped++;
    },
  });
  // Where A's pointer leads stands there first.
  let at = bench.cycle + 10,
    waiting = requestOfB(b, pidOfB, randomOfB);
  for (let i = 0; i <= count; i++) {
    const frame =
      i === 0
        ? a.write(
            pidOfA,
            pointer,
            encode(accessBody, { va: start + 100n })
              .slice(0, frameOffsets.clio)
              .subarray(0, 8),
          )
        : requestOfA(a, pidOfA, random);
    sent.push(node.send(frame, { at }));
    const next = at + beatsOf(frame) + (i === 0 ? 500 : random.chance(0.3) ? 0 : random.below(2 * pace));
    for (let free = at + beatsOf(frame); withB; waiting = requestOfB(b, pidOfB, randomOfB)) {
      if (free + beatsOf(waiting) > next) break;
      node.send(waiting, { at: free, damaged: randomOfB.chance(0.05) });
      free += beatsOf(waiting);
    }
    at = next;
  }
  await bench.until(() => bench.cycle > at + 3000);
  const latencies = sent.flatMap(s => {
    const end = ends.get(idOf(s.bytes));
    return end === undefined ? [] : [end - (s.end as number)];
  });
  return { arrivals: sent.map(s => s.end as number), replies, cycles, latencies, repliesOfB, dropped };
}

/** How many of A's replies leave so many cycles later beside B than alone. */
function shifts(alone: Run, beside: Run): ReadonlyMap<number, number> {
  const out = new Map<number, number>();
  alone.cycles.forEach((c, i) => {
    const d = (beside.cycles[i] ?? Infinity) - c;
    out.set(d, (out.get(d) ?? 0) + 1);
  });
  return new Map([...out].sort(([x], [y]) => x - y));
}
/** For the reader. */
const spread = ({ latencies, repliesOfB, dropped }: Run): string => {
  const sorted = [...latencies].sort((x, y) => x - y),
    at = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
  return `${sorted.length} replies, median ${at(0.5)}, 99 % ${at(0.99)}, most ${at(1)} cycles from last beat in to last beat out; B: ${repliesOfB} replies, ${dropped} frames dropped`;
};
async function pairedRun(
  p: Pair,
): Promise<{ readonly alone: Run; readonly beside: Run; readonly shifts: ReadonlyMap<number, number> }> {
  const alone = await run(p, false),
    beside = await run(p, true);
  return { alone, beside, shifts: shifts(alone, beside) };
}

describe("the node in partitions: A alone, and the same beside B's flood", () => {
  test.each([
    [1, 2],
    [2, 1],
  ])(
    "A is process %i, B process %i, in another partition: every reply of A leaves in the same cycle",
    async (pidOfA, pidOfB) => {
      expect(partitionOfProcess(config, pidOfA)).not.toBe(partitionOfProcess(config, pidOfB));
      const r = await pairedRun({ settings: partitioned, pidOfA, pidOfB, count: 300 });
      for (const [name, run] of [
        ["alone", r.alone],
        ["beside B", r.beside],
      ] as const)
        console.log(`A ${name}: ${spread(run)}`);
      // B has all that it can take, and more; A none of that.
      expect(r.beside.repliesOfB).toBeGreaterThan(300);
      expect(r.beside.dropped).toBeGreaterThan(0);
      expect(r.alone.dropped).toBe(0);
      expect(r.alone.replies.length).toBeGreaterThan(290);
      expect(r.beside.arrivals).toEqual(r.alone.arrivals);
      expect(r.beside.replies).toEqual(r.alone.replies);
      expect([...r.shifts]).toEqual([[0, r.alone.cycles.length]]);
    },
  );

  test("planted faults: the same check fails with one partition, and when both are in the same", async () => {
    for (const [settings, pidOfB] of [
      [whole, 2],
      [partitioned, 3],
    ] as const) {
      const r = await pairedRun({ settings, pidOfA: 1, pidOfB, count: 60 });
      for (const [name, run] of [
        ["alone", r.alone],
        ["beside B", r.beside],
      ] as const)
        console.log(`partitions = ${settings.config.partitions}, processes 1 and ${pidOfB}: A ${name}: ${spread(run)}`);
      expect(
        [...r.shifts.keys()].some(d => d !== 0),
        `partitions = ${settings.config.partitions}`,
      ).toBe(true);
    }
  });
});

/**
 * Counters that say what became of memory: the scoreboard's model does not follow it, so the replies stand for them.
 */
const ofMemory = new Set<CounterName>([
  "invalid",
  "writePermission",
  "readPermission",
  "outOfMemory",
  "pageFaults",
  "reads",
  "writes",
  "atomics",
  "dereferences",
  "writesNoReply",
  "readBytes",
  "writeBytes",
  "unanswered",
  "txFrames",
  "shootdowns",
]);

describe("the node in partitions does what the node does", () => {
  test("random requests of four processes, a slow and disorderly memory, a network with pauses, judged by the model", async () => {
    const r = await randomRun("random-partitions", makeSettings({ partitions: 2 }), {
      requests: 4000,
      window: 20,
      mixture: { seed: 20261120, pages: 40, stateShare: 0.25 },
      bench: { wave: false },
      ram: {
        jitter: 30,
        outOfOrder: true,
        pause: {
          ar: bernoulli(0.1, 1),
          aw: bernoulli(0.1, 2),
          w: bernoulli(0.1, 3),
          r: bernoulli(0.1, 4),
          b: bernoulli(0.1, 5),
        },
      },
      mac: { pauseTx: bernoulli(0.1, 6), pauseRx: bernoulli(0.05, 7) },
    });
    expect(r.problems).toEqual([]);
    for (const name of [
      "pageFaults",
      "tlbEvictions",
      "invalid",
      "writePermission",
      "writesNoReply",
      "atomics",
      "dereferences",
      "fences",
      "retriesAnswered",
    ] as const)
      expect(r.counters[name], name).toBeGreaterThan(0n);
    // The registers of two nodes read as those of one: sums.
    for (const { name, exact } of counters)
      if (exact && !ofMemory.has(name as CounterName))
        expect(`${name} ${r.counters[name as CounterName]}`).toBe(`${name} ${r.expected[name as CounterName]}`);
  });
});
