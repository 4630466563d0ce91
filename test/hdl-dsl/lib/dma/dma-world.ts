import { expect } from "vitest";
import { DESCRIPTOR_BYTES, descriptorAt, type Random, type Shape } from "../../../../hdl-dsl/index.ts";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  type StreamIo,
  StreamSource,
} from "../../../../sim/index.ts";

/** What stands around a DMA engine in its benches: chains in a memory, and who starts them. */
export const BYTES = 16,
  SIZE = 0x20000,
  /** Sources below, destinations above, descriptors at the top. */
  HALF = 0x8000,
  TABLE = 0x18000;
export type Io = Readonly<Record<string, unknown>>;
export type Signals = Readonly<Record<string, { value: number }>>;
export interface Block {
  readonly source: number;
  readonly destination: number;
  readonly row: number;
  readonly rows: number;
  readonly sourceStride: number;
  readonly destinationStride: number;
  readonly interrupt: boolean;
}
export interface Chain {
  readonly blocks: readonly Block[];
  readonly places: readonly number[];
}
const little = (v: bigint, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Number((v >> BigInt(8 * i)) & 255n));

/** A descriptor as it stands in memory. */
function written(d: Block, next: number): Uint8Array {
  const out = new Uint8Array(DESCRIPTOR_BYTES);
  const put = (at: number, v: number, bytes = 8): void =>
    out.set(little(BigInt.asUintN(8 * bytes, BigInt(v)), bytes), at);
  put(descriptorAt.next, next);
  put(descriptorAt.source, d.source);
  put(descriptorAt.destination, d.destination);
  put(descriptorAt.size, d.row, 4);
  put(descriptorAt.size + 4, d.rows, 4);
  put(descriptorAt.sourceStride, d.sourceStride);
  put(descriptorAt.destinationStride, d.destinationStride);
  put(descriptorAt.control, d.interrupt ? 1 : 0);
  put(descriptorAt.status, 0x5a5a);
  return out;
}
/** A block somewhere: rows of a page and more, strides back and forth, some of one beat. */
export function blockOf(r: Random, bytes: number, slot: number): Block {
  const row = r.pick([bytes, bytes * r.between(1, 40), bytes * r.between(1, 4)]),
    rows = row > 16 * bytes ? r.between(1, 3) : r.between(1, 6),
    stride = (): number => row + bytes * r.below(5);
  const [sourceStride, destinationStride] = [stride(), stride()];
  // Each has a place of its own: 4 KB and a bit before its end.
  const base = slot * 0x1000 + (r.chance(0.5) ? 0xe00 : 0) - (slot === 7 ? 0xe00 : 0);
  const back = r.chance(0.3);
  return {
    source: r.below(0x100) * bytes + (back ? rows * sourceStride : 0),
    destination: HALF + Math.max(0, base) + r.below(16) * bytes + (back ? (rows - 1) * destinationStride : 0),
    row,
    rows,
    sourceStride: back ? -sourceStride : sourceStride,
    destinationStride: back ? -destinationStride : destinationStride,
    interrupt: r.chance(0.5),
  };
}
/** Puts a chain into memory, its descriptors in any order. */
export function place(ram: AxiRam, r: Random, blocks: readonly Block[], at = TABLE): Chain {
  const places = blocks.map((_, i) => at + DESCRIPTOR_BYTES * ((i * 5 + 3) % 16));
  blocks.forEach((b, i) => {
    ram.write(places[i]!, written(b, places[i + 1] ?? 0));
  });
  void r;
  return { blocks, places };
}
/** What is in memory afterwards. */
export function copied(memory: Uint8Array, d: Block): void {
  for (let n = 0; n < d.rows; n++) {
    const from = d.source + n * d.sourceStride;
    memory.set(memory.slice(from, from + d.row), d.destination + n * d.destinationStride);
  }
}
export const statusOf = (ram: AxiRam, at: number): number => ram.read(at + descriptorAt.status, 1)[0]!;

export class Engine {
  readonly #start: StreamSource<Shape>;
  readonly #b: Bench;
  readonly seen = { interrupt: 0, failed: 0, chainEnds: 0 };
  constructor(b: Bench) {
    this.#b = b;
    this.#start = new StreamSource(b.sim, (b.io as Io)["start"] as StreamIo<Shape, "in">);
    const event = (b.io as Io)["event"] as Signals;
    b.onEdge({
      sample: () => {
        for (const k of ["interrupt", "failed", "chainEnds"] as const) this.seen[k] += event[k]!.value;
      },
      drive: () => undefined,
    });
  }
  async run(at: number): Promise<void> {
    const before = this.seen.chainEnds;
    this.#start.send(at);
    await this.#b.until(() => this.seen.chainEnds > before);
    await this.#b.cycles(3);
  }
}
export const counts = (b: Bench): Record<string, number> =>
  Object.fromEntries(Object.entries((b.io as Io)["counts"] as Signals).map(([n, s]) => [n, s.value]));
export const none = { descriptors: 0, descriptorErrors: 0, readErrors: 0, writeErrors: 0, refused: 0 };
/** Nothing is under way: the engine takes a command, and the memory has no burst. */
export function quiet(b: Bench, ram: AxiRam): void {
  expect(ram.idle).toBe(true);
  const io = b.io as unknown as Readonly<Record<string, StreamIo<Shape, "in">>>;
  expect(io["start"]!.ready.value).toBe(1);
  for (const name of ["mAr", "mAw", "mW"]) expect([name, io[name]!.valid.value]).toEqual([name, 0]);
}
export function world(b: Bench, ram: AxiRamOptions = {}) {
  const memory = Uint8Array.from({ length: SIZE }, () => b.random.below(256)),
    unit = new AxiRam(b.sim, axiPorts(b.io as never, "m"), { latency: 9, ...ram });
  unit.write(0, memory);
  return { memory, ram: unit, engine: new Engine(b) };
}
/** The memory as it must be, but for the descriptors. */
export function same(ram: AxiRam, memory: Uint8Array): void {
  const got = ram.read(0, TABLE);
  const wrong = [...got].flatMap((v, a) => (v === memory[a] ? [] : [a]));
  expect(wrong).toEqual([]);
}

export const plain = (over: Partial<Block> = {}): Block => ({
  source: 0x400,
  destination: HALF,
  row: 0x800,
  rows: 1,
  sourceStride: 0,
  destinationStride: 0,
  interrupt: false,
  ...over,
});

export const slow: AxiRamOptions = {
  jitter: 30,
  pause: {
    aw: bernoulli(0.5, 1),
    w: bernoulli(0.4, 2),
    b: bernoulli(0.6, 3),
    ar: bernoulli(0.5, 4),
    r: bernoulli(0.4, 5),
  },
};
