import { describe, expect, test } from "vitest";
import { AccessRead } from "../../../../../designs/clio/rtl/memory/access-read.ts";
import { dataOffset, type Reply, replyForm } from "../../../../../designs/clio/rtl/records/records.ts";
import { status } from "../../../../../designs/clio/wire/index.ts";
import {
  AxiRam,
  type Bench,
  bernoulli,
  bursts,
  never,
  type Pause,
  runBench,
  SparseMemory,
  StreamMonitor,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { allBack } from "../../../../support/all-back.ts";
import { offer } from "../../../../support/offer.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import {
  type Bad,
  badPlaces,
  configurations,
  frameBeats,
  memoryBeats,
  nameOf,
  type Parameters,
  pieces,
  randomRequest,
  readPorts,
  readsBad,
  type Request,
  value,
  wholePage,
  widths,
  wordUse,
} from "./memory-bench.ts";

type Ports = ReturnType<typeof AccessRead>["ports"];
interface Surroundings {
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
async function run(b: Bench<Ports>, p: Parameters, requests: readonly Request[], o: Surroundings = {}) {
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

const randoms = (b: Bench<Ports>, p: Parameters, n: number, pages: readonly number[] = [1, 2, 5, 6, 40]): Request[] =>
  Array.from({ length: n }, () => randomRequest(b.random, p, pages));
const one = (b: Bench<Ports>, p: Parameters, offset: number, length: number): Request => ({
  slot: b.random.between(0, p.slots - 1),
  offset,
  length,
  indirect: false,
  silent: false,
  opcode: 0x41,
  ppns: Array.from({ length: p.pagesPerRequest }, (_, i) => 3 + 2 * i),
  bytes: new Uint8Array(length),
});

describe("AccessRead", () => {
  for (const p of configurations) {
    bench(
      `${nameOf(p)}: random reads under random back-pressure`,
      AccessRead(p),
      { seed: p.beatBytes + p.pageShift },
      async b => {
        let seed = b.random.word();
        await run(b, p, randoms(b, p, 150), {
          pause: () => (++seed % 2 ? bernoulli(0.3, seed) : bursts({ go: 20, pause: 10 }, seed)),
          jitter: 30,
          bad: wholePage(p, 40),
        });
      },
    );
  }
  for (const p of configurations)
    bench(`${nameOf(p)}: errors of single beats`, AccessRead(p), { seed: p.beatBytes }, async b => {
      let seed = b.random.word();
      const pages = [1, 2, 5, 40];
      await run(b, p, randoms(b, p, 150, pages), {
        pause: () => bernoulli(0.2, ++seed),
        jitter: 30,
        bad: badPlaces(b.random, p, pages, 6),
      });
    });
  for (const p of [widths(64, 22), widths(8, 12)]) {
    bench(`${nameOf(p)}: latency as stated`, AccessRead(p), {}, async b => {
      const t = await run(b, p, [one(b, p, 64, 2)], { latency: 20 });
      const [asked, r] = [t.requests[0] as number, t.r[0] as number];
      expect([t.ar[0], r, t.replies[0], t.data[0]]).toEqual([asked + 1, asked + 21, r + 1, r + 2]);
    });
    bench(
      `${nameOf(p)}: back to back, one beat per cycle whatever the memory's latency`,
      AccessRead(p),
      { seed: p.beatBytes },
      async b => {
        const requests = Array.from({ length: 60 }, () =>
          one(b, p, b.random.between(0, 3000), b.random.between(1, 1024)),
        );
        const t = await run(b, p, requests, { latency: 50 });
        // One cycle more for a read that lies alone (align.ts), a few for the last one to pass.
        const cycles = requests.reduce((n, r) => n + Math.max(frameBeats(r, p), memoryBeats(r, p)) + 1, 0);
        expect((t.data.at(-1) as number) - (t.r[0] as number)).toBeLessThanOrEqual(cycles + 3);
      },
    );
  }
  for (const length of [1024, 1466]) {
    bench(
      `512 bits: at least 97 % of the wire's beats for reads of ${length} bytes with a latency of 50`,
      AccessRead(widths(64, 22)),
      { seed: length },
      async b => {
        const p = widths(64, 22),
          n = 100,
          requests = Array.from({ length: n }, () => one(b, p, b.random.between(0, 3000), length));
        const t = await run(b, p, requests, { latency: 50, asNetTx: true });
        const wire = requests.reduce((all, r) => all + Math.floor(dataOffset / p.beatBytes) + frameBeats(r, p), 0);
        const used = (t.data.at(-1) as number) - (t.replies[0] as number);
        expect(used * 0.97).toBeLessThanOrEqual(wire);
      },
    );
  }
  bench(
    "512 bits: reads of one beat, one each cycle and a half: the latency of 50 is hidden",
    AccessRead(widths(64, 22)),
    {},
    async b => {
      const p = widths(64, 22),
        requests = Array.from({ length: 300 }, () => one(b, p, 64 * b.random.between(0, 30), 16));
      const t = await run(b, p, requests, { latency: 50 });
      // The bound on requests in flight, and no more.
      expect(t.mostInFlight).toBeGreaterThanOrEqual(p.outstanding);
      expect(t.mostInFlight).toBeLessThanOrEqual(p.outstanding + 4);
      expect((t.data.at(-1) as number) - (t.data[0] as number)).toBeLessThanOrEqual(
        Math.ceil((requests.length * 54) / p.outstanding),
      );
    },
  );
  bench("a reset in the middle of a read leaves nothing behind", AccessRead(widths(16, 12)), {}, async b => {
    const p = widths(16, 12);
    b.io.ar.ready.value = 1;
    b.io.reply.ready.value = 1;
    b.io.data.ready.value = 1;
    await offer(b, b.io.request, value(one(b, p, 4096 - 40, 300), p, false));
    for (let i = 0; i < 4; i++) await offer(b, b.io.r, { data: i, id: 0, resp: 2, last: i === 2 ? 1 : 0 });
    b.sim.reset();
    b.io.r.valid.value = 0;
    b.io.request.valid.value = 0;
    await run(b, p, randoms(b, p, 40));
  });

  describe("a planted fault is found", () => {
    const p = widths(16, 12);
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "fault 7: bytes past the page come from the next physical page, not from the request's",
        /burst_next_ppns <= [^;]*;/,
        "burst_next_ppns <= burst_ppns + 1;",
      ],
      ["a memory error not told", /queue_push_payload_bad = [^;]*;/, "queue_push_payload_bad = 1'b0;"],
      [
        "only one kind of error is one",
        /input_payload_bad = \|r_payload_resp|align_input_payload_bad = [^;]*;/,
        "align_input_payload_bad = &r_payload_resp;",
      ],
      ["a reply given twice when the data wait", /reply_done <= [^;]*;/, "reply_done <= 1'b0;"],
      ["a beat queued twice when the reply waits", /data_done <= [^;]*;/, "data_done <= 1'b0;"],
      ["bursts longer than 4 KB allows", /burst_last = [^;]*;/, "burst_last = 1'b1;"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(
          runBench(
            name,
            plant(AccessRead(p), from, to),
            { wave: false, hangCycles: 1000, limitCycles: 50000 },
            async b => {
              let seed = 3;
              await run(b, p, randoms(b, p, 200), {
                pause: () => bernoulli(0.4, ++seed),
                bad: badPlaces(b.random, p, [1, 2, 5, 6, 40], 20),
              });
            },
          ),
        );
      });
    }
  });
});
