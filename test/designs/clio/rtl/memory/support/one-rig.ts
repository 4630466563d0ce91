/** A `TranslateOne` with what surrounds it: a page table in a memory that refuses at will, and a slow path. */
import { expect } from "vitest";
import { tableOf } from "../../../../../../designs/clio/config/index.ts";
import { TranslateOne } from "../../../../../../designs/clio/rtl/memory/translate-one.ts";
import {
  bucketBytes,
  entryAddress,
  locate,
  packEntry,
  unpackEntry,
} from "../../../../../../designs/shared/virtual-memory/table/index.ts";
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  never,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";
import { allBack } from "../../../../../support/all-back.ts";

const parameters = {
  pageSize: 512,
  physicalMemory: 65_536,
  slotsFactor: 2,
  addressBits: 16,
  idBits: 2,
  freePages: 4,
  slots: 2,
  tlbEntries: 4,
  pagesPerRequest: 2,
  physicalPid: 0,
};
const g = tableOf(parameters),
  hashKey = 0x9e37_79b9_7f4a_7c15n,
  pid = 3;
export const { pageSize } = parameters;
export const dut = () => TranslateOne(parameters);
export type Ports = ReturnType<typeof dut>["ports"];
type Channel = "reads" | "writes" | "refused";

/** Frames that there are. */
export const frameCount = 10;

export interface Page {
  readonly vpn: bigint;
  readonly address: number;
  readonly tag: bigint;
}
export interface OneOptions {
  /** Back-pressure of every channel, 0 to 1. */
  readonly busy?: number;
  readonly memory?: AxiRamOptions;
}
/** Bytes of a page that are asked for: 8 from its byte 8 on, if nothing else is said. */
export interface Part {
  readonly offset?: number;
  readonly length?: number;
}
export interface Answer {
  /** 0: translated. */
  readonly status: number;
  readonly ppns: readonly number[];
}

export class OneRig {
  readonly ram: AxiRam;
  /** Writes of entries to be refused, one after another. */
  refusals = 0;
  /** The memory takes an entry although it refuses it. */
  takesRefused = false;
  /** Behind a refusal the entry's bucket cannot be read either. */
  losesReads = false;
  /** Address of a bucket that cannot be read. */
  unreadable: number | undefined;
  /** Writes that the memory has answered, either way. */
  writes = 0;
  /** Frames that the slow path may give. */
  readonly pool = Array.from({ length: frameCount }, (_, i) => g.firstPpn + 5 + i);
  readonly #b: Bench<Ports>;
  readonly #access: StreamSource<Ports["access"]["shape"]>;
  readonly #frames: StreamSource<Ports["freePage"]["shape"]>;
  readonly #shootdowns: StreamSource<Ports["shootdown"]["shape"]>;
  readonly #acknowledged: StreamSink<Ports["shootdownDone"]["shape"]>;
  readonly #sinks: { readonly [C in Channel]: StreamSink<Ports[C]["shape"]> };
  readonly #answers: Answer[] = [];
  readonly #pages: Page[] = [];
  /** Frames in the hardware, in the order in which they were given. */
  readonly #queued: number[] = [];
  /** The frame on its way to the hardware. */
  #offered: number | undefined;
  #next = 5n;
  #sampling = false;
  #half: { address?: number; data?: Uint8Array } = {};
  readonly #idleMemory: object;

  constructor(b: Bench<Ports>, { busy = 0, memory = {} }: OneOptions = {}) {
    this.#b = b;
    const { io, sim } = b,
      pause = (n: number) => (busy > 0 ? bernoulli(busy, n) : never);
    io.hashKey.value = hashKey;
    // In front of the memory, which answers a write while an edge is sampled, and a read's beat while it is driven.
    b.onEdge({ sample: () => this.#look(), drive: () => void (this.#sampling = false) });
    this.ram = new AxiRam(sim, io, {
      latency: 5,
      pause: { aw: pause(1), w: pause(2), b: pause(3), ar: pause(4), r: pause(5) },
      ...memory,
    });
    this.#idleMemory = this.#memoryState();
    const failing = (): { readonly from: number; readonly to: number } => {
      if (this.#sampling) return { from: 0, to: this.refusals > 0 ? g.tableBytes : 0 };
      const { unreadable: from = 0, unreadable } = this;
      return { from, to: unreadable === undefined ? from : from + bucketBytes };
    };
    this.ram.failAt({
      get from() {
        return failing().from;
      },
      get to() {
        return failing().to;
      },
    });
    this.#access = new StreamSource(sim, io.access, { pause: pause(6) });
    this.#frames = new StreamSource(sim, io.freePage);
    this.#shootdowns = new StreamSource(sim, io.shootdown);
    this.#acknowledged = new StreamSink(sim, io.shootdownDone, { pause: pause(7) });
    this.#sinks = {
      reads: new StreamSink(sim, io.reads, { pause: pause(8) }),
      writes: new StreamSink(sim, io.writes, { pause: pause(9) }),
      refused: new StreamSink(sim, io.refused, { pause: pause(10) }),
    };
    b.onEdge({ sample: () => this.#collect(), drive: () => this.#give() });
  }

  /** A page with an entry and without a frame. */
  page(): Page {
    for (;;) {
      const vpn = this.#next++,
        { index, tag } = locate(g, pid, vpn, hashKey),
        page = { vpn, address: entryAddress(g, index, Number(vpn % 8n)), tag };
      if (this.#bits(page) !== 0n) continue;
      this.map(page);
      return page;
    }
  }
  pages(count: number): readonly Page[] {
    return Array.from({ length: count }, () => this.page());
  }
  map(page: Page): void {
    this.#pages.push(page);
    this.#put(page, packEntry(g, { valid: false, allocated: true, read: true, write: true, tag: page.tag, ppn: 0 }));
  }

  /** An access of a page, or of the end of one and the beginning of the next. */
  ask(page: Page, write = false, { offset = 8, length = 8 }: Part = {}): void {
    this.#ask(pid, page.vpn * BigInt(parameters.pageSize) + BigInt(offset), write, length);
  }
  #ask(of: number, va: bigint, write: boolean, length = 8): void {
    this.#access.send({
      ...{ slot: 1, pid: of, va, length, write: write ? 1 : 0 },
      ...{ silent: 0, replyOpcode: 7, op: 0, indirect: 0 },
    });
  }
  /** One access alone, which is answered once. */
  async one(page: Page, write = false, part: Part = {}): Promise<Answer> {
    this.ask(page, write, part);
    await this.#b.until(() => this.#answers.length > 0);
    await this.#b.cycles(3);
    const [answer, ...more] = this.#answers.splice(0);
    expect(more, "a second answer to one access").toEqual([]);
    return answer as Answer;
  }
  /** The same, and what it cost. */
  async counted(page: Page, write = false): Promise<Answer & { readonly writes: number }> {
    const before = this.writes,
      answer = await this.one(page, write);
    return { ...answer, writes: this.writes - before };
  }
  /** The next frame that the hardware is to give, once it has one. */
  async nextFrame(): Promise<number> {
    await this.#b.until(() => this.#queued.length > 0);
    await this.#b.cycles(2);
    return this.#queued[0] as number;
  }
  frameOf(page: Page): number | undefined {
    const { valid, ppn } = unpackEntry(g, this.#bits(page));
    return valid ? ppn : undefined;
  }

  /** Frees a page as the slow path does, which reads and writes the table through the same block. */
  async unmap(page: Page): Promise<void> {
    const physical = { vpn: BigInt(page.address >> g.pageShift) };
    await this.#physical(physical, false);
    const frame = this.frameOf(page);
    await this.#physical(physical, true);
    this.#put(page, 0n);
    this.#pages.splice(this.#pages.indexOf(page), 1);
    this.#shootdowns.send({ pid, vpn: page.vpn });
    await this.#acknowledged.recv();
    expect(this.#bits(page), "an entry that was cleared").toBe(0n);
    if (frame !== undefined) this.#release(frame);
  }
  async #physical({ vpn }: Pick<Page, "vpn">, write: boolean): Promise<void> {
    this.#ask(parameters.physicalPid, vpn * BigInt(parameters.pageSize), write);
    await this.#b.until(() => this.#answers.length > 0);
    expect(this.#answers.splice(0).map(a => a.ppns[0])).toEqual([Number(vpn)]);
  }
  #release(frame: number): void {
    expect(this.pool, "a frame that comes back twice").not.toContain(frame);
    expect(this.#queued, "a frame that comes back, and is in the hardware as well").not.toContain(frame);
    this.pool.push(frame);
  }

  /** A reset of block and bus in the midst of whatever they do: the slow path gives its frames anew. */
  async reset(): Promise<void> {
    const { shared } = this.#memoryState(),
      inside = this.#queued.splice(0);
    if (this.#offered !== undefined) inside.push(this.#offered);
    this.#offered = undefined;
    this.#access.forget();
    this.#frames.forget();
    this.ram.restore({ ...this.#idleMemory, shared });
    this.#b.sim.reset(4);
    await this.#b.cycles(4);
    this.#answers.length = 0;
    this.#half = {};
    const owned = new Set(this.#pages.map(p => this.frameOf(p)));
    for (const frame of [...inside, ...this.#queued.splice(0)]) if (!owned.has(frame)) this.#release(frame);
  }

  /** The memory is whole again, all pages are freed, and each frame can be had once. */
  async finish(): Promise<void> {
    this.refusals = 0;
    this.unreadable = undefined;
    this.losesReads = false;
    for (const page of [...this.#pages]) await this.unmap(page);
    const asked = this.pages(frameCount + 2),
      given = (): number[] => asked.map(p => this.frameOf(p)).filter(f => f !== undefined);
    for (const p of asked) this.ask(p);
    await allBack(this.#b, {
      what: "frames",
      count: frameCount,
      had: () => given().length,
      settle: 200,
      patience: 500,
    });
    expect(new Set(given()).size, "frames, each of them once").toBe(frameCount);
  }

  #memoryState(): { readonly shared: unknown } {
    // What `save` gives is for `restore` only; here the content stays, and what is under way goes.
    return this.ram.save() as { readonly shared: unknown };
  }
  #bits(page: Page): bigint {
    const bytes = this.ram.read(page.address, 8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  }
  #put(page: Page, bits: bigint): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, bits, true);
    this.ram.write(page.address, bytes);
  }

  /** Address and data of a write, which come in either order. */
  #look(): void {
    const { aw, w, b } = this.#b.io;
    this.#sampling = true;
    if (aw.valid.value & aw.ready.value) this.#half.address = Number(aw.payload.addr.value);
    if (w.valid.value & w.ready.value) this.#half.data = Uint8Array.from(w.payload.data.bytes);
    if (b.valid.value & b.ready.value) this.writes++;
    const { address, data } = this.#half;
    if (address === undefined || data === undefined || this.refusals === 0) return;
    if (this.takesRefused) this.ram.write(address, data);
    if (this.losesReads) this.unreadable = address - (address % bucketBytes);
  }
  #collect(): void {
    const { address, data } = this.#half;
    // Behind the memory, which has looked at `refusals` by now.
    if (address !== undefined && data !== undefined) {
      this.refusals = Math.max(0, this.refusals - 1);
      this.#half = {};
    }
    const { freePage } = this.#b.io;
    if (freePage.valid.value & freePage.ready.value && this.#offered !== undefined) {
      this.#queued.push(Number(freePage.payload.value));
      this.#offered = undefined;
    }
    for (const channel of ["reads", "writes"] as const)
      for (const { value } of this.#sinks[channel].received.splice(0)) this.#translated(BigInt(value.ppns));
    for (const { value } of this.#sinks.refused.received.splice(0))
      this.#answers.push({ status: value.status, ppns: [] });
  }
  #translated(ppns: bigint): void {
    this.#answers.push({ status: 0, ppns: [Number(BigInt.asUintN(g.ppnBits, ppns))] });
    this.#audit();
  }
  /** A page that has a frame has it alone, and the hardware has it no more. */
  #audit(): void {
    const frames = this.#pages.map(p => this.frameOf(p)).filter(f => f !== undefined);
    expect(new Set(frames).size, `pages with a frame of their own, of ${frames.length}`).toBe(frames.length);
    for (const frame of frames) {
      const at = this.#queued.indexOf(frame);
      if (at >= 0) this.#queued.splice(at, 1);
    }
  }
  #give(): void {
    if (this.#frames.pending > 0) return;
    this.#offered = this.pool.shift();
    if (this.#offered !== undefined) this.#frames.send(this.#offered);
  }
}
