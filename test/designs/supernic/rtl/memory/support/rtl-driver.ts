/** The memory's ports as the driver that software has. */
import type { Memory } from "../../../../../../designs/supernic/rtl/memory/index.ts";
import type {
  MemoryDriver,
  PageState,
  PageValues,
  SpaceValues,
  WayStatus,
} from "../../../../../../designs/supernic/software/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";

export type B = Bench<ReturnType<typeof Memory>["ports"]>;
const beatBytes = 64;
export const toBits = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
export const toBytes = (bits: bigint, n = beatBytes): Uint8Array =>
  Uint8Array.from(Buffer.from(bits.toString(16).padStart(2 * n, "0"), "hex").reverse());

export class RtlDriver implements MemoryDriver {
  readonly pageBytes: number;
  readonly #b: B;
  readonly move;
  readonly moved;
  readonly out;
  readonly in;

  constructor(b: B, pageBytes: number, pause: () => Pause = () => never) {
    this.#b = b;
    this.pageBytes = pageBytes;
    const { sim, io } = b;
    this.move = new StreamSource(sim, io.move);
    this.moved = new StreamSink(sim, io.moved, { pause: pause() });
    this.out = new StreamSink(sim, io.pageOut, { pause: pause() });
    this.in = new StreamSource(sim, io.pageIn, { pause: pause() });
    for (const w of [io.wayWrite, io.spaceWrite, io.pageWrite]) w.en.value = 0;
    io.seeAt.value = 0;
    io.fence.value = 0;
    io.epoch.value = 0;
  }
  async #pulse(en: { value: number | bigint }): Promise<void> {
    en.value = 1;
    await this.#b.cycles(1);
    en.value = 0;
    await this.#b.cycles(1);
  }
  async setWay(way: number, space: number | undefined): Promise<void> {
    const w = this.#b.io.wayWrite;
    w.index.value = way;
    w.value.valid.value = space === undefined ? 0 : 1;
    w.value.space.value = space ?? 0;
    await this.#pulse(w.en);
  }
  async setSpace(space: number, values: SpaceValues): Promise<void> {
    const w = this.#b.io.spaceWrite;
    w.index.value = space;
    w.value.base.value = values.base;
    w.value.limit.value = values.limit;
    w.value.write.value = values.write ? 1 : 0;
    await this.#pulse(w.en);
  }
  async setPage(page: number, values: PageValues): Promise<void> {
    const w = this.#b.io.pageWrite;
    w.index.value = page;
    w.value.ppn.value = values.ppn;
    for (const f of ["valid", "present", "write", "remote"] as const) w.value[f].value = values[f] ? 1 : 0;
    await this.#pulse(w.en);
  }
  async page(page: number): Promise<PageState> {
    const { io } = this.#b;
    io.seeAt.value = page;
    await this.#b.cycles(4);
    const { seen } = io,
      is = (f: "valid" | "present" | "write" | "remote"): boolean => seen[f].value === 1;
    return {
      valid: is("valid"),
      present: is("present"),
      write: is("write"),
      remote: is("remote"),
      ppn: seen.ppn.num,
      stamp: seen.stamp.num,
    };
  }
  way(way: number): Promise<WayStatus> {
    const s = this.#b.io.state[way];
    if (s === undefined) throw new RangeError(`there is no way ${way}`);
    return Promise.resolve({
      waits: s.waits.value === 1,
      remote: s.remote.value === 1,
      page: s.page.num,
      idle: s.idle.value === 1,
      denied: s.denied.num,
      failed: s.failed.num,
    });
  }
  freePages(): Promise<number> {
    return Promise.resolve(this.#b.io.freePages.num);
  }
  epoch(): Promise<number> {
    return Promise.resolve(this.#b.io.epoch.value);
  }
  async fence(): Promise<void> {
    await this.#pulse(this.#b.io.fence);
    await this.#b.until(() => this.#b.io.fenced.value === 1);
  }
  async zero(ppn: number): Promise<boolean> {
    const before = this.move.send({ kind: "zero", ppn });
    await this.#b.until(() => before.cycle !== undefined);
    await this.#b.cycles(1);
    // It is told only when it failed; without that, the mover is free again.
    await this.#b.until(() => this.#b.io.moving.value === 0 || this.moved.received.length > 0);
    return this.moved.take() === undefined;
  }
  async #done(): Promise<boolean> {
    await this.#b.until(() => this.moved.received.length > 0);
    return this.moved.take()?.value.bad === 0;
  }
  async pageOut(ppn: number): Promise<Uint8Array | undefined> {
    this.move.send({ kind: "out", ppn });
    const ok = await this.#done(),
      beats = this.pageBytes / beatBytes;
    const got = this.out.received.splice(0).map(s => toBytes(s.value.data));
    if (got.length !== beats) throw new Error(`a page comes out as ${got.length} beats, not ${beats}`);
    return ok ? Uint8Array.from(Buffer.concat(got)) : undefined;
  }
  async pageIn(ppn: number, bytes: Uint8Array): Promise<boolean> {
    this.move.send({ kind: "in", ppn });
    for (let at = 0; at < bytes.length; at += beatBytes)
      this.in.send({ data: toBits(bytes.slice(at, at + beatBytes)) });
    return this.#done();
  }
}
