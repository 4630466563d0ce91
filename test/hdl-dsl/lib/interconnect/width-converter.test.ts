import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import {
  axi4Bus,
  axi4Master,
  axi4Slave,
  Axi4WidthConverter,
  connect,
  endOf,
  flip,
  instance,
  module,
  type Shape,
} from "../../../../hdl-dsl/index.ts";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  type Dut,
  legalMemories,
  never,
  type Pause,
  runBench,
  type StreamIo,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { offer } from "../../../support/offer.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { type AnyBurst, anyBurst, BurstMaster, ByteModel } from "./burst-master.ts";

const p = { addressBits: 20, idBits: 3 },
  PAGE = 4096,
  PAGES = 4;
const converter = (fromBytes: number, toBytes: number) =>
  Axi4WidthConverter({ ...p, fromBytes, toBytes, outstanding: 4 });
/** To `middle` bytes and from there to `to`: widths that no simulated memory has. */
const via = (from: number, middle: number, to: number): Dut =>
  module(
    `Through${from}to${middle}to${to}`,
    () => ({ ...axi4Slave("s", { ...p, beatBytes: from }), ...axi4Master("m", { ...p, beatBytes: to }) }),
    io => {
      const first = instance("first", converter(from, middle)),
        second = instance("second", converter(middle, to)),
        end = (n: number) => axi4Bus({ ...p, beatBytes: n });
      connect(endOf(flip(end(from)), io, "s"), endOf(end(from), first as never, "s"));
      connect(endOf(flip(end(middle)), first as never, "m"), endOf(end(middle), second as never, "s"));
      connect(endOf(flip(end(to)), second as never, "m"), endOf(end(to), io, "m"));
    },
  )();
type Io = Readonly<Record<string, StreamIo<Shape, "in"> & StreamIo<Shape, "out">>>;

interface Traffic {
  readonly bytes: number;
  readonly pause: (n: number) => Pause;
  readonly ram?: AxiRamOptions;
  readonly batches: number;
}
/** Half of the pages is written while the other half is read; then the other way round. */
async function converts(b: Bench, t: Traffic): Promise<void> {
  const r = b.random,
    // On a narrower bus one part of a beat may fail alone; wider beats fail as wholes.
    errors =
      t.bytes > 8
        ? [
            { from: 0x460, to: 0x468, resp: 2 },
            { from: 2 * PAGE + 0x818, to: 2 * PAGE + 0x828, resp: 3 },
          ]
        : [
            { from: 0x400, to: 0x480, resp: 2 },
            { from: 2 * PAGE + 0x800, to: 2 * PAGE + 0x900, resp: 3 },
          ];
  const model = new ByteModel(2 * PAGES * PAGE, r, errors);
  const ram = new AxiRam(b.sim, axiPorts(b.io as never, "m"), {
    latency: 6,
    ...t.ram,
    errors: errors.map(e => ({ from: e.from, to: e.to, response: e.resp === 2 ? "SLVERR" : "DECERR" })),
  });
  ram.write(0, model.bytes);
  const master = new BurstMaster(b, model, t.bytes, t.pause),
    largest = Math.log2(t.bytes);
  for (let batch = 0; batch < t.batches; batch++) {
    const half = batch % 2,
      page = (h: number) => (h * PAGES + r.below(PAGES)) * PAGE;
    // A WRAP burst of which a part fails.
    const atErrors = (): AnyBurst => ({
      addr: r.pick([0x400, 2 * PAGE + 0x800]) + r.below(0x100 / t.bytes) * t.bytes,
      id: r.below(8),
      len: r.pick([1, 3]),
      size: largest,
      burst: 2,
    });
    const next = (h: number): AnyBurst => (h === 0 && r.chance(0.3) ? atErrors() : anyBurst(r, page(h), largest, 8));
    for (let n = 0; n < 12; n++) {
      master.write(r, next(half), r.chance(0.5) ? 1 : 0.5);
      master.read(next(1 - half));
    }
    await b.until(() => master.idle);
  }
  await b.cycles(10);
  const wrong = [...ram.read(0, model.bytes.length)].flatMap((v, a) =>
    v === model.bytes[a] || model.unknown.has(a) ? [] : [a],
  );
  expect(wrong).toEqual([]);
  expect(ram.idle).toBe(true);
  for (const [name, s] of Object.entries(b.io as unknown as Io))
    if (/^(s[BR]|m(Aw|W|Ar))$/.test(name)) expect([name, s.valid.value]).toEqual([name, 0]);
}

describe.each([
  ["8 to 32 bytes", converter(8, 32) as Dut, 8],
  ["4 to 8 bytes", converter(4, 8) as Dut, 4],
  ["1 to 128 bytes", converter(1, 128) as Dut, 1],
  ["32 to 8 bytes", converter(32, 8) as Dut, 32],
  ["128 to 8 bytes", converter(128, 8) as Dut, 128],
  ["8 to 1 to 16 bytes", via(8, 1, 16), 8],
] as const)("%s", (_what, dut, bytes) => {
  bench("nothing pauses", dut, { limitCycles: 200_000 }, b => converts(b, { bytes, pause: () => never, batches: 4 }));
  bench("all sides pause", dut, { limitCycles: 200_000, seed: 3 }, b =>
    converts(b, {
      bytes,
      pause: n => bernoulli(0.4, n),
      batches: 2,
      ram: {
        pause: {
          aw: bernoulli(0.5, 11),
          w: bernoulli(0.3, 12),
          b: bernoulli(0.5, 13),
          ar: bernoulli(0.5, 14),
          r: bernoulli(0.3, 15),
        },
      },
    }),
  );
});

type Row = readonly [addr: number, len: number, size: number, burst: number];
/** Bursts, and as what each goes on. */
const cuts: Readonly<Record<"up" | "down", readonly (readonly [Row, ...Row[]])[]>> = {
  up: [
    [
      [0x108, 0, 3, 1],
      [0x108, 0, 3, 1],
    ],
    [
      [0x108, 2, 3, 1],
      [0x108, 0, 5, 1],
    ],
    [
      [0x10b, 3, 3, 1],
      [0x10b, 1, 5, 1],
    ],
    [
      [0x100, 3, 2, 1],
      [0x100, 3, 2, 1],
    ],
    [
      [0x108, 3, 3, 0],
      [0x108, 3, 3, 0],
    ],
    [
      [0x108, 3, 3, 2],
      [0x108, 3, 3, 2],
    ],
    [
      [0x800, 255, 3, 1],
      [0x800, 63, 5, 1],
    ],
  ],
  down: [
    [
      [0x108, 0, 3, 1],
      [0x108, 0, 3, 1],
    ],
    [
      [0x10b, 1, 5, 1],
      [0x10b, 6, 3, 1],
    ],
    [
      [0x10b, 1, 4, 1],
      [0x10b, 2, 3, 1],
    ],
    [
      [0x110, 1, 5, 0],
      [0x110, 1, 3, 1],
      [0x110, 1, 3, 1],
    ],
    [
      [0x120, 1, 5, 2],
      [0x120, 3, 3, 1],
      [0x100, 3, 3, 1],
    ],
    [
      [0x120, 3, 3, 2],
      [0x120, 3, 3, 2],
    ],
    [
      [0x000, 127, 5, 1],
      [0x000, 255, 3, 1],
      [0x800, 255, 3, 1],
    ],
  ],
};
const cutsAs =
  (way: "up" | "down") =>
  async (b: Bench): Promise<void> => {
    const io = b.io as unknown as Io;
    const out = new StreamSink(b.sim, io["mAr"]!),
      from = new StreamSource(b.sim, io["sAr"]!),
      data = new StreamSource(b.sim, io["mR"]!);
    new StreamSink(b.sim, io["sR"]!);
    let seen = 0;
    for (const [[addr, len, size, burst], ...parts] of cuts[way]) {
      from.send({ addr, id: 3, len, size, burst });
      await b.until(() => out.received.length === seen + parts.length);
      expect(out.received.slice(seen).map(x => x.value)).toEqual(
        parts.map(([at, beats, bytes, kind]) => ({ addr: at, id: 0, len: beats, size: bytes, burst: kind })),
      );
      for (const [, beats] of parts)
        for (let i = 0; i <= beats; i++) data.send({ data: 0n, id: 0, resp: 0, last: i === beats ? 1 : 0 });
      await data.drained();
      seen += parts.length;
    }
  };

/** Latency of each channel, interval of addresses and beats, and the bound on what is under way. */
const times =
  (fromBytes: number, toBytes: number) =>
  async (b: Bench): Promise<void> => {
    const io = b.io as unknown as Io,
      widens = toBytes > fromBytes,
      size = Math.log2(fromBytes);
    const address = { addr: 0, id: 5, len: widens ? 7 : 1, size, burst: 1 } as never;
    const out = { aw: new StreamSink(b.sim, io["mAw"]!), ar: new StreamSink(b.sim, io["mAr"]!) };
    const ar = new StreamSource(b.sim, io["sAr"]!),
      asked = Array.from({ length: 8 }, () => ar.send(address)),
      aw = new StreamSource(b.sim, io["sAw"]!),
      written = Array.from({ length: 6 }, () => aw.send(address));
    await b.cycles(20);
    const later = widens ? 1 : 3;
    // Four writes without an answer; a read whose data come, and four behind it. The rest waits.
    for (const [channel, sent, most] of [
      ["ar", asked, 5],
      ["aw", written, 4],
    ] as const) {
      const came = out[channel].received.map(x => x.cycle);
      expect(came).toEqual(sent.slice(0, most).map(s => s.cycle! + later));
      expect(came.map(c => c - came[0]!)).toEqual(Array.from({ length: most }, (_, i) => i));
    }
    // A beat each cycle of the narrower bus, a cycle behind what it is made of. A wide one is taken with its last part.
    const w = new StreamSource(b.sim, io["sW"]!),
      wOut = new StreamSink(b.sim, io["mW"]!),
      beats = widens ? 8 : 2,
      ratio = widens ? toBytes / fromBytes : fromBytes / toBytes;
    const data = Array.from({ length: 2 * beats }, (_, i) =>
      w.send({ data: BigInt(i), strb: 1, last: i % beats === beats - 1 ? 1 : 0 }),
    );
    await b.cycles(30);
    const first = data[0]!.cycle!;
    expect(wOut.received.map(x => x.cycle - first)).toEqual(
      Array.from({ length: widens ? data.length / ratio : data.length * ratio }, (_, i) =>
        widens ? ratio * (i + 1) : i + 2 - ratio,
      ),
    );
    const back = new StreamSource(b.sim, io["mB"]!),
      bOut = new StreamSink(b.sim, io["sB"]!);
    const answers = [0, 1].map(() => back.send({ id: 0, resp: 0 }));
    await b.cycles(6);
    expect(bOut.received.map(x => x.cycle)).toEqual(answers.map(a => a.cycle! + 1));
    const r = new StreamSource(b.sim, io["mR"]!),
      rOut = new StreamSink(b.sim, io["sR"]!),
      each = widens ? 8 / ratio : 2 * ratio;
    Array.from({ length: 2 * each }, (_, i) =>
      r.send({ data: BigInt(i), id: 0, resp: 0, last: i % each === each - 1 ? 1 : 0 }),
    );
    await b.cycles(30);
    const came = rOut.received.map(x => x.cycle);
    expect(came.length).toBe(2 * (widens ? 8 : 2));
    expect(came.map(c => c - came[0]!)).toEqual(came.map((_, i) => (widens ? i : ratio * i)));
  };

/** Bursts half done on both ways, then reset: nothing of them is left. */
const cutOff =
  (bytes: number) =>
  async (b: Bench): Promise<void> => {
    const io = b.io as unknown as Io,
      x = { addr: 8, id: 1, len: 5, size: Math.log2(bytes), burst: 1 };
    for (const name of ["mAw", "mW", "mAr", "sR"]) io[name]!.ready.value = 1;
    // A FIXED burst goes in several parts to a narrower side: the first one's answer is kept.
    expect(await offer(b, io["sAw"]!, { ...x, burst: bytes === 32 ? 0 : 1 })).toBe(true);
    expect(await offer(b, io["sAr"]!, x)).toBe(true);
    expect(await offer(b, io["sW"]!, { data: 255n, strb: 1, last: 0 })).toBe(true);
    await b.cycles(5);
    expect(await offer(b, io["mR"]!, { data: 1n, id: 0, resp: 3, last: 0 })).toBe(true);
    expect(await offer(b, io["mB"]!, { id: 0, resp: 3 })).toBe(true);
    b.sim.reset(1);
    b.sim.settle();
    for (const name of ["mAw", "mW", "mAr", "sR", "sB"]) expect([name, io[name]!.valid.value]).toEqual([name, 0]);
    // The next beat has its own strobes alone.
    io["mW"]!.ready.value = 0;
    expect(await offer(b, io["sAw"]!, { addr: 0, id: 1, len: 0, size: 0, burst: 1 })).toBe(true);
    expect(await offer(b, io["sW"]!, { data: 1n, strb: 1, last: 1 })).toBe(true);
    await b.until(() => io["mW"]!.valid.value === 1);
    expect((io["mW"]!.payload as unknown as { readonly strb: { readonly value: number } }).strb.value).toBe(1);
    b.sim.reset(1);
    await converts(b, { bytes, pause: () => never, batches: 1 });
  };

describe("Axi4WidthConverter", () => {
  Object.entries(legalMemories).forEach(([what, ram], i) => {
    const [from, to] = i % 2 === 0 ? ([8, 32] as const) : ([32, 8] as const);
    bench(`${from} to ${to} bytes, ${what}`, converter(from, to) as Dut, { limitCycles: 100_000, seed: 5 }, b =>
      converts(b, { bytes: from, pause: n => bernoulli(0.1, n), batches: 2, ram }),
    );
  });
  bench("latency, interval, bounds: 8 to 32 bytes", converter(8, 32) as Dut, {}, times(8, 32));
  bench("latency, interval, bounds: 32 to 8 bytes", converter(32, 8) as Dut, {}, times(32, 8));
  bench("bursts as a wider slave gets them", converter(8, 32) as Dut, {}, cutsAs("up"));
  bench("bursts as a narrower slave gets them", converter(32, 8) as Dut, {}, cutsAs("down"));
  bench("reset in the middle of bursts: 8 to 32 bytes", converter(8, 32) as Dut, {}, cutOff(8));
  bench("reset in the middle of bursts: 32 to 8 bytes", converter(32, 8) as Dut, {}, cutOff(32));
  test("widths that no bus has are refused", () => {
    const of =
      (fromBytes: number, toBytes: number, addressBits = 20) =>
      () =>
        Axi4WidthConverter({ addressBits, idBits: 1, fromBytes, toBytes });
    expect(of(12, 4)).toThrow("fromBytes is 12; choose 1, 2, 4, 8, 16, 32, 64 or 128");
    expect(of(4, 256)).toThrow("toBytes is 256; choose 1, 2, 4, 8, 16, 32, 64 or 128");
    expect(of(4, 4)).toThrow("both sides have 4 bytes; connect them, or use Axi4Register");
    expect(of(4, 8, 12)).toThrow("addresses have 12 bits; give them 13 or more");
  });

  test.each([
    ["down", "an unaligned burst is a beat too long", /aw_first = [^;]*;/, "aw_first = aw_next_held_beats;"],
    ["down", "a WRAP burst does not come back", /aw_job_addr <= aw_job_base;/, "aw_job_addr <= aw_job_addr;"],
    [
      "down",
      "a FIXED burst writes its first beat alone",
      /aw_measured_repeats \? s_aw_payload_len\[3:0\]/,
      "aw_measured_repeats ? 4'd0",
    ],
    ["down", "a part's error is forgotten", /b_before <= b_resp[^;]*;/, "b_before <= 2'd0;"],
    ["down", "an error goes to the next write, too", /b_before <= b_resp[^;]*;/, "b_before <= b_resp;"],
    ["down", "an error of a read's part is forgotten", /r_resp <= [^;]*;/, "r_resp <= m_r_payload_resp;"],
    ["down", "an error stays for the next beat", /r_fresh \? 2'd0 : r_resp/, "r_resp"],
    ["down", "a narrow WRAP burst goes straight on in its data", /aw_job_mask <= [^;]*;/, "aw_job_mask <= 5'd31;"],
    ["down", "the ID is not given back", /r_id <= r_at_id/, "r_id <= m_r_payload_id"],
    ["down", "reset leaves a part's error", /b_before <= 2'd0;\s*else/, ";else"],
    [
      "down",
      "a part goes on without room for its answer",
      /aw_plans_push_valid = [^;]*;/,
      "aw_plans_push_valid = aw_busy & aw_address_ready;",
    ],
    ["up", "the last wide beat is not asked for", /ar_reach = [^;]*;/, "ar_reach = {1'b0, s_ar_payload_len};"],
    [
      "up",
      "a single access is made wide",
      /ar_packed = [^;]*;/,
      "ar_packed = (s_ar_payload_burst == 2'd1) & (s_ar_payload_size == 3'd3);",
    ],
    [
      "up",
      "narrow beats are packed as well",
      /ar_packed = [^;]*;/,
      "ar_packed = (s_ar_payload_burst == 2'd1) & (|s_ar_payload_len);",
    ],
    ["up", "strobes of the beat before stay", /if \(w_fresh\) w_strb <= 32'd0;/, ""],
    ["up", "a wide beat that waits is written over", /w_room = [^;]*;/, "w_room = 1'b1;"],
    ["up", "a burst's short last beat does not go", /w_at_ends = [^;]*;/, "w_at_ends = &(w_at_at | w_at_fill);"],
    ["up", "reset leaves half a beat", /w_fresh <= 1'b1;/, ""],
  ] as const)("planted fault, %s: %s", (way, _what, from, to) => {
    const [a, z] = way === "down" ? ([32, 8] as const) : ([8, 32] as const),
      faulty = plant(converter(a, z) as Dut, from, to),
      o = { wave: false, hangCycles: 800, limitCycles: 40_000 } as const;
    const run = (seed: number) =>
      runBench("converts", faulty, { ...o, seed }, b =>
        converts(b, { bytes: a, pause: n => bernoulli(0.2, n), batches: 4, ram: { pause: { w: bernoulli(0.4, 9) } } }),
      );
    return findsFault(
      run(1)
        .then(() => runBench("cuts", faulty, o, cutsAs(way)))
        .then(() => runBench("cut off", faulty, o, cutOff(a))),
      /./,
    );
  });
});
