/** A region whose tasks have memory, the memory with its registers, and a board's memory. */
import { memoryAddressBits, memoryDriverOf } from "../../../../../../designs/supernic/registers/index.ts";
import { busOf, MemoryWithControl } from "../../../../../../designs/supernic/rtl/memory/index.ts";
import {
  memoryWays,
  region,
  RegionConfig,
  RegionEnter,
  RegionLeave,
  SlotControl,
  SlotState,
} from "../../../../../../designs/supernic/rtl/region/index.ts";
import { dummy, MemoryPut } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { LocalPages, MemoryManager } from "../../../../../../designs/supernic/software/index.ts";
import {
  axi4Master,
  bit,
  connect,
  input,
  instance,
  liteSlavePorts,
  module,
  output,
  portOf,
  sink,
  source,
  vec,
} from "../../../../../../hdl-dsl/index.ts";
import { AxiRam, type Bench, LiteMaster, SparseMemory, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { fromBits, randomPacket } from "../../tasks/support/task-rig.ts";
import { memo, type MemoMisdeed, memoMisdeeds, placeOf } from "./memo-task.ts";
import { toBits, toBytes } from "./rtl-driver.ts";

const sizes = { ways: 2, pages: 64, spaces: 2, pageShift: 12, ppnBits: 6, freePages: 4 },
  tasks = [memo, dummy, memo],
  contexts = 16,
  chain = { contexts, places: 4, slots: tasks.length };
export const memorySlots = [0, 2] as const;

export const dut = module(
  "MemoryPath",
  () => ({
    enter: sink(RegionEnter(chain)),
    leave: source(RegionLeave(chain)),
    control: input(vec(SlotControl(chain), chain.slots)),
    config: input(RegionConfig(chain)),
    state: output(vec(SlotState(chain), chain.slots)),
    ...liteSlavePorts(memoryAddressBits),
    ...axi4Master("m", busOf(sizes)),
    part: input(bit),
    pageOut: source(MemoryPut),
    pageIn: sink(MemoryPut),
  }),
  io => {
    const it = instance("region", region(tasks)({ contexts, places: chain.places })),
      memory = instance("memory", MemoryWithControl(sizes));
    connect(io.enter, it.enter);
    connect(it.leave, io.leave);
    it.config.set(io.config);
    for (let s = 0; s < chain.slots; s++) {
      it.control.at(s).set(io.control.at(s));
      io.state.at(s).set(it.state.at(s));
    }
    for (let w = 0; w < memoryWays(tasks); w++) {
      connect(portOf(it, "ask", w), portOf(memory, "ask", w));
      connect(portOf(it, "put", w), portOf(memory, "put", w));
      connect(portOf(memory, "got", w), portOf(it, "got", w));
      connect(portOf(memory, "wrote", w), portOf(it, "wrote", w));
    }
    memory.off.set(it.memoryOff.is(sizes.ways));
    it.memoryIdle.set(memory.idle);
    it.memoryHeld.set(memory.held);
    memory.part.set(io.part);
    connect(memory.mAr, io.mAr);
    connect(io.mR, memory.mR);
    connect(memory.mAw, io.mAw);
    connect(memory.mW, io.mW);
    connect(io.mB, memory.mB);
    connect(memory.pageOut, io.pageOut);
    connect(io.pageIn, memory.pageIn);
    connect(io.sAw, memory.sAw);
    connect(io.sW, memory.sW);
    connect(memory.sB, io.sB);
    connect(io.sAr, memory.sAr);
    connect(memory.sR, io.sR);
  },
)();
export type B = Bench<(typeof dut)["ports"]>;

interface Inside {
  readonly ctx: number;
  readonly slot: number;
  readonly expected: Uint8Array | "denied" | "unknown";
}
const pageBytes = 4096,
  pages = 16;

export class PathRig {
  readonly b: B;
  readonly enter;
  readonly leave;
  readonly manager: MemoryManager;
  readonly seen = { right: 0, denied: 0, killed: 0 };
  readonly #kept = memorySlots.map(() => new Map<number, Uint8Array | "unknown">());
  #free = Array.from({ length: contexts }, (_, i) => i);
  readonly #inside = new Map<number, Inside>();
  #running = true;
  mayKill = false;

  constructor(b: B, latency = 30) {
    this.b = b;
    const { sim, io } = b;
    new AxiRam(
      sim,
      { aw: io.mAw, w: io.mW, b: io.mB, ar: io.mAr, r: io.mR },
      { memory: new SparseMemory({ fill: { seed: b.random.word() } }), latency, jitter: 20, outOfOrder: true },
    );
    this.enter = new StreamSource(sim, io.enter);
    this.leave = new StreamSink(sim, io.leave);
    const out = new StreamSink(sim, io.pageOut),
      into = new StreamSource(sim, io.pageIn),
      beats = pageBytes / 64;
    const driver = memoryDriverOf(new LiteMaster(sim, { sAw: io.sAw, sW: io.sW, sB: io.sB, sAr: io.sAr, sR: io.sR }), {
      pageBytes,
      take: async () => {
        await b.until(() => out.received.length >= beats);
        return Uint8Array.from(Buffer.concat(out.received.splice(0, beats).map(s => toBytes(s.value.data))));
      },
      give: async bytes => {
        for (let at = 0; at < bytes.length; at += 64) into.send({ data: toBits(bytes.slice(at, at + 64)) });
        await into.drained();
      },
    });
    this.manager = new MemoryManager({
      ...{ driver, remote: new LocalPages(32), pages: sizes.pages, spaces: 2, first: 3, frames: 20, ready: 2 },
    });
    io.config.valid.value = 0;
    io.part.value = 0;
    memorySlots.forEach(s => this.control(s, {}));
    this.control(1, {});
    b.onEdge({ sample: () => this.#sample(), drive: () => void (io.part.value = b.cycle % 8 === 0 ? 1 : 0) });
  }
  control(slot: number, c: { readonly isolate?: boolean; readonly patience?: number }): void {
    const port = this.b.io.control[slot];
    if (port === undefined) throw new RangeError(`there is no slot ${slot}`);
    port.quiesce.value = 0;
    port.busyAt.value = 3;
    port.isolate.value = c.isolate === true ? 1 : 0;
    port.patience.value = c.patience ?? 0;
  }
  async misdeed(slot: number, what: MemoMisdeed): Promise<void> {
    const { config } = this.b.io;
    config.valid.value = 1;
    config.slot.value = slot;
    config.at.value = 0;
    config.data.value = BigInt(memoMisdeeds.indexOf(what));
    await this.b.cycles(1);
    config.valid.value = 0;
  }
  async begin(): Promise<void> {
    for (const [way] of memorySlots.entries()) {
      const space = await this.manager.create({ user: way, limit: pages, write: true });
      if (typeof space === "string") throw new Error(`refused: ${space}`);
      await this.manager.attach(way, space);
    }
    this.b.spawn(async () => {
      while (this.#running) {
        await this.manager.step();
        await this.b.cycles(20);
      }
    });
  }
  stop(): void {
    this.#running = false;
  }
  get pending(): number {
    return this.#inside.size;
  }
  send(way: number): void {
    const ctx = this.#free.shift();
    if (ctx === undefined) return;
    const { random } = this.b,
      slot = memorySlots[way] ?? 0,
      kept = this.#kept[way],
      packet = { ...randomPacket(random), headBytes: 64, arg: random.chance(0.5) ? 1 : 2 },
      { header, noL4, ...rest } = packet;
    header[1] = ((header[1] ?? 0) & 0xfc) | random.pick([0, 0, 0, 1, 2]);
    const place = placeOf(header),
      outside = packet.user === 63;
    if (packet.arg === 1 && !outside) kept?.set(place, header.slice());
    this.enter.send({ ...rest, ctx, header: toBits(header), noL4: noL4 ? 1 : 0, run: 1 << slot });
    this.#inside.set(ctx, { ctx, slot, expected: outside ? "denied" : (kept?.get(place) ?? new Uint8Array(64)) });
  }
  async traffic(packets: number, ways: readonly number[] = [0, 1]): Promise<void> {
    for (let i = 0; i < packets; i++) {
      await this.b.until(() => this.pending < 4);
      this.send(this.b.random.pick(ways));
    }
  }
  #sample(): void {
    for (let s = this.leave.take(); s; s = this.leave.take()) {
      const is = s.value,
        packet = this.#inside.get(Number(is.ctx));
      if (packet === undefined) throw new Error(`packet ${is.ctx} leaves, and is not inside`);
      this.#inside.delete(packet.ctx);
      this.#free.push(packet.ctx);
      if (is.killed === 1) {
        if (!this.mayKill || packet.slot !== 0)
          throw new Error(`packet ${packet.ctx} of slot ${packet.slot} is killed`);
        this.seen.killed++;
        continue;
      }
      if ((is.dropped === 1) !== (packet.expected === "denied")) throw new Error(`dropped is ${is.dropped}`);
      if (is.dropped === 1) {
        this.seen.denied++;
        continue;
      }
      const bytes = fromBits(BigInt(is.header));
      if (packet.expected instanceof Uint8Array && !packet.expected.every((x, i) => x === bytes[i]))
        throw new Error(`slot ${packet.slot} has other bytes than were written`);
      this.seen.right++;
    }
  }
  /** After tasks were killed nobody knows which of the first one's writes were done. */
  forget(): void {
    for (const place of this.#kept[0]?.keys() ?? []) this.#kept[0]?.set(place, "unknown");
  }
  async end(): Promise<void> {
    await this.b.until(() => this.pending === 0);
    await this.b.cycles(200);
    this.stop();
    for (const s of this.b.io.state)
      if (s.inside.num + s.waiting.num !== 0) throw new Error("a slot holds something at the end");
  }
}
