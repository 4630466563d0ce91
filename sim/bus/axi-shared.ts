import type { OutSignal } from "../dut/types.ts";
import { SimulationError } from "../errors.ts";
import { Burst, DECERR, OKAY, SLVERR } from "./axi-burst.ts";
import type { AxiRamOptions, ErrorRange, WriteOrder } from "./axi-options.ts";
import type { AxiPorts } from "./axi-ports.ts";
import type { SparseMemory } from "./sparse-memory.ts";
import type { Random } from "../../hdl-dsl/index.ts";

/** State shared by both directions. */
export class AxiShared {
  readonly memory: SparseMemory;
  readonly busBytes: number;
  readonly depth: number;
  readonly outOfOrder: boolean;
  readonly interleave: boolean;
  readonly accepts: WriteOrder;
  readonly random: Random;
  readonly errors: ErrorRange[];
  readonly #jitter: number;
  readonly #pool: Burst[] = [];

  constructor(memory: SparseMemory, busBytes: number, random: Random, options: AxiRamOptions) {
    this.memory = memory;
    this.busBytes = busBytes;
    this.random = random;
    this.depth = options.depth ?? 64;
    this.outOfOrder = options.outOfOrder ?? false;
    this.interleave = options.interleave ?? false;
    this.accepts = options.accepts ?? "any";
    if (this.interleave && !this.outOfOrder)
      throw new SimulationError("AXI4 RAM: interleave mixes answers of different IDs; set outOfOrder too");
    this.errors = [...(options.errors ?? [])];
    this.#jitter = options.jitter ?? (this.outOfOrder ? 16 : 0);
  }

  take(): Burst {
    const b = this.#pool.pop() ?? new Burst();
    b.done = 0;
    return b;
  }
  give(b: Burst): void {
    this.#pool.push(b);
  }

  save(): unknown {
    return { memory: this.memory.save(), random: this.random.save(), errors: [...this.errors] };
  }
  restore(state: unknown): void {
    const s = state as {
      readonly memory: unknown;
      readonly random: readonly number[];
      readonly errors: readonly ErrorRange[];
    };
    this.memory.restore(s.memory);
    this.random.restore(s.random);
    this.errors.splice(0, this.errors.length, ...s.errors);
  }

  /** Cycles to add to a latency. */
  jitter(): number {
    return this.#jitter === 0 ? 0 : this.random.between(0, this.#jitter);
  }

  /** The one answer to a burst of writes. */
  response(b: Burst): number {
    return this.#answerTo(b.low, b.high);
  }
  /** The answer to the next beat of a burst of reads: each has its own (A3.4.4). */
  beatResponse(b: Burst): number {
    if (this.errors.length === 0 && b.high <= this.memory.size) return OKAY;
    const low = Math.floor(b.addressOf(b.done) / b.size) * b.size;
    return this.#answerTo(low, low + b.size);
  }
  #answerTo(low: number, high: number): number {
    if (high > this.memory.size) return DECERR;
    for (const e of this.errors) if (low < e.to && high > e.from) return e.response === "DECERR" ? DECERR : SLVERR;
    return OKAY;
  }

  /**
   * Place of the burst to answer next, out of those due. The choice is the oldest, or at random the oldest of an ID; -1
   * when none is due.
   */
  pick(queue: readonly Burst[], cycle: number): number {
    if (!this.outOfOrder) return (queue[0]?.due ?? Infinity) <= cycle ? 0 : -1;
    let chosen = -1,
      seen = 0;
    for (let i = 0; i < queue.length; i++) {
      if ((queue[i] as Burst).due > cycle || this.#overtakes(queue, i)) continue;
      seen++;
      if (this.random.between(1, seen) === 1) chosen = i;
    }
    return chosen;
  }
  #overtakes(queue: readonly Burst[], i: number): boolean {
    for (let k = 0; k < i; k++) if ((queue[k] as Burst).id === (queue[i] as Burst).id) return true;
    return false;
  }
}

/** An address as an exact number. */
export function addressOf(signal: OutSignal): number {
  const { words, slot } = signal as OutSignal & { readonly words: Uint32Array };
  const low = words[slot.word] as number;
  if (slot.words === 1) return low;
  const address = (words[slot.word + 1] as number) * 0x1_0000_0000 + low;
  if (address > Number.MAX_SAFE_INTEGER)
    throw new SimulationError(`${signal.name}: 0x${signal.big.toString(16)} is above 2^53; AXI4 RAM stops there`);
  return address;
}

/** Reads an address payload into a burst and checks it. */
export function readAddress(
  b: Burst,
  p: AxiPorts["ar"]["payload"],
  what: string,
  busBytes: number,
  cycle: number,
): void {
  b.address = addressOf(p.addr);
  b.id = p.id.value as number;
  b.beats = (p.len.value as number) + 1;
  b.size = 1 << (p.size.value as number);
  b.kind = p.burst.value as number;
  b.arrived = cycle;
  b.check(what, busBytes, cycle);
}
