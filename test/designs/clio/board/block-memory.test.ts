import { expect, test } from "vitest";
import { BlockMemory } from "../../../../designs/clio/board/index.ts";
import { type Bench, bernoulli, never, type Pause, runBench, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const bytes = 1024,
  windowFrom = 64,
  windowEnd = 128,
  status = 0x0123456789abcdefn;
const dut = () => BlockMemory({ bytes, beatBytes: 8, idBits: 2, windowFrom, windowEnd });
type B = Bench<ReturnType<typeof dut>["ports"]>;
const inWindow = (address: number): boolean => address >= windowFrom && address < windowEnd;

function master({ sim, io }: B, pause: () => Pause) {
  io.status.value = status;
  return {
    ar: new StreamSource(sim, io.sAr, { pause: pause() }),
    r: new StreamSink(sim, io.sR, { pause: pause() }),
    aw: new StreamSource(sim, io.sAw, { pause: pause() }),
    w: new StreamSource(sim, io.sW, { pause: pause() }),
    b: new StreamSink(sim, io.sB, { pause: pause() }),
  };
}
const burst = (addr: number, beats: number, id: number) => ({ addr, id, len: beats - 1, size: 3, burst: 1 });
/** The bytes that the strobes say are new. */
const merged = (old: bigint, data: bigint, strb: number): bigint => {
  const mask = Array.from({ length: 8 }, (_, i) => ((strb >> i) & 1 ? 0xffn << BigInt(8 * i) : 0n)).reduce(
    (a, m) => a | m,
  );
  return (old & ~mask) | (data & mask);
};

/**
 * Random bursts, written with holes and read back. Unless something pauses, a read and a write are offered together, of
 * which the read goes first.
 */
async function traffic(b: B, pause?: () => Pause): Promise<void> {
  const { random } = b,
    { ar, r, aw, w, b: done } = master(b, pause ?? (() => never)),
    words = new Map<number, bigint>(),
    told: { word: number; data: bigint }[] = [];
  b.onEdge({
    sample: () => {
      const t = b.io.written;
      if (t.valid.value === 1) told.push({ word: t.word.num, data: t.data.big });
    },
  });
  const wanted: typeof told = [];
  for (let i = 0; i < 300; i++) {
    const beats = random.between(1, 8),
      from = 8 * random.between(0, bytes / 8 - beats),
      id = random.between(0, 3),
      reads = i > 0 && random.chance(0.7);
    const known = Array.from({ length: beats }, (_, k) => {
      const at = from + 8 * k;
      return inWindow(at) ? status : words.get(at);
    });
    const read = async (): Promise<void> => {
      for (const [k, value] of known.entries()) {
        const beat = await r.recv();
        expect({ id: beat.id, resp: beat.resp, last: beat.last }).toEqual({
          id,
          resp: 0,
          last: k === beats - 1 ? 1 : 0,
        });
        if (value !== undefined) expect(BigInt(beat.data)).toBe(value);
      }
    };
    if (reads) ar.send(burst(from, beats, id));
    if (reads && pause !== undefined) await read();
    aw.send(burst(from, beats, id));
    for (let k = 0; k < beats; k++) {
      const at = from + 8 * k,
        data = random.bits(64),
        strb = i < 100 || random.chance() ? 255 : random.between(0, 255);
      w.send({ data, strb, last: k === beats - 1 ? 1 : 0 });
      // Unwritten bytes are unknown, so a partly unwritten word is unknown too.
      const old = words.get(at) ?? (strb === 255 ? 0n : undefined);
      if (old !== undefined) words.set(at, merged(old, data, strb));
      if (inWindow(at) && strb === 255) wanted.push({ word: (at - windowFrom) / 8, data });
    }
    if (reads && pause === undefined) await read();
    expect(await done.recv()).toMatchObject({ id, resp: 0 });
  }
  expect(told).toEqual(wanted);
  expect(wanted.length).toBeGreaterThan(10);
}

bench("bursts written with holes and read back, registers in the window", dut(), {}, b => traffic(b));
testOfResets(dut(), { beside: { s_r_payload_data: "" } }, b => traffic(b, () => bernoulli(0.3, b.random.word())));
bench("the same with back-pressure on every channel", dut(), { seed: 2 }, b =>
  traffic(b, () => bernoulli(0.3, b.random.word())),
);

bench(
  "a read's first beat 2 cycles after its address, then one every 2 cycles; a write's answer 1 cycle after its last beat",
  dut(),
  {},
  async b => {
    const { io } = b,
      { ar, aw, w } = master(b, () => never),
      at: Record<string, number[]> = { ar: [], r: [], w: [], b: [] };
    b.onEdge({
      sample: cycle => {
        for (const [name, channel] of [
          ["ar", io.sAr],
          ["r", io.sR],
          ["w", io.sW],
          ["b", io.sB],
        ] as const)
          if (channel.valid.value === 1 && channel.ready.value === 1) at[name]?.push(cycle);
      },
    });
    aw.send(burst(256, 3, 1));
    for (let k = 0; k < 3; k++) w.send({ data: k, strb: 255, last: k === 2 ? 1 : 0 });
    await b.until(() => at["b"]?.length === 1);
    ar.send(burst(256, 3, 1));
    await b.until(() => at["r"]?.length === 3);
    const [first = 0] = at["ar"] ?? [],
      [w0 = 0] = at["w"] ?? [];
    expect(at).toEqual({ ar: [first], r: [first + 2, first + 4, first + 6], w: [w0, w0 + 1, w0 + 2], b: [w0 + 3] });
  },
);

test("a fault: strobes are not looked at", async () => {
  await findsFault(runBench("fault", plant(dut(), /s_w_payload_strb\[3\]/, "1'b1"), { wave: false }, b => traffic(b)));
});
