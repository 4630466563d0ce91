import { describe, expect, test } from "vitest";
import {
  AxisBeat,
  BodyBeat,
  FrameHead,
  HeaderInsert,
  HeaderStrip,
  type HeaderStripParameters,
  StrippedHead,
} from "../../../../designs/shared/frame/index.ts";
import { minimumFrame } from "../../../../designs/shared/wire/index.ts";
import { connect, instance, module, output, sink, source, uint } from "../../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { afterValid } from "../../../support/after-valid.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

/** Headers in one beat and in several, longer and shorter than the shortest frame; the size in different places. */
const parameterSets: readonly HeaderStripParameters[] = [
  { headerBytes: 70, beatBytes: 64, routeByte: 5, sizeByte: 50, sizeFrom: 42 },
  { headerBytes: 58, beatBytes: 64, routeByte: 5, sizeByte: 50, sizeFrom: 42 },
  { headerBytes: 58, beatBytes: 8, routeByte: 40, sizeByte: 48, sizeFrom: 20, lengthBits: 9 },
  { headerBytes: 70, beatBytes: 16, routeByte: 0, sizeByte: 68, sizeFrom: 34, lengthBits: 11 },
];
type Shape = HeaderStripParameters;
/** Both ways side by side, so that one model has both. */
const Shifts = module(
  "HeaderShifts",
  (p: Shape) => ({
    inHead: sink(FrameHead(p)),
    inData: sink(BodyBeat(p)),
    made: source(AxisBeat(p.beatBytes)),
    frame: sink(AxisBeat(p.beatBytes)),
    head: source(StrippedHead(p)),
    data: source(BodyBeat(p)),
    route: output(uint(8)),
  }),
  (io, p) => {
    const insert = instance(
        HeaderInsert({
          beatBytes: p.beatBytes,
          headerBytes: p.headerBytes,
          ...(p.lengthBits && { lengthBits: p.lengthBits }),
        }),
      ),
      strip = instance(HeaderStrip(p));
    connect(io.inHead, insert.head);
    connect(io.inData, insert.data);
    connect(insert.frame, io.made);
    connect(io.frame, strip.frame);
    connect(strip.head, io.head);
    connect(strip.data, io.data);
    io.route.set(strip.route);
  },
  { nameOf: p => `HeaderShifts_h${p.headerBytes}_b${p.beatBytes}` },
);

const big = (bytes: Uint8Array): bigint => [...bytes].reverse().reduce((v, b) => (v << 8n) | BigInt(b), 0n);
const bytesOf = (v: bigint, n: number): Uint8Array =>
  Uint8Array.from({ length: n }, (_, i) => Number((v >> BigInt(8 * i)) & 255n));
const beats = (bytes: Uint8Array, width: number): { data: bigint; last: number }[] => {
  const n = Math.ceil(bytes.length / width);
  return Array.from({ length: n }, (_, i) => ({
    data: big(bytes.subarray(i * width, (i + 1) * width)),
    last: i === n - 1 ? 1 : 0,
  }));
};

type Ports = ReturnType<typeof Shifts>["ports"];
interface Frame {
  readonly header: Uint8Array;
  readonly data: Uint8Array;
  readonly bare: boolean;
  readonly padding: number;
  readonly bad: number;
}

/** Frames whose size is right; some end within the header (as a MALFORMED does), some are longer than they say. */
function frames(b: Bench<Ports>, p: Shape, count: number, most: number): Frame[] {
  return Array.from({ length: count }, () => {
    const bare = b.random.chance(0.1) && p.headerBytes > minimumFrame,
      n = b.random.chance(0.3) ? b.random.between(0, 3) : b.random.between(0, most);
    const header = b.random.bytes(p.headerBytes),
      data = bare ? new Uint8Array() : b.random.bytes(n);
    new DataView(header.buffer).setUint16(p.sizeByte, p.headerBytes - p.sizeFrom + (bare ? 0 : n), true);
    return {
      header,
      data,
      bare,
      padding: bare ? 0 : b.random.between(0, 3) * (b.random.chance(0.2) ? 1 : 0),
      bad: Number(b.random.chance(0.1)),
    };
  });
}

/** Makes frames and takes frames apart, at the same time. */
async function run(
  b: Bench<Ports>,
  p: Shape,
  count: number,
  [give, take]: readonly [Pause, Pause | typeof afterValid],
  most = 300,
) {
  const takes = (port: Parameters<typeof afterValid>[0]): { readonly pause: Pause } => ({
    pause: take === afterValid ? afterValid(port) : (take as Pause),
  });
  const { beatBytes, headerBytes } = p,
    list = frames(b, p, count, most);
  const heads = new StreamSource(b.sim, b.io.inHead, { pause: give }),
    data = new StreamSource(b.sim, b.io.inData, { pause: give });
  const made = new StreamSink(b.sim, b.io.made, takes(b.io.made));
  const rx = new StreamSource(b.sim, b.io.frame, { pause: give }),
    head = new StreamSink(b.sim, b.io.head, takes(b.io.head)),
    body = new StreamSink(b.sim, b.io.data, takes(b.io.data));
  const routes: number[] = [];
  b.onEdge({
    sample: () => {
      if (b.io.data.valid.value === 1 && b.io.data.ready.value === 1) routes.push(b.io.route.value);
    },
  });
  const expected = { made: [] as object[], heads: [] as object[], data: [] as object[], routes: [] as number[] };
  const sent: { readonly cycle: number | undefined }[] = [],
    ends: { readonly cycle: number | undefined }[] = [],
    asked: { readonly cycle: number | undefined }[] = [];
  for (const f of list) {
    asked.push(heads.send({ header: big(f.header), length: f.data.length }));
    for (const beat of beats(f.data, beatBytes)) data.send(beat);
    const whole = new Uint8Array(Math.max(minimumFrame, headerBytes + f.data.length));
    whole.set(f.header);
    whole.set(f.data, headerBytes);
    for (const { data: d, last } of beats(whole, beatBytes)) {
      const lanes = last === 1 ? whole.length - (Math.ceil(whole.length / beatBytes) - 1) * beatBytes : beatBytes;
      expected.made.push({ data: d, keep: (1n << BigInt(lanes)) - 1n, last });
    }
    const came = f.bare
      ? f.header.slice(0, minimumFrame)
      : Uint8Array.from([...f.header, ...f.data, ...b.random.bytes(f.padding)]);
    const parts = beats(came, beatBytes);
    sent.push(
      ...parts.map(part =>
        rx.send({
          data: part.data,
          keep: -1n & ((1n << BigInt(beatBytes)) - 1n),
          last: part.last,
          user: part.last * f.bad,
        }),
      ),
    );
    ends.push(sent.at(-1) as { readonly cycle: number | undefined });
    expected.heads.push({ header: f.bare ? undefined : big(f.header), length: f.data.length, bad: f.bad });
    const out = beats(f.data, beatBytes);
    expected.data.push(...out.map((o, i) => ({ ...o, bytes: Math.min(beatBytes, f.data.length - i * beatBytes) })));
    expected.routes.push(...out.map(() => f.header[p.routeByte] as number));
  }
  await b.until(
    () =>
      made.received.length === expected.made.length &&
      head.received.length === list.length &&
      body.received.length === expected.data.length,
  );
  await b.cycles(4);
  const keepMask = (v: { keep: number | bigint }): bigint => BigInt(v.keep);
  expect(
    made.received.map(({ value: v }) => {
      const lanes = keepMask(v).toString(2).length;
      return { data: BigInt(v.data) & ((1n << BigInt(8 * lanes)) - 1n), keep: keepMask(v), last: v.last };
    }),
  ).toEqual(expected.made);
  expect(
    head.received.map(({ value: v }, i) => ({
      header: (list[i] as Frame).bare ? undefined : BigInt(v.header),
      length: v.length,
      bad: v.bad,
    })),
  ).toEqual(expected.heads);
  expect(
    body.received.map(({ value: v }, i) => {
      const { bytes } = expected.data[i] as { bytes: number };
      return { data: big(bytesOf(BigInt(v.data), bytes)), last: v.last, bytes };
    }),
  ).toEqual(expected.data);
  expect(routes).toEqual(expected.routes);
  return {
    asked: asked[0]?.cycle,
    ends: ends.map(e => e.cycle as number),
    sent: sent.map(s => s.cycle as number),
    made: made.received.map(r => r.cycle),
    heads: head.received.map(r => r.cycle),
    data: body.received.map(r => r.cycle),
  };
}

const span = (cycles: readonly number[]): number => (cycles.at(-1) as number) - (cycles[0] as number) + 1;
describe.each(parameterSets)("a header of $headerBytes bytes in beats of $beatBytes, size at $sizeByte", p => {
  const dut = Shifts(p);
  bench("frames made and taken apart, under random back-pressure", dut, { seed: 7 }, async b => {
    await run(b, p, 300, [bernoulli(0.3, 1), bernoulli(0.4, 2)]);
  });
  bench("takers that are ready only after a valid hold nothing else up", dut, { seed: 7 }, async b => {
    await run(b, p, 60, [bernoulli(0.3, 1), afterValid]);
  });
  bench("one beat per cycle both ways, without a bubble between frames", dut, { seed: 8 }, async b => {
    const t = await run(b, p, 100, [never, never]);
    expect(span(t.sent)).toBe(t.sent.length);
    // An output may wait for the data of the test's own source, never for the module.
    expect(span(t.made)).toBeLessThanOrEqual(t.made.length + 1);
    expect(t.heads.map((h, i) => h - (t.ends[i] as number))).toEqual(t.heads.map(() => 1));
    expect(t.made[0] as number).toBe((t.asked as number) + 2);
  });
  testOfResets(
    dut,
    { beside: { route: "data_valid", head_payload_header: "", data_payload_data: "", made_payload_data: "" } },
    b => run(b, p, 60, [bernoulli(0.3, 1), bernoulli(0.4, 2)]),
  );
  bench("a reset in the middle of frames leaves nothing behind", dut, { seed: 9 }, async b => {
    b.io.frame.payload.data.value = 1n;
    b.io.frame.payload.last.value = 0;
    b.io.frame.valid.value = 1;
    b.io.inHead.payload.length.value = 100;
    b.io.inHead.valid.value = 1;
    await b.cycles(3);
    b.io.frame.valid.value = 0;
    b.io.inHead.valid.value = 0;
    b.sim.reset();
    await run(b, p, 20, [bernoulli(0.3, 1), bernoulli(0.4, 2)]);
  });
});

describe("a planted fault is found", () => {
  const p = parameterSets[0] as Shape,
    dut = Shifts(p);
  const check = (name: string, design: Dut<Ports>): Promise<unknown> =>
    runBench(name, design, { wave: false, seed: 5, hangCycles: 300, limitCycles: 30_000 }, b =>
      run(b, p, 150, [bernoulli(0.2, 1), bernoulli(0.4, 2)]),
    );
  test("and nothing without one", async () => {
    await check("no fault", dut);
  });
  test("beats of a header wait for whoever takes data", async () => {
    const faulty = plant(dut, /(?<=flush_settled = )[^;]*/, "data_ready");
    await findsFault(
      runBench("waits", faulty, { wave: false, hangCycles: 300 }, b => run(b, p, 60, [never, afterValid])),
    );
  });
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    ["the last data beat forgotten", /flush <= beat_last & [^;]*;/, "flush <= 1'h0;"],
    ["a data beat given twice while the head waits", /data_given <= 1'b1;/, "data_given <= 1'b0;"],
    ["a head given twice while data wait", /head_given <= 1'b1;/, "head_given <= 1'b0;"],
    ["what stays of a data beat is not kept", /held <= [^;]*;/, "held <= held;"],
  ];
  for (const [name, from, to] of faults)
    test(name, async () => {
      await findsFault(check(name, plant(dut, from, to)));
    });
});
