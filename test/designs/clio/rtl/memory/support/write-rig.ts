/** Writes through AccessWrite, held against a plain copy. */
import { expect } from "vitest";
import type { AccessWrite } from "../../../../../../designs/clio/rtl/memory/access-write.ts";
import { dataOffset, replyForm } from "../../../../../../designs/clio/rtl/records/records.ts";
import { status } from "../../../../../../designs/clio/wire/index.ts";
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  never,
  type Pause,
  SparseMemory,
  StreamMonitor,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";
import { allBack } from "../../../../../support/all-back.ts";
import {
  type Bad,
  burstPieces,
  burstsOf,
  frameBeats,
  memoryBeats,
  type Parameters,
  randomRequest,
  type Request,
  toBig,
  value,
  wordUse,
  writePorts,
  writesBad,
} from "../memory-bench.ts";

export type Ports = ReturnType<typeof AccessWrite>["ports"];
export interface Surroundings {
  /** Back-pressure of request, buffer job, buffer, reply, and of the memory's channels. */
  readonly pause?: () => Pause;
  readonly latency?: number;
  readonly jitter?: number;
  /** Addresses that answer with an error. */
  readonly bad?: readonly Bad[];
  /** What the memory is like otherwise. */
  readonly ram?: AxiRamOptions;
}

/**
 * Does the requests and holds memory, answers and their order against what a plain copy gives. @returns edges of what
 * happened, by request.
 */
export async function run(b: Bench<Ports>, p: Parameters, asked: readonly Request[], o: Surroundings = {}) {
  let requests = asked;
  const pause = o.pause ?? (() => never),
    bad = o.bad ?? [],
    seed = b.random.word();
  const memory = new SparseMemory({ fill: { seed } }),
    wanted = new SparseMemory({ fill: { seed } });
  const pauseB = pause();
  let unanswered = false;
  const ram = new AxiRam(b.sim, writePorts(b.io), {
    memory,
    latency: o.latency ?? 20,
    jitter: o.jitter ?? 0,
    pause: { aw: pause(), w: pause(), b: () => unanswered || pauseB() },
    ...o.ram,
  });
  for (const range of bad) ram.failAt(range);
  const request = new StreamSource(b.sim, b.io.request, { pause: pause() });
  const jobs = new StreamSink(b.sim, b.io.bufferJob, { pause: pause() });
  const replies = new StreamSink(b.sim, b.io.ending, { pause: pause() });

  // The frame buffer: beats of a job from the cycle after it on, garbage around the data.
  let nextJob = 0;
  b.onEdge({
    sample: () => {
      for (let job = jobs.take(); job !== undefined; job = jobs.take()) {
        const r = requests[nextJob++] as Request,
          beats = frameBeats(r, p),
          bytes = b.random.bytes(beats * p.beatBytes);
        expect(job.value).toEqual({ slot: r.slot, first: Math.floor(dataOffset / p.beatBytes), beats });
        bytes.set(r.bytes, dataOffset % p.beatBytes);
        for (let i = 0; i < beats; i++)
          buffer.send({
            data: toBig(bytes.subarray(i * p.beatBytes, (i + 1) * p.beatBytes)),
            last: i === beats - 1 ? 1 : 0,
          });
      }
    },
  });
  const buffer = new StreamSource(b.sim, b.io.buffer, { pause: pause() });

  const edges = { aw: [] as number[], w: [] as number[], b: [] as number[] };
  new StreamMonitor(b.sim, b.io.aw, s => {
    edges.aw.push(s.cycle);
  });
  new StreamMonitor(b.sim, b.io.w, s => {
    edges.w.push(s.cycle);
  });
  new StreamMonitor(b.sim, b.io.b, s => {
    edges.b.push(s.cycle);
  });

  const counted = { writes: 0, writesNoReply: 0, unanswered: 0, writeBytes: 0 };
  b.onEdge({
    sample: () => {
      for (const name of Object.keys(counted) as (keyof typeof counted)[]) counted[name] += b.io.events[name].value;
    },
  });

  const sent = requests.map(r => request.send(value(r, p, true)));
  const fails = (r: Request): boolean => burstPieces(r, p).some(x => writesBad(x, p, bad));
  const answers: number[] = [];
  let burstsDone = 0;
  for (const r of requests) {
    burstsDone += burstsOf(r, p);
    const before = burstsDone;
    const end = await recv();
    expect(end.value).toEqual({
      slot: r.slot,
      form: replyForm.short,
      word: wordUse(r),
      opcode: r.opcode,
      status: fails(r) ? status.FAIL : status.OK,
      silent: r.silent ? 1 : 0,
      done: 1,
    });
    expect(
      edges.b.filter(c => c <= end.cycle).length,
      "answers of the memory when the write ends",
    ).toBeGreaterThanOrEqual(before);
    if (!r.silent) answers.push(end.cycle);
  }
  async function recv() {
    await b.until(() => replies.received.length > 0);
    return replies.take() as NonNullable<ReturnType<typeof replies.take>>;
  }
  await b.until(() => edges.b.length >= burstsDone);
  await b.cycles(3);
  expect([request.pending, buffer.pending, replies.received.length, edges.b.length, edges.w.length]).toEqual([
    0,
    0,
    0,
    burstsDone,
    requests.reduce((n, r) => n + memoryBeats(r, p), 0),
  ]);

  const done = requests.filter(r => !fails(r)),
    silent = requests.filter(r => r.silent);
  expect(counted).toEqual({
    writes: done.filter(r => !r.silent).length,
    writesNoReply: done.filter(r => r.silent).length,
    unanswered: silent.filter(fails).length,
    writeBytes: done.reduce((n, r) => n + r.length, 0),
  });
  const touched = new Set<number>();
  for (const r of requests)
    for (const x of burstPieces(r, p)) {
      if (writesBad(x, p, bad)) continue;
      wanted.write(x.address, r.bytes.subarray(x.from, x.from + x.length));
      for (let at = Math.floor(x.address / 4096); at * 4096 < x.address + x.length; at++) touched.add(at);
    }
  expect(memory.pages, "memory outside of the writes").toBe(wanted.pages);
  for (const at of touched)
    if (!Buffer.from(memory.read(at * 4096, 4096)).equals(wanted.read(at * 4096, 4096)))
      expect.fail(`memory differs in the 4 KB at 0x${(at * 4096).toString(16)}`);
  const times = { aw: [...edges.aw], w: [...edges.w], b: [...edges.b] };
  if ((o.ram?.depth ?? Infinity) > p.outstanding) await allOutstanding();
  return { requests: sent.map(s => s.cycle as number), ...times, answers };

  /** As many bursts can be issued as may be unanswered, and no more. */
  async function allOutstanding(): Promise<void> {
    const issued = edges.aw.length,
      more = Array.from({ length: p.outstanding + 8 }, () => ({ ...one(b, p, 64, 1), ppns: requests[0]?.ppns ?? [] }));
    unanswered = true;
    requests = [...requests, ...more];
    for (const r of more) request.send(value(r, p, true));
    await allBack(b, {
      what: "bursts under way",
      count: p.outstanding,
      had: () => edges.aw.length - issued,
      settle: 100,
    });
    unanswered = false;
    for (let n = 0; n < more.length; n++) await recv();
  }
}

export const randoms = (
  b: Bench<Ports>,
  p: Parameters,
  n: number,
  pages: readonly number[] = [1, 2, 5, 6, 40],
): Request[] => Array.from({ length: n }, () => randomRequest(b.random, p, pages));
export const one = (b: Bench<Ports>, p: Parameters, offset: number, length: number): Request => ({
  slot: b.random.between(0, p.slots - 1),
  offset,
  length,
  indirect: false,
  silent: false,
  opcode: 0x51,
  ppns: Array.from({ length: p.pagesPerRequest }, (_, i) => 3 + 2 * i),
  bytes: b.random.bytes(length),
});
