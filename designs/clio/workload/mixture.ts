import { opcode, vmFlag } from "../wire/index.ts";
import type { Settings } from "../config/index.ts";
import { clientEndpoint, FrameClient } from "./client.ts";
import { StateOperations, type StatePage } from "./state-operations.ts";
import { mulberry32, Random } from "../../../hdl-dsl/index.ts";

/** Properties of the random requests; every share is a probability. */
export interface MixtureOptions {
  readonly seed: number;
  /** Processes, and pages of each (consecutive). */
  readonly processes?: number;
  readonly pages?: number;
  /** Stations that send. */
  readonly clients?: number;
  readonly writeShare?: number;
  /** Of the writes: without a reply. */
  readonly silentShare?: number;
  /** Accesses that cross a page boundary. */
  readonly crossingShare?: number;
  /** Accesses to addresses that are not mapped, or to read-only pages for writes. */
  readonly wrongShare?: number;
  /** PINGPONG, ARP and ICMP among the requests. */
  readonly otherShare?: number;
  /** Atomics, accesses through pointers, fences and repetitions among the requests. */
  readonly stateShare?: number;
  /** Bytes at the start and the end of each page that most accesses fall in: the smaller, the more they overlap. */
  readonly hotBytes?: number;
}

/** A process's memory as the generator lays it out. */
export interface Territory {
  readonly pid: number;
  readonly start: bigint;
  readonly pages: number;
  readonly write: boolean;
}

/**
 * Random requests that conflict: several processes at the same virtual addresses, few hot bytes, and some that must
 * fail. Sizes go from 1 byte to a frame's room, with any alignment and page crossings. Frames only: a bench sends
 * `setup()` and waits for its replies, then `next()` for ever.
 */
export class Mixture {
  readonly territories: readonly Territory[];
  private readonly random: Random;
  private readonly settings: Settings;
  private readonly options: Required<MixtureOptions>;
  private readonly clients: readonly FrameClient[];
  /** Pages of words and pointers, one for each process, when there are such requests. */
  readonly statePages: readonly StatePage[];
  private readonly state: StateOperations;
  private sequence = 0;

  constructor(settings: Settings, options: MixtureOptions) {
    this.settings = settings;
    this.options = {
      processes: 4,
      pages: 24,
      clients: 3,
      writeShare: 0.5,
      silentShare: 0.05,
      crossingShare: 0.1,
      wrongShare: 0.03,
      otherShare: 0.03,
      stateShare: 0,
      hotBytes: 2048,
      ...options,
    };
    this.random = new Random(options.seed, mulberry32);
    this.clients = Array.from(
      { length: this.options.clients },
      (_, i) => new FrameClient(clientEndpoint(i), settings.runtime, 1 + i * 0x1000_0000),
    );
    const page = BigInt(settings.config.pageSize);
    // PIDs as the slow path gives them: from 1. Every process has writable pages at the same addresses and a read-only
    // one behind them.
    this.territories = Array.from({ length: this.options.processes }, (_, i) => i + 1).flatMap(pid => [
      { pid, start: 16n * page, pages: this.options.pages, write: true },
      { pid, start: (16n + BigInt(this.options.pages)) * page, pages: 1, write: false },
    ]);
    this.statePages =
      this.options.stateShare === 0
        ? []
        : Array.from({ length: this.options.processes }, (_, i) => ({ pid: i + 1, start: 8n * page }));
    this.state = new StateOperations(this.random, this.statePages, settings.config.maxData);
  }

  /**
   * The clients make themselves known in each partition, so that their requests may come in any order (section
   * 7 of ../model/rules.md).
   */
  hello(): Uint8Array[] {
    return this.clients.flatMap(c =>
      Array.from({ length: this.settings.config.partitions }, (_, pid) => c.request(opcode.FENCE, pid)),
    );
  }

  /** Requests that make the processes and their memory, one after another. */
  setup(): Uint8Array[] {
    const client = this.random.pick(this.clients),
      page = BigInt(this.settings.config.pageSize);
    return [
      ...this.hello(),
      ...Array.from({ length: this.options.processes }, () => client.createProcess()),
      ...this.territories.map(t =>
        client.allocate(t.pid, { addr: t.start, len: BigInt(t.pages) * page, vmFlags: t.write ? vmFlag.write : 0n }),
      ),
      ...this.statePages.map(t => client.allocate(t.pid, { addr: t.start, len: page, vmFlags: vmFlag.write })),
      ...this.state.setup(client, pid => this.pointer(pid)),
    ];
  }

  /** The next request. */
  next(): Uint8Array {
    const { random: r, options: o } = this,
      client = r.pick(this.clients);
    if (r.chance(o.otherShare)) return this.other(client);
    if (r.chance(o.stateShare)) return this.state.next(client);
    const length = this.length(),
      isWrite = r.chance(o.writeShare),
      { pid, va } = this.place(length, isWrite);
    if (!isWrite) return client.read(pid, va, length);
    const write = client.write(pid, va, r.bytes(length), r.chance(o.silentShare) ? opcode.WRITE_NOREPLY : opcode.WRITE);
    return o.stateShare === 0 ? write : this.state.note(client, write);
  }

  /** Where a pointer of a process leads: nearly always to memory of its own. */
  private pointer(pid: number): bigint {
    if (this.random.chance(0.1)) return this.wrong(this.random.chance(0.5)).va;
    const t = this.random.pick(this.territories.filter(x => x.pid === pid));
    return (
      t.start +
      BigInt(this.random.below(t.pages) * this.settings.config.pageSize + this.random.below(this.options.hotBytes))
    );
  }

  private other(client: FrameClient): Uint8Array {
    const r = this.random;
    switch (r.below(4)) {
      case 0:
        return client.arp();
      case 1:
        return client.ping(this.sequence++ & 0xffff, r.bytes(r.between(0, 200)));
      default:
        return client.request(opcode.PINGPONG, r.below(10), r.bytes(r.between(0, this.settings.config.mtuFrame - 58)));
    }
  }

  /** Small ones, beat-sized ones, any, and the largest. */
  private length(): number {
    const r = this.random,
      { maxData } = this.settings.config;
    switch (r.below(8)) {
      case 0:
      case 1:
        return r.between(1, 16);
      case 2:
      case 3:
        return Math.min(maxData, 64 * r.between(1, 4) + r.between(-1, 1));
      case 4:
        return maxData - r.below(2);
      default:
        return r.between(1, maxData);
    }
  }

  private place(length: number, isWrite: boolean): { readonly pid: number; readonly va: bigint } {
    const { random: r, options: o } = this,
      size = this.settings.config.pageSize,
      page = BigInt(size);
    if (r.chance(o.wrongShare)) return this.wrong(isWrite);
    const t = r.pick(this.territories.filter(x => x.write || !isWrite));
    // Accesses stay inside the territory; crossings need a second page.
    const first = r.below(t.pages),
      base = t.start + BigInt(first) * page;
    if (first + 1 < t.pages && length > 1 && r.chance(o.crossingShare))
      return { pid: t.pid, va: base + page - BigInt(r.between(1, length - 1)) };
    const room = Math.max(1, size - length + 1),
      hot = Math.min(o.hotBytes, room);
    const offset = r.chance(0.9) ? (r.chance(0.5) ? r.below(hot) : room - 1 - r.below(hot)) : r.below(room);
    return { pid: t.pid, va: base + BigInt(Math.max(0, offset)) };
  }

  private wrong(isWrite: boolean): { readonly pid: number; readonly va: bigint } {
    const r = this.random,
      t = r.pick(this.territories.filter(x => !x.write)),
      page = BigInt(this.settings.config.pageSize),
      end = t.start + BigInt(t.pages) * page;
    switch (r.below(5)) {
      case 0:
        return { pid: t.pid, va: end + BigInt(r.below(1000)) };
      case 1:
        return { pid: t.pid, va: end - 1n };
      case 2:
        return { pid: r.between(1000, 65535), va: t.start };
      case 3:
        return { pid: t.pid, va: isWrite ? t.start + BigInt(r.below(100)) : 2n ** 50n - 1n };
      default:
        return { pid: t.pid, va: (BigInt(r.below(2 ** 31)) << 33n) + 2n ** 50n };
    }
  }
}
