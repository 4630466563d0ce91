import { describe, expect, test } from "vitest";
import { AccessWrite } from "../../../../../designs/clio/rtl/memory/access-write.ts";
import { dataOffset, replyForm } from "../../../../../designs/clio/rtl/records/records.ts";
import { status } from "../../../../../designs/clio/wire/index.ts";
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  bursts,
  legalMemories,
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
  burstPieces,
  burstsOf,
  configurations,
  frameBeats,
  memoryBeats,
  nameOf,
  type Parameters,
  randomRequest,
  type Request,
  toBig,
  value,
  wholePage,
  widths,
  wordUse,
  writePorts,
  writesBad,
} from "./memory-bench.ts";

type Ports = ReturnType<typeof AccessWrite>["ports"];
interface Surroundings {
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
async function run(b: Bench<Ports>, p: Parameters, asked: readonly Request[], o: Surroundings = {}) {
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

const randoms = (b: Bench<Ports>, p: Parameters, n: number, pages: readonly number[] = [1, 2, 5, 6, 40]): Request[] =>
  Array.from({ length: n }, () => randomRequest(b.random, p, pages));
const one = (b: Bench<Ports>, p: Parameters, offset: number, length: number): Request => ({
  slot: b.random.between(0, p.slots - 1),
  offset,
  length,
  indirect: false,
  silent: false,
  opcode: 0x51,
  ppns: Array.from({ length: p.pagesPerRequest }, (_, i) => 3 + 2 * i),
  bytes: b.random.bytes(length),
});

describe("AccessWrite", () => {
  for (const p of configurations) {
    bench(
      `${nameOf(p)}: random writes under random back-pressure`,
      AccessWrite(p),
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
    bench(`${nameOf(p)}: errors of single bursts`, AccessWrite(p), { seed: p.beatBytes }, async b => {
      let seed = b.random.word();
      const pages = [1, 2, 5, 40];
      await run(b, p, randoms(b, p, 150, pages), {
        pause: () => bernoulli(0.2, ++seed),
        jitter: 30,
        bad: badPlaces(b.random, p, pages, 6),
      });
    });
  for (const [like, ram] of Object.entries(legalMemories))
    bench(`a memory with ${like}`, AccessWrite(widths(64, 22)), {}, async b => {
      await run(b, widths(64, 22), randoms(b, widths(64, 22), 80), { ram });
    });
  for (const p of [widths(64, 22), widths(8, 12)]) {
    bench(
      `${nameOf(p)}: back to back, one beat per cycle, latency as stated`,
      AccessWrite(p),
      { seed: p.beatBytes },
      async b => {
        const L = 20,
          requests = Array.from({ length: 60 }, () => one(b, p, b.random.between(0, 3000), b.random.between(1, 1024)));
        const t = await run(b, p, [one(b, p, 64, 2), ...requests], { latency: L });
        expect(t.aw[0]).toBe((t.requests[0] as number) + 2);
        // The buffer's first beat comes the cycle after its job and waits a cycle here (the frame buffer's own comes a
        // cycle later). The beat is on the bus one cycle later.
        expect(t.w[0]).toBe((t.requests[0] as number) + 3);
        expect(t.answers[0]).toBe(t.b[0]);
        expect(t.b[0]).toBe((t.w[0] as number) + L);
        // One cycle more for a write that lies alone (align.ts).
        const cycles = requests.reduce((n, r) => n + Math.max(frameBeats(r, p), memoryBeats(r, p)) + 1, 0);
        const used = (t.w.at(-1) as number) - (t.w[0] as number);
        expect(used).toBeLessThanOrEqual(cycles);
      },
    );
    bench(
      `${nameOf(p)}: small writes, one each cycle and more outstanding than the memory is late`,
      AccessWrite(p),
      {},
      async b => {
        const requests = Array.from({ length: 200 }, (_, i) => one(b, p, (64 * i) % 2048, Math.min(2, p.beatBytes)));
        const t = await run(b, p, requests, { latency: 25 });
        expect((t.aw.at(-1) as number) - (t.aw[0] as number)).toBeLessThanOrEqual(requests.length + 2);
      },
    );
  }
  bench("waits when too many bursts are unanswered, loses nothing", AccessWrite(widths(64, 22)), {}, async b => {
    await run(b, widths(64, 22), randoms(b, widths(64, 22), 120, [1, 2]), { latency: 400 });
  });
  bench("a reset in the middle of a write leaves nothing behind", AccessWrite(widths(16, 12)), {}, async b => {
    const p = widths(16, 12),
      r = one(b, p, 4096 - 40, 300);
    b.io.bufferJob.ready.value = 1;
    b.io.aw.ready.value = 1;
    await offer(b, b.io.request, value(r, p, true));
    b.io.aw.ready.value = 0;
    await offer(b, b.io.buffer, { data: 1, last: 0 });
    await offer(b, b.io.buffer, { data: 2, last: 0 }, 4);
    b.sim.reset();
    b.io.buffer.valid.value = 0;
    b.io.request.valid.value = 0;
    await run(b, p, randoms(b, p, 40));
  });

  describe("a planted fault is found", () => {
    const p = widths(16, 12);
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "fault 9: a write answered before the memory has it",
        /assign ending_valid = b_valid & pending_pop_valid & [^;]*;/,
        "assign ending_valid = pending_pop_valid & ends;",
      ],
      [
        "answered after the first of two bursts",
        /assign ending_valid = b_valid & pending_pop_valid & [^;]*;/,
        "assign ending_valid = b_valid & pending_pop_valid;",
      ],
      [
        "fault 7: bytes past the page go on in the next physical page, not in the request's",
        /burst_next_ppns <= [^;]*;/,
        "burst_next_ppns <= burst_ppns + 1;",
      ],
      ["an error of a request's first burst forgotten", /failed = [^;]*;/, "failed = |b_payload_resp;"],
      [
        "WLAST at the end of the request only",
        /w_payload_last = [^;]*;/,
        "w_payload_last = align_output_payload_last;",
      ],
      ["only one kind of error is one", /failed_before \| \(?\|b_payload_resp\)?/, "failed_before | &b_payload_resp"],
      ["an error stays with the next write", /failed_before <= [^;]*;/, "failed_before <= failed;"],
      ["an error of a silent write is not counted", /events_unanswered = [^;]*;/, "events_unanswered = 1'b0;"],
      [
        "a write that failed is counted as written",
        /completes = b_valid & b_ready & ends & ~failed/,
        "completes = b_valid & b_ready & ends",
      ],
      [
        "a burst that failed is forgotten, its place too",
        /wire pending_pop_ready = /,
        "wire pending_pop_ready = ~(|b_payload_resp & ~ends) & ",
      ],
      ["strobes ignored", /assign output_payload_keep = [^;]*;/, "assign output_payload_keep = 16'hffff;"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(
          runBench(
            name,
            plant(AccessWrite(p), from, to),
            { wave: false, hangCycles: 1000, limitCycles: 50000 },
            async b => {
              await run(b, p, randoms(b, p, 80), {
                bad: [...wholePage(p, 40), ...badPlaces(b.random, p, [1, 2, 5], 6)],
              });
            },
          ),
        );
      });
    }
  });
});
