import { beforeEach, describe, expect, test } from "vitest";
import {
  frameSpace,
  gbnMemory,
  GbnStore,
  type GbnStoreParameters,
} from "../../../../../designs/shared/go-back-n/rtl/store.ts";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type Dut,
  legalMemories,
  never,
  type Pause,
  runBench,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { allBack } from "../../../../support/all-back.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

/** Frames of more than 4 KB and of more than a burst. */
const parameterSets: readonly GbnStoreParameters[] = [
  {
    sessions: 4,
    sequenceBits: 8,
    window: 4,
    beatBytes: 16,
    frameBytes: 9000,
    addressBits: 20,
    idBits: 1,
    base: 2 ** 18,
  },
  {
    sessions: 8,
    sequenceBits: 16,
    window: 8,
    beatBytes: 32,
    frameBytes: 6000,
    addressBits: 21,
    idBits: 2,
    base: 0,
  },
  // As the sNIC has it: bursts that are short, beats without registers of their own.
  {
    ...{
      sessions: 4,
      sequenceBits: 8,
      window: 4,
      beatBytes: 64,
      frameBytes: 2048,
      addressBits: 18,
      idBits: 1,
      base: 0,
    },
    ...{ burstBytes: 1024, direct: true },
  },
];
/** The set at hand. */
let p = parameterSets[0] as GbnStoreParameters;
type Ports = ReturnType<typeof GbnStore>["ports"];
interface Place {
  readonly session: number;
  readonly place: number;
}
const keyOf = (a: Place): number => a.session * p.window + a.place;

/** The store before a memory; what is in each place, and when it may be read. */
class Rig {
  readonly place: StreamSource<Ports["place"]["shape"]>;
  readonly beats: AxisSource;
  readonly read: StreamSource<Ports["read"]["shape"]>;
  readonly frames: AxisSink;
  readonly ram: AxiRam;
  readonly kept = new Map<number, Uint8Array>();
  readonly expected: Uint8Array[] = [];
  readonly starts: number[] = [];
  given = 0;
  errors = 0;
  /** Bursts that have been issued. */
  issued = 0;
  /** Nobody takes frames; the memory answers no write. */
  #holds = false;
  /** Bursts that the memory takes before it has answered one. */
  readonly #depth: number;
  readonly #b: Bench<Ports>;
  constructor(b: Bench<Ports>, pause: (seed: number) => Pause = () => never, ram: AxiRamOptions = {}) {
    this.#b = b;
    this.#depth = ram.depth ?? unanswered;
    this.place = new StreamSource(b.sim, b.io.place, { pause: pause(1) });
    this.beats = new AxisSource(b.sim, b.io.beats, { pause: pause(2) });
    this.read = new StreamSource(b.sim, b.io.read, { pause: pause(3) });
    const framesPause = pause(4),
      answersPause = ram.pause?.b ?? never;
    this.frames = new AxisSink(b.sim, b.io.frame, { pause: () => framesPause() || this.#holds });
    this.ram = new AxiRam(
      b.sim,
      axiPorts({ memAw: b.io.aw, memW: b.io.w, memB: b.io.b, memAr: b.io.ar, memR: b.io.r }, "mem"),
      { ...ram, pause: { ...ram.pause, b: () => answersPause() || this.#holds } },
    );
    b.onEdge({
      sample: () => {
        this.errors += b.io.errors.value;
        this.issued += b.io.aw.valid.value & b.io.aw.ready.value;
        for (let f = this.frames.take(); f !== undefined; f = this.frames.take()) {
          const want = this.expected.shift();
          if (want === undefined) throw new Error("a frame that nobody asked for");
          expect(Buffer.from(f.bytes).equals(want), `frame of ${f.bytes.length} bytes, ${want.length} asked for`).toBe(
            true,
          );
          this.starts.push(f.start);
        }
      },
    });
  }
  get written(): number {
    return this.#b.io.written.value;
  }
  write(at: Place, bytes: Uint8Array): void {
    this.place.send({ at, bytes: bytes.length });
    this.beats.send(bytes);
    this.kept.set(keyOf(at), bytes);
    this.given++;
  }
  ask(at: Place, comes = true): void {
    this.read.send(at);
    if (comes) this.expected.push(this.kept.get(keyOf(at)) as Uint8Array);
  }
  async settle(): Promise<void> {
    await this.#b.until(
      () =>
        this.written === this.given % 65536 &&
        this.expected.length === 0 &&
        this.read.pending === 0 &&
        this.#b.io.reading.value === 0,
    );
    await this.#b.cycles(5);
  }
  /** Every burst that may be unanswered, and every place of a frame that was read, can be had; then all ends. */
  async allBack(good: Place = { session: 0, place: 0 }): Promise<void> {
    await this.settle();
    const { issued, errors } = this;
    this.#holds = true;
    for (let i = 0; i < unanswered + 3; i++) this.write(good, Uint8Array.of(i));
    const had = (): number => this.issued - issued;
    await allBack(this.#b, { what: "bursts unanswered", count: Math.min(unanswered, this.#depth), had });
    this.#holds = false;
    await this.settle();
    this.#holds = true;
    for (let i = 0; i < waitingFrames + 2; i++) this.ask(good);
    const read = (): number => waitingFrames + 2 - this.read.pending;
    await allBack(this.#b, { what: "frames that wait", count: waitingFrames, had: read, settle: 200 });
    this.#holds = false;
    await this.settle();
    expect(this.errors - errors, "errors at the end").toBe(0);
  }
}
/** Bursts that the memory need not have answered, and frames that nobody need have taken (store.ts). */
const unanswered = 64,
  waitingFrames = 2;
const anyPlace = (b: Bench<Ports>): Place => ({
  session: b.random.between(0, p.sessions - 1),
  place: b.random.between(0, p.window - 1),
});
const lengths = [1, 15, 16, 17, 60, 4095, 4096, 4097, 8192, 8193, 9000];

/**
 * Frames of all lengths go to all places and are read while others are written; a place is written again once
 * nobody reads it.
 */
async function traffic(
  b: Bench<Ports>,
  frames: number,
  o: { readonly pause?: (seed: number) => Pause; readonly ram?: AxiRamOptions } = {},
): Promise<Rig> {
  const rig = new Rig(b, o.pause, o.ram),
    r = b.random;
  for (let i = 0; i < frames; i++) {
    for (let n = r.between(1, 4); n > 0; n--) {
      const at = anyPlace(b);
      if (rig.expected.length === 0 && rig.read.pending === 0)
        rig.write(at, r.bytes(r.chance(0.4) ? r.pick(lengths.filter(n => n <= p.frameBytes)) : r.between(1, 300)));
    }
    await b.until(() => rig.written === rig.given % 65536);
    for (let n = r.between(0, 3); n > 0; n--) {
      const at = anyPlace(b);
      if (rig.kept.has(keyOf(at))) rig.ask(at);
    }
    // Others are written meanwhile.
    const busy = rig.expected.map(bytes => [...rig.kept].find(([, v]) => v === bytes)?.[0]),
      free = anyPlace(b);
    if (r.chance(0.5) && !busy.includes(keyOf(free))) rig.write(free, r.bytes(r.between(1, 600)));
    await rig.settle();
  }
  await rig.allBack();
  return rig;
}
/** A frame's bursts, as bytes of its place. */
const burstsOf = (length: number): readonly (readonly [from: number, to: number])[] => {
  const bytes = Math.min(256 * p.beatBytes, p.burstBytes ?? 4096);
  return Array.from({ length: Math.ceil(length / bytes) }, (_, i) => [
    i * bytes,
    Math.min((i + 1) * bytes, Math.ceil(length / p.beatBytes) * p.beatBytes),
  ]);
};
/**
 * A memory with a bad byte in the first, a middle or the last beat of some places: the frames there do not come out,
 * all others do. Each burst and each frame that fails is told of once, though others are under way.
 */
async function badBytes(b: Bench<Ports>): Promise<void> {
  const r = b.random,
    places = Array.from({ length: p.sessions * p.window }, (_, i) => i),
    longest = Math.min(3 * 4096 - 1, p.frameBytes),
    bad = places.map(() => (r.chance(0.5) ? r.pick([0, 8, r.between(0, longest - 1), longest - 9]) : undefined));
  const rig = new Rig(b, seed => bernoulli(0.1, seed), {
    // Addresses wait while others are answered.
    latency: { read: 12, write: 9 },
    accepts: "data first",
    errors: bad.flatMap((at, i) => {
      const from = p.base + i * frameSpace(p);
      return at === undefined ? [] : [{ from: from + at, to: from + at + 1 }];
    }),
  });
  const at = (i: number): Place => ({ session: Math.floor(i / p.window), place: i % p.window });
  const lengthsOf = places.map(() => r.pick([longest, longest - 9, r.between(1, longest)]));
  const fails = (i: number): boolean => (bad[i] ?? Infinity) < Math.ceil(lengthsOf[i]! / p.beatBytes) * p.beatBytes;
  for (const i of places) rig.write(at(i), r.bytes(lengthsOf[i]!));
  await rig.settle();
  const failing = places.filter(fails);
  expect(rig.errors, "bursts that failed").toBe(
    failing.filter(i => burstsOf(lengthsOf[i]!).some(([from, to]) => bad[i]! >= from && bad[i]! < to)).length,
  );
  const told = rig.errors;
  for (const i of places) rig.ask(at(i), !fails(i));
  // One that fails is asked for a cycle before it is being read.
  await rig.settle();
  await rig.settle();
  expect(rig.errors - told, "frames that failed").toBe(failing.length);
  const good = places.find(i => (bad[i] ?? Infinity) >= p.beatBytes);
  if (good === undefined) throw new Error("every place has a bad first beat: take another seed");
  await rig.allBack(at(good));
}
const limits = { hangCycles: 5000, limitCycles: 300_000 };

describe.each(parameterSets)("GbnStore, $sessions sessions, beats of $beatBytes bytes", set => {
  beforeEach(() => {
    p = set;
  });
  bench(
    "frames of every length in every place, memory and streams that pause: read as they were written",
    GbnStore(set),
    { seed: 1, ...limits },
    async b => {
      const rig = await traffic(b, 60, {
        pause: seed => bernoulli(0.2, seed),
        ram: {
          latency: { read: 20, write: 25 },
          pause: {
            aw: bernoulli(0.3, 5),
            w: bernoulli(0.2, 6),
            b: bernoulli(0.2, 7),
            ar: bernoulli(0.3, 8),
            r: bernoulli(0.2, 9),
          },
        },
      });
      expect(rig.errors).toBe(0);
    },
  );
  for (const [like, ram] of Object.entries(legalMemories))
    bench(`a memory with ${like}`, GbnStore(set), limits, async b => {
      const rig = await traffic(b, 15, { ram: { latency: 10, ...ram } });
      expect(rig.errors).toBe(0);
    });
  bench(
    "one beat per cycle each way; latencies as stated; where a frame lies",
    GbnStore(set),
    { seed: 2, ...limits },
    async b => {
      const rig = new Rig(b, undefined, { latency: { read: 10, write: 10 } }),
        first = { aw: 0, w: 0, ar: 0 };
      b.onEdge({
        sample: cycle => {
          for (const n of ["aw", "w", "ar"] as const) if (first[n] === 0 && b.io[n].valid.value === 1) first[n] = cycle;
        },
      });
      const beats: number[] = [];
      b.onEdge({
        sample: cycle => {
          if (b.io.w.valid.value === 1 && b.io.w.ready.value === 1) beats.push(cycle);
        },
      });
      const begun = b.cycle;
      for (let i = 0; i < 8; i++) rig.write({ session: 1 + (i >> 2), place: i % 4 }, b.random.bytes(320));
      await rig.settle();
      expect((beats.at(-1) as number) - (beats[0] as number)).toBe((8 * 320) / p.beatBytes - 1);
      expect([first.aw - begun, first.w - begun]).toEqual([2, p.direct === true ? 1 : 2]);
      const at = p.base + (2 * p.window + 3) * frameSpace(p);
      expect(Buffer.from(rig.ram.read(at, 320)).equals(rig.kept.get(2 * p.window + 3) as Uint8Array)).toBe(true);
      expect(gbnMemory(p)).toBe(p.sessions * p.window * frameSpace(p));
      const asked = b.cycle;
      rig.ask({ session: 2, place: 3 });
      await rig.settle();
      expect(first.ar - asked).toBe(1 + 2);
      await rig.allBack();
    },
  );
  bench(
    "an error of the memory: the frame read does not come out, the next one does; an error of a write is told, too",
    GbnStore(set),
    { seed: 3, ...limits },
    async b => {
      const bad = p.base + frameSpace(p),
        rig = new Rig(b, undefined, { errors: [{ from: bad, to: bad + frameSpace(p) }] });
      rig.write({ session: 0, place: 0 }, b.random.bytes(100));
      await rig.settle();
      expect(rig.errors).toBe(0);
      rig.write({ session: 0, place: 1 }, b.random.bytes(Math.min(5000, p.frameBytes)));
      await rig.settle();
      const told = rig.errors;
      expect(told).toBeGreaterThan(0);
      rig.ask({ session: 0, place: 1 }, false);
      rig.ask({ session: 0, place: 0 });
      await rig.settle();
      expect(rig.errors).toBe(told + 1);
      await rig.allBack();
    },
  );
  for (const seed of [1, 2])
    bench(`bad bytes anywhere in frames of several bursts, seed ${seed}`, GbnStore(set), { seed, ...limits }, badBytes);
  bench(
    "full: with 64 bursts unanswered nothing more is issued, and nothing is lost",
    GbnStore(set),
    { seed: 4, ...limits },
    async b => {
      let open = false;
      const rig = new Rig(b, undefined, { pause: { b: () => !open } });
      for (let i = 0; i < 100; i++) rig.write({ session: i % 4, place: (i >> 2) % 4 }, b.random.bytes(16));
      await b.cycles(400);
      expect([rig.issued, rig.written]).toEqual([unanswered, 0]);
      open = true;
      await rig.settle();
      expect(rig.written).toBe(100);
      await rig.allBack();
    },
  );

  const stray = (design: Dut<Ports>): Promise<unknown> =>
    runBench("stray", design, { wave: false }, async b => {
      b.io.b.valid.value = 1;
      await b.cycles(3);
    });
  test("an answer to nothing ends the simulation", async () => {
    const told = /an answer \(B\) belongs to a burst that was issued/;
    await expect(stray(GbnStore(set))).rejects.toThrow(told);
  });

  testOfResets(GbnStore(set), { most: 900 }, b => traffic(b, 20, { pause: seed => bernoulli(0.2, seed) }));

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, ...limits, seed: 5 }, b =>
        traffic(b, 25, { ram: { latency: { read: 10, write: 30 } } }),
      );
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "a frame counts as written before the memory has answered",
        "(b_valid & b_ready & pending_pop_payload)",
        "(aw_valid & aw_ready & write_final)",
      ],
      ["the last burst is as long as the others", "write_len = write_final ?", "write_len = 1'b0 ?"],
    ];
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(run(name, plant(GbnStore(set), from, to)));
      });
    // Only frames of many beats, or of several bursts, tell them apart.
    const ofErrors: typeof faults = [
      ["an error counts on a read's last two beats only", /bad <= failed & ~last/, "bad <= (|r_payload_resp) & ~last"],
      [
        "a failed write is not told of while an address waits",
        /errors_q <= \(b_valid &/,
        "errors_q <= (~aw_valid & b_valid &",
      ],
      ["a frame that failed takes the next one with it", /bad <= failed & ~last/, "bad <= failed"],
    ];
    test("the last frame that waits is not counted off when it leaves beside a beat of the next: once", () =>
      findsFault(
        runBench(
          "a place is lost",
          plant(GbnStore(set), "(popped_last & ~commit)", "(popped_last & ~commit & ~(push & packets_q == 1))"),
          { wave: false, ...limits, seed: 5 },
          b => traffic(b, 40, { pause: seed => (seed === 4 ? bernoulli(0.7, 4) : never), ram: { latency: 10 } }),
        ),
        /frames that wait that can be had at the end/,
      ));
    for (const [name, from, to] of ofErrors)
      test(name, () =>
        findsFault(
          runBench(name, plant(GbnStore(set), from, to), { wave: false, ...limits, seed: 1 }, badBytes),
          /failed|frame of|settle|hang|nothing|asked for/i,
        ),
      );
  });
});
