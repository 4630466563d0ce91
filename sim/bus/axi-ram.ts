import { SimulationError } from "../errors.ts";
import type { Simulation } from "../simulation.ts";
import type { AxiRamOptions, ErrorRange } from "./axi-options.ts";
import type { AxiPorts } from "./axi-ports.ts";
import { AxiReadChannel } from "./axi-read.ts";
import { AxiShared } from "./axi-shared.ts";
import { AxiWriteChannel } from "./axi-write.ts";
import { SparseMemory } from "./sparse-memory.ts";
import { watchStreams } from "./stream-watch.ts";
import { Random } from "../../hdl-dsl/index.ts";

/**
 * AXI4 memory behind a design's master port. Sparse, pipelined at a beat per cycle in each direction, with fixed
 * latency. AXI's freedom is used against careless designs. A write takes effect when its B is offered, not before, and
 * a read sees memory as it is when each beat is offered. Bursts that cross 4 KB, a misplaced WLAST, strobes outside the
 * beat, dropped valids, a write of which one half waits for the other to be taken: `ProtocolError`.
 */
export class AxiRam {
  readonly memory: SparseMemory;
  readonly #shared: AxiShared;
  readonly #read: AxiReadChannel;
  readonly #write: AxiWriteChannel;

  constructor(sim: Simulation, ports: AxiPorts, options: AxiRamOptions = {}) {
    this.memory = options.memory ?? new SparseMemory();
    const latency = options.latency ?? 50;
    const { read, write } = typeof latency === "number" ? { read: latency, write: latency } : latency;
    for (const [name, n] of [
      ["read", read],
      ["write", write],
    ] as const) {
      if (!Number.isInteger(n) || n < 1)
        throw new SimulationError(`AXI4 RAM: the ${name} latency is ${n}; give a whole number of 1 cycle or more`);
    }
    const random =
      options.seed === undefined ? sim.random.fork(`axi-ram ${ports.ar.valid.name}`) : new Random(options.seed);
    this.#shared = new AxiShared(this.memory, ports.r.payload.data.width / 8, random, options);
    this.#read = new AxiReadChannel(this.#shared, ports, read, options.pause ?? {});
    this.#write = new AxiWriteChannel(this.#shared, ports, write, options.pause ?? {});
    watchStreams(sim, options.domain);
    sim.onEdge(this, options.domain);
  }

  /** Beats and bursts so far. */
  get counts(): {
    readonly readBursts: number;
    readonly readBeats: number;
    readonly writeBursts: number;
    readonly writeBeats: number;
  } {
    return { ...this.#read.counts, ...this.#write.counts };
  }
  /** Whether nothing is under way. */
  get idle(): boolean {
    return this.#read.idle && this.#write.idle;
  }
  /** Makes a range of addresses answer with an error from now on. */
  failAt(range: ErrorRange): void {
    this.#shared.errors.push(range);
  }
  /** Makes all addresses that are there answer without an error from now on. */
  mend(): void {
    this.#shared.errors.splice(0);
  }
  /** Memory as the design would read it, past the bus. */
  read(address: number, length: number): Uint8Array {
    return this.memory.read(address, length);
  }
  /** Memory set past the bus. */
  write(address: number, bytes: Uint8Array): void {
    this.memory.write(address, bytes);
  }

  /** Memory and all that is under way. A memory that several of these share is saved with each. */
  save(): unknown {
    return { shared: this.#shared.save(), read: this.#read.save(), write: this.#write.save() };
  }
  restore(state: unknown): void {
    const s = state as { readonly shared: unknown; readonly read: unknown; readonly write: unknown };
    this.#shared.restore(s.shared);
    this.#read.restore(s.read);
    this.#write.restore(s.write);
  }

  sample(cycle: number): void {
    this.#write.sample(cycle);
    this.#read.sample(cycle);
  }
  drive(cycle: number): void {
    this.#write.drive(cycle);
    this.#read.drive(cycle);
  }
}
