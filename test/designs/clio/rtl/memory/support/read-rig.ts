/** Reads through AccessRead, held against what memory holds. */
import { expect } from "vitest";
import type { AccessRead } from "../../../../../../designs/clio/rtl/memory/access-read.ts";
import { dataOffset, type Reply, replyForm } from "../../../../../../designs/clio/rtl/records/records.ts";
import { status } from "../../../../../../designs/clio/wire/index.ts";
import {
  AxiRam,
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
  frameBeats,
  memoryBeats,
  type Parameters,
  pieces,
  randomRequest,
  readPorts,
  readsBad,
  type Request,
  value,
  wordUse,
} from "../memory-bench.ts";

export type Ports = ReturnType<typeof AccessRead>["ports"];
export interface Surroundings {
  readonly pause?: () => Pause;
  readonly latency?: number;
  readonly jitter?: number;
  /** Addresses that answer with an error. */
  readonly bad?: readonly Bad[];
  /**
   * Takes replies and data as net_tx does: the header's beats before the data of each reply, the next reply only when a
   * frame has left.
   */
  readonly asNetTx?: boolean;
}

/** Reads in front of the queue of those that wait to be turned, and behind it. */
const inStages = 4;

/** Does the requests and holds replies and data against what memory holds. @returns edges of what happened. */
export async function run(b: Bench<Ports>, p: Parameters, requests: readonly Request[], o: Surroundings = {}) {
  const pause = o.pause ?? (() => never),
    bad = o.bad ?? [];
  const memory = new SparseMemory({ fill: { seed: b.random.word() } });
  const pauseR = pause();
  let unanswered = false;
  const ram = new AxiRam(b.sim, readPorts(b.io), {
    memory,
    latency: o.latency ?? 20,
    jitter: o.jitter ?? 0,
    pause: { ar: pause(), r: () => unanswered || pauseR() },
  });
  for (const range of bad) ram.failAt(range);
  const request = new StreamSource(b.sim, b.io.request, { pause: pause() });
  // With asNetTx: beats that the frame still takes, its header's first; one more reply is taken meanwhile,
  // as net_tx does.
  let left = 0,
    header = 0,
    started = 0;
  const replies: StreamSink<ReturnType<typeof Reply>> = new StreamSink(b.sim, b.io.reply, {
    pause: o.asNetTx ? () => replies.received.length > started : pause(),
  });
  const data = new StreamSink(b.sim, b.io.data, { pause: o.asNetTx ? () => left === 0 || header > 0 : pause() });
  if (o.asNetTx) {
    let seen = 0;
    b.onEdge({
      sample: () => {
        if (left > 0 && header > 0) header--;
        else if (data.received.length > seen) {
          seen = data.received.length;
          left--;
        }
        if (left > 0 || started === replies.received.length) return;
        left = frameBeats(requests[started++] as Request, p);
        header = Math.floor(dataOffset / p.beatBytes);
      },
    });
  }
  const edges = { ar: [] as number[], r: [] as number[] };
  new StreamMonitor(b.sim, b.io.ar, s => {
    edges.ar.push(s.cycle);
  });
  new StreamMonitor(b.sim, b.io.r, s => {
    edges.r.push(s.cycle);
  });
  const counted = { reads: 0, readBytes: 0 };
  let mostInFlight = 0;
  b.onEdge({
    sample: () => {
      for (const name of ["reads", "readBytes"] as const) counted[name] += b.io.events[name].value;
      mostInFlight = Math.max(mostInFlight, edges.ar.length - replies.received.length);
    },
  });
  const sent = requests.map(r => request.send(value(r, p, false)));
  const beats = requests.reduce((n, r) => n + frameBeats(r, p), 0);
  await b.until(() => data.received.length === beats && replies.received.length === requests.length);
  await b.cycles(5);
  expect([data.received.length, replies.received.length, edges.r.length]).toEqual([
    beats,
    requests.length,
    requests.reduce((n, r) => n + memoryBeats(r, p), 0),
  ]);

  const fails = (r: Request): boolean => readsBad(r, p, bad);
  let beat = 0;
  const firstData: number[] = [];
  for (const [n, r] of requests.entries()) {
    expect(replies.received[n]?.value, `reply ${n}`).toEqual({
      slot: r.slot,
      form: replyForm.data,
      word: wordUse(r),
      opcode: r.opcode,
      status: status.OK,
    });
    const wanted = new Uint8Array(r.length);
    for (const x of pieces(r, p)) wanted.set(memory.read(x.address, x.length), x.from);
    const got = Buffer.alloc(frameBeats(r, p) * p.beatBytes);
    for (let i = 0; i < frameBeats(r, p); i++, beat++) {
      const { value: v, cycle } = data.received[beat] as (typeof data.received)[number];
      if (i === 0) firstData.push(cycle);
      const last = i === frameBeats(r, p) - 1;
      got.set(
        Buffer.from(
          BigInt(v.data)
            .toString(16)
            .padStart(p.beatBytes * 2, "0"),
          "hex",
        ).reverse(),
        i * p.beatBytes,
      );
      expect([v.last, v.bad], `read ${n} beat ${i}`).toEqual([last ? 1 : 0, last && fails(r) ? 1 : 0]);
    }
    if (
      !fails(r) &&
      !got
        .subarray(dataOffset % p.beatBytes)
        .subarray(0, r.length)
        .equals(wanted)
    )
      expect.fail(`read ${n} (offset ${r.offset}, ${r.length} bytes) gives other bytes than memory holds`);
    if (o.asNetTx) expect((replies.received[n] as { cycle: number }).cycle).toBeLessThan(firstData[n] as number);
  }
  const done = requests.filter(r => !fails(r)),
    cyclesOf = (all: readonly { readonly cycle: number }[]): readonly number[] => all.map(x => x.cycle),
    times = {
      ar: [...edges.ar],
      r: [...edges.r],
      replies: cyclesOf(replies.received),
      data: cyclesOf(data.received),
      mostInFlight,
    };
  expect(counted).toEqual({ reads: done.length, readBytes: done.reduce((n, r) => n + r.length, 0) });
  if (o.asNetTx !== true) {
    // As many reads can be issued as ever, and no more: those that wait to be turned, and those in the stages there.
    const issued = edges.ar.length,
      replied = replies.received.length;
    unanswered = true;
    for (let n = 0; n < p.outstanding + 8; n++) request.send(value(one(b, p, 64, 1), p, false));
    const count = p.outstanding + inStages;
    await allBack(b, { what: "reads under way", count, had: () => edges.ar.length - issued, settle: 100 });
    unanswered = false;
    await b.until(() => replies.received.length === replied + p.outstanding + 8);
  }
  return { requests: sent.map(s => s.cycle as number), ...times };
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
  opcode: 0x41,
  ppns: Array.from({ length: p.pagesPerRequest }, (_, i) => 3 + 2 * i),
  bytes: new Uint8Array(length),
});
