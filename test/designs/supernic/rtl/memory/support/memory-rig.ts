/** The memory with its software, a board's memory behind it, and tasks whose every byte is as the model says. */
import { MemoryModel, type ModelPiece } from "../../../../../../designs/supernic/model/index.ts";
import { Memory, type MemoryParameters } from "../../../../../../designs/supernic/rtl/memory/index.ts";
import {
  type LiveSpace,
  LocalPages,
  MemoryManager,
  type RemotePages,
} from "../../../../../../designs/supernic/software/index.ts";
import { portOf } from "../../../../../../hdl-dsl/index.ts";
import {
  AxiRam,
  type AxiRamOptions,
  never,
  type Pause,
  SparseMemory,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";
import { type B, RtlDriver, toBits, toBytes } from "./rtl-driver.ts";

export const sizes: MemoryParameters = { ways: 3, pages: 32, spaces: 4, pageShift: 12, ppnBits: 6, freePages: 4 };
export const dut = Memory(sizes);
const pageBytes = 4096,
  beatBytes = 64,
  mostBytes = 1024;

export interface RigOptions {
  readonly memory?: AxiRamOptions;
  readonly pause?: () => Pause;
  readonly frames?: number;
  readonly ready?: number;
  readonly remote?: RemotePages;
  /** The board's memory, which others have as well; one of its own, where this is left out. */
  readonly ram?: AxiRam;
}
interface Op {
  readonly way: number;
  readonly space: number | undefined;
  readonly write: boolean;
  readonly address: number;
  readonly bytes: number;
  readonly pieces: readonly ModelPiece[];
  readonly expected: readonly (Uint8Array | undefined)[];
  readonly cycle: number;
  piece: number;
  beat: number;
  done: boolean;
}

export class MemoryRig {
  readonly b: B;
  readonly ram: AxiRam;
  readonly driver: RtlDriver;
  readonly manager: MemoryManager;
  readonly model = new MemoryModel(pageBytes);
  readonly remote: RemotePages;
  readonly spaces: (LiveSpace | undefined)[] = [];
  readonly seen = { reads: 0, writes: 0, denied: 0, failed: 0, crossed: 0 };
  readonly latencies: number[] = [];
  /** Failures of the memory are expected. */
  mayFail = false;
  readonly #frames: number;
  readonly #isShared: boolean;
  readonly #asks;
  readonly #puts;
  readonly #gots;
  readonly #wrotes;
  readonly #reads: Op[][] = Array.from({ length: sizes.ways }, () => []);
  readonly #writes: Op[][] = Array.from({ length: sizes.ways }, () => []);
  readonly #off = new Set<number>();
  /** Answers by way, and ways of which nobody knows what they were answered. */
  readonly #counts = Array.from({ length: sizes.ways }, () => ({ denied: 0, failed: 0 }));
  readonly #uncounted = new Set<number>();
  /** Bytes of which nobody knows what they are: of a write that failed or was given up. */
  readonly #unknown = new Set<string>();
  /** By page of the board: the space whose page it is, as the bus shows it. */
  readonly #owners = new Map<number, number>();
  #spaceOfWay: (number | undefined)[] = Array.from({ length: sizes.ways }, () => undefined);
  #running = true;

  constructor(b: B, o: RigOptions = {}) {
    this.b = b;
    const pause = o.pause ?? (() => never),
      { io, sim } = b;
    this.#frames = o.frames ?? 12;
    this.ram =
      o.ram ??
      new AxiRam(
        sim,
        { aw: io.mAw, w: io.mW, b: io.mB, ar: io.mAr, r: io.mR },
        {
          // Whatever was there before is not zero.
          memory: new SparseMemory({ fill: { seed: b.random.word() } }),
          latency: 20,
          pause: { aw: pause(), w: pause(), b: pause(), ar: pause(), r: pause() },
          ...o.memory,
        },
      );
    this.#isShared = o.ram !== undefined;
    this.driver = new RtlDriver(b, pageBytes, pause);
    this.remote = o.remote ?? new LocalPages(16);
    this.manager = new MemoryManager({
      driver: this.driver,
      remote: this.remote,
      pages: sizes.pages,
      spaces: sizes.spaces,
      first: 5,
      frames: this.#frames,
      ready: o.ready ?? 2,
    });
    const ways = Array.from({ length: sizes.ways }, (_, i) => i);
    this.#asks = ways.map(i => new StreamSource(sim, portOf(io, "ask", i), { pause: pause() }));
    this.#puts = ways.map(i => new StreamSource(sim, portOf(io, "put", i), { pause: pause() }));
    this.#gots = ways.map(i => new StreamSink(sim, portOf(io, "got", i), { pause: pause() }));
    this.#wrotes = ways.map(i => new StreamSink(sim, portOf(io, "wrote", i), { pause: pause() }));
    io.off.value = 0;
    b.onEdge({ sample: () => this.#sample() });
  }
  /** Software's rounds, with pauses between them. */
  async run(most = 40): Promise<void> {
    while (this.#running) {
      await this.manager.step();
      await this.b.cycles(1 + this.b.random.below(most));
    }
  }
  stop(): void {
    this.#running = false;
  }
  async space(limit: number, write = true, weight = 1): Promise<LiveSpace> {
    const space = await this.manager.create({ user: this.spaces.length, limit, write, weight });
    if (typeof space === "string") throw new Error(`a space of ${limit} pages is refused: ${space}`);
    this.model.create(space.number, space);
    this.spaces[space.number] = space;
    return space;
  }
  async attach(way: number, space: LiveSpace): Promise<void> {
    await this.manager.attach(way, space);
    this.#spaceOfWay[way] = space.number;
  }
  async destroy(space: LiveSpace): Promise<void> {
    await this.manager.destroy(space);
    this.model.destroy(space.number);
    for (const [frame, owner] of this.#owners) if (owner === space.number) this.#owners.delete(frame);
    this.spaces[space.number] = undefined;
    this.#spaceOfWay = this.#spaceOfWay.map(s => (s === space.number ? undefined : s));
  }
  /** All of its pages go, and it begins anew. */
  async renew(space: LiveSpace): Promise<LiveSpace> {
    const now = await this.manager.renew(space),
      { number } = space;
    this.model.destroy(number);
    this.model.create(number, now);
    for (const [frame, owner] of this.#owners) if (owner === number) this.#owners.delete(frame);
    for (const key of this.#unknown) if (key.startsWith(`${number}.`)) this.#unknown.delete(key);
    this.spaces[number] = now;
    return now;
  }
  pending(way: number): number {
    return (this.#reads[way]?.length ?? 0) + (this.#writes[way]?.length ?? 0);
  }
  /** Nobody else writes what is read, or touches what is written, until it is answered. */
  #conflicts(space: number | undefined, write: boolean, from: number, bytes: number): boolean {
    return [...this.#reads, ...this.#writes]
      .flat()
      .some(o => o.space === space && (write || o.write) && from < o.address + o.bytes && o.address < from + bytes);
  }
  /** An access, without waiting. False: it would meet another one. */
  access(way: number, write: boolean, address: number, bytes: number): boolean {
    const space = this.#spaceOfWay[way];
    if (this.#off.has(way) || this.#conflicts(space, write, address, bytes)) return false;
    const pieces = this.model.pieces(space, write, address, bytes),
      op: Op = {
        ...{ way, space, write, address, bytes, pieces, cycle: this.b.cycle },
        expected: pieces.map(p => (p.denied || write ? undefined : this.model.read(space ?? 0, p))),
        ...{ piece: 0, beat: 0, done: false },
      };
    this.#asks[way]?.send({ write: write ? 1 : 0, address: BigInt(address), lastByte: bytes - 1 });
    (write ? this.#writes : this.#reads)[way]?.push(op);
    if (!write) return true;
    const data = this.b.random.bytes(bytes),
      first = address - (address % beatBytes),
      beats = Math.ceil((address + bytes - first) / beatBytes);
    for (let i = 0; i < beats; i++) {
      const beat = this.b.random.bytes(beatBytes);
      for (let k = 0; k < beatBytes; k++) beat[k] = data[first + i * beatBytes + k - address] ?? beat[k] ?? 0;
      this.#puts[way]?.send({ data: toBits(beat) });
    }
    for (const p of pieces.filter(p => !p.denied)) {
      this.model.write(space ?? 0, p, data.slice(p.from - address, p.from - address + p.bytes));
      this.#know(space, p.from, p.bytes, true);
    }
    return true;
  }
  #know(space: number | undefined, from: number, bytes: number, known: boolean): void {
    for (let i = from; i < from + bytes; i++)
      if (known) this.#unknown.delete(`${space ?? "-"}.${i}`);
      else this.#unknown.add(`${space ?? "-"}.${i}`);
  }
  /** Random accesses of all ways, some of which reach outside. */
  async traffic(
    cycles: number,
    o: { readonly outside?: number; readonly ways?: readonly number[] } = {},
  ): Promise<void> {
    const { random } = this.b,
      ways = o.ways ?? [0, 1, 2];
    for (let i = 0; i < cycles; i++) {
      const way = random.pick(ways),
        number = this.#spaceOfWay[way],
        limit = (number === undefined ? undefined : this.spaces[number]?.limit) ?? 2;
      if (this.pending(way) < 12 && random.chance(0.4)) {
        const outside = random.chance(o.outside ?? 0.05),
          bytes = random.pick([1, 8, 64, 65, 200, mostBytes, random.between(1, mostBytes)]),
          page = outside ? random.pick([limit, limit + 1, 2 ** 22 - 1]) : this.#near(way, limit),
          place = random.chance(0.3) ? pageBytes - random.between(1, mostBytes) : random.below(pageBytes);
        this.access(way, random.chance(0.5), page * pageBytes + place, bytes);
      }
      await this.b.cycles(1);
    }
  }
  /** Tasks stay at a page for a while: else all of the time goes into fetching pages. */
  #near(way: number, limit: number): number {
    if (this.b.random.chance(this.strays)) this.#hot[way] = this.b.random.below(limit);
    return Math.min(this.#hot[way] ?? 0, limit - 1);
  }
  /** How often a task goes to another page. */
  strays = 0.02;
  readonly #hot = Array.from({ length: sizes.ways }, () => 0);
  #sample(): void {
    this.#watchBus();
    for (let way = 0; way < sizes.ways; way++) {
      for (let s = this.#gots[way]?.take(); s; s = this.#gots[way]?.take()) this.#beat(way, s.cycle, s.value);
      for (let s = this.#wrotes[way]?.take(); s; s = this.#wrotes[way]?.take()) this.#wrote(way, s.value.error);
    }
  }
  /** Bursts that the memory has not answered, by master: the pages that they are in, in order. */
  readonly #reading = new Map<number, number[]>();
  readonly #writing = new Map<number, number[]>();
  /** Pages that no task may be in any more. */
  readonly #closed = new Set<number>();
  /** What comes back ends the oldest burst of its master. */
  #watchAnswers(): void {
    const { mR, mB } = this.b.io;
    if (mR.valid.value !== 0 && mR.ready.value !== 0 && mR.payload.last.value !== 0)
      this.#reading.get(Number(mR.payload.id.value))?.shift();
    if (mB.valid.value !== 0 && mB.ready.value !== 0) this.#writing.get(Number(mB.payload.id.value))?.shift();
  }
  #note(out: Map<number, number[]>, id: number, frame: number): void {
    if (id > 0 && this.#closed.has(frame)) throw new Error(`way ${id - 1} is in page ${frame} behind a fence`);
    out.set(id, [...(out.get(id) ?? []), frame]);
  }
  /** A page of a space moves to `ppn` while tasks use it; where it was there is rubbish then. Gives where it was. */
  async relocate(space: LiveSpace, page: number, ppn: number): Promise<number> {
    const at = space.base + page,
      old = await this.driver.page(at);
    if (!old.present) return ppn;
    await this.driver.setPage(at, { ...old, present: false, remote: true });
    await this.driver.fence();
    const inside = [...this.#reading.values(), ...this.#writing.values()].flat().filter(f => f === old.ppn).length;
    if (inside > 0) throw new Error(`the fence has ended, and ${inside} bursts are in page ${old.ppn}`);
    this.#closed.add(old.ppn);
    const bytes = await this.driver.pageOut(old.ppn);
    if (bytes === undefined) throw new Error("the memory fails");
    await this.driver.pageIn(old.ppn, this.b.random.bytes(pageBytes));
    await this.driver.pageIn(ppn, bytes);
    await this.driver.setPage(at, { ...old, ppn });
    this.#closed.delete(ppn);
    return old.ppn;
  }
  /** Each burst is in a page that is its space's alone. */
  #watchBus(): void {
    const { mAr, mAw } = this.b.io;
    this.#watchAnswers();
    for (const a of [mAr, mAw]) {
      if (a.valid.value === 0 || a.ready.value === 0) continue;
      const id = Number(a.payload.id.value),
        frame = Number(a.payload.addr.value) >> sizes.pageShift,
        owner = this.#owners.get(frame);
      if (frame < 5 || frame >= 5 + this.#frames) throw new Error(`a burst goes to page ${frame}, which is nobody's`);
      this.#note(a === mAr ? this.#reading : this.#writing, id, frame);
      if (id === 0) {
        if (a === mAw) this.#owners.delete(frame);
        continue;
      }
      const space = this.#spaceOfWay[id - 1];
      if (this.#off.has(id - 1)) continue;
      if (space === undefined) throw new Error(`way ${id - 1} has no space, and a burst`);
      if (owner !== undefined && owner !== space)
        throw new Error(`way ${id - 1} of space ${space} is in page ${frame} of space ${owner}`);
      this.#owners.set(frame, space);
    }
  }
  #beat(
    way: number,
    cycle: number,
    is: { readonly data: bigint | number; readonly last: number; readonly error: string },
  ): void {
    if (this.#off.has(way)) return;
    const op = this.#reads[way]?.[0],
      piece = op?.pieces[op.piece];
    if (op === undefined || piece === undefined) throw new Error(`way ${way}: a beat that nobody asked for`);
    const first = piece.from - (piece.from % beatBytes),
      beats = piece.denied ? 1 : Math.ceil((piece.from + piece.bytes - first) / beatBytes),
      ends = op.beat === beats - 1,
      last = ends && op.piece === op.pieces.length - 1,
      bytes = toBytes(BigInt(is.data));
    if ((is.last === 1) !== last) throw new Error(`way ${way}: last is ${is.last} at beat ${op.beat} of ${beats}`);
    const expected = op.expected[op.piece],
      all0 = bytes.every(x => x === 0);
    if (piece.denied && !all0) throw new Error(`way ${way}: a denied beat has data`);
    for (let k = 0; k < beatBytes; k++) {
      const at = first + op.beat * beatBytes + k,
        should = expected?.[at - piece.from];
      if (should === undefined || at < piece.from || bytes[k] === should) continue;
      if (this.#unknown.has(`${op.space ?? "-"}.${at}`) || (this.mayFail && all0)) continue;
      throw new Error(`way ${way}, space ${op.space ?? "-"}: byte ${at} is ${bytes[k] ?? -1}, not ${should}`);
    }
    op.beat++;
    if (!ends) return;
    op.piece++;
    op.beat = 0;
    if (!last) return;
    this.#ended(op, is.error, this.#reads[way]);
    this.latencies.push(cycle - op.cycle);
    this.seen.reads++;
  }
  #wrote(way: number, error: string): void {
    if (this.#off.has(way)) return;
    const op = this.#writes[way]?.[0];
    if (op === undefined) throw new Error(`way ${way}: a write is answered that nobody asked for`);
    if (error === "failed") this.#know(op.space, op.address, op.bytes, false);
    this.#ended(op, error, this.#writes[way]);
    this.seen.writes++;
  }
  #ended(op: Op, error: string, from: Op[] | undefined): void {
    from?.shift();
    const should = op.pieces.some(p => p.denied) ? "denied" : "none";
    if (op.pieces.length > 1) this.seen.crossed++;
    const counts = this.#counts[op.way];
    if (counts !== undefined && error === "failed") counts.failed++;
    if (counts !== undefined && error === "denied") counts.denied++;
    if (error === "failed" && this.mayFail) this.seen.failed++;
    else if (this.mayFail && error === "denied") this.seen.denied++;
    else if (error !== should) throw new Error(`way ${op.way}: the answer is ${error}, not ${should}`);
    else if (error === "denied") this.seen.denied++;
  }
  /**
   * A task goes in the middle of what it does. Nobody knows what came of its writes; another task has the way then.
   * @param next what that one does first, in the cycle in which it comes
   */
  async kill(way: number, next: () => void = () => undefined): Promise<void> {
    const { io } = this.b,
      bit = 1 << way;
    this.#off.add(way);
    this.#uncounted.add(way);
    io.off.value = Number(io.off.value) | bit;
    for (const o of this.#writes[way] ?? []) this.#know(o.space, o.address, o.bytes, false);
    await this.b.cycles(1);
    await this.b.until(
      () => (Number(io.idle.value) & bit) !== 0 && this.#asks[way]?.pending === 0 && this.#puts[way]?.pending === 0,
    );
    await this.b.cycles(2);
    this.#reads[way]?.splice(0);
    this.#writes[way]?.splice(0);
    this.#off.delete(way);
    io.off.value = io.off.value & ~bit;
    next();
    await this.b.cycles(1);
  }
  async settled(ways: readonly number[] = [0, 1, 2]): Promise<void> {
    await this.b.until(() => ways.every(w => this.pending(w) === 0));
  }
  /** All is answered, all is back: ways idle, pages of the board accounted for. */
  async end(): Promise<void> {
    await this.settled();
    await this.b.cycles(60);
    this.stop();
    await this.manager.step();
    await this.b.until(() => this.manager.moving === 0);
    const { io } = this.b;
    if (Number(io.idle.value) !== 2 ** sizes.ways - 1) throw new Error("a way is not idle at the end");
    this.#counts.forEach((counted, way) => {
      const state = io.state[way];
      if (state === undefined || this.#uncounted.has(way)) return;
      if (state.denied.num !== counted.denied || state.failed.num !== counted.failed)
        throw new Error(`way ${way} counts ${state.denied.num} denied and ${state.failed.num} failed`);
    });
    if (Number(io.held.value) !== 0) throw new Error("a way is held at the end");
    if (!this.#isShared && !this.ram.idle) throw new Error("the memory has something at the end");
    let there = this.manager.unused + io.freePages.num + this.manager.counted.bad;
    for (let page = 0; page < sizes.pages; page++) {
      const { valid, present, ppn } = await this.driver.page(page);
      const is = this.spaces.some(s => s !== undefined && page >= s.base && page < s.base + s.limit);
      if (!is || !valid || !present) continue;
      there++;
      if (ppn < 5 || ppn >= 5 + this.#frames) throw new Error(`page ${page} is in ${ppn}`);
    }
    if (there !== this.#frames) throw new Error(`${there} pages of ${this.#frames} are accounted for`);
  }
}
