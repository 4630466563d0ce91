/** A region whose chains come and go and one whose chain stays, with memory: docs/supernic/memory.md. */
import { memoryAddressBits, memoryDriverOf } from "../../../../../../designs/supernic/registers/index.ts";
import { memoryWaysOf, regions } from "../../../../../../designs/supernic/rtl/core/index.ts";
import { busOf, MemoryWithControl } from "../../../../../../designs/supernic/rtl/memory/index.ts";
import { dummy, MemoryPut } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { LocalPages, MemoryManager } from "../../../../../../designs/supernic/software/index.ts";
import {
  axi4Master,
  bit,
  connect,
  input,
  instance,
  liteSlavePorts,
  mergePorts,
  module,
  portOf,
  type Ports,
  sink,
  source,
} from "../../../../../../hdl-dsl/index.ts";
import { AxiRam, type Bench, LiteMaster, SparseMemory, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { fromBits, randomPacket, toBits } from "../../tasks/support/task-rig.ts";
import { memo, placeOf } from "./memo-task.ts";

const memory = { ways: 2, pages: 64, spaces: 2, pageShift: 12, ppnBits: 6, freePages: 4 },
  sizes = { contexts: 16, regions: 2, slots: 2, branches: 1, credits: 4, reprogramCycles: 120 },
  contents = [{ variants: [[memo], [dummy, memo], [dummy]], first: 1 }, [memo, dummy]];
/** Where the task with memory stands in each chain of the first region. */
const memoSlots = [0, 1, undefined] as const;
const definition = regions(contents)(sizes);
// What a bench sees of the regions: all but the ways, which go to the memory.
const { enter, leave, accepts, busy, give, control, state, config, region, status } = definition.ports;
const outside = { enter, leave, accepts, busy, give, control, state, config, region, status };

export const dut = module(
  "MemorySwap",
  () =>
    mergePorts(outside, liteSlavePorts(memoryAddressBits), axi4Master("m", busOf(memory)), {
      pageOut: source(MemoryPut),
      pageIn: sink(MemoryPut),
      part: input(bit),
    }),
  io => {
    const it = instance("regions", definition),
      kept = instance("memory", MemoryWithControl(memory));
    connect(io.enter, it.enter);
    connect(it.leave, io.leave);
    io.accepts.set(it.accepts);
    it.config.set(io.config);
    it.stateAsk.set({ valid: 0, write: 0, at: 0, data: 0, slot: 0, number: 0, region: 0 });
    it.region.set(io.region);
    for (let r = 0; r < sizes.regions; r++) {
      io.busy.at(r).set(it.busy.at(r));
      io.give.at(r).set(it.give.at(r));
      io.status.at(r).set(it.status.at(r));
    }
    for (let s = 0; s < sizes.regions * sizes.slots; s++) {
      it.control.at(s).set(io.control.at(s));
      io.state.at(s).set(it.state.at(s));
    }
    for (let w = 0; w < memoryWaysOf(contents); w++) {
      connect(portOf(it, "ask", w), portOf(kept, "ask", w));
      connect(portOf(it, "put", w), portOf(kept, "put", w));
      connect(portOf(kept, "got", w), portOf(it, "got", w));
      connect(portOf(kept, "wrote", w), portOf(it, "wrote", w));
    }
    kept.off.set(it.memoryOff.is(memory.ways));
    it.memoryIdle.set(kept.idle);
    it.memoryHeld.set(kept.held);
    kept.part.set(io.part);
    connect(kept.mAr, io.mAr);
    connect(io.mR, kept.mR);
    connect(kept.mAw, io.mAw);
    connect(kept.mW, io.mW);
    connect(io.mB, kept.mB);
    connect(kept.pageOut, io.pageOut);
    connect(io.pageIn, kept.pageIn);
    connect(io.sAw, kept.sAw);
    connect(io.sW, kept.sW);
    connect(kept.sB, io.sB);
    connect(io.sAr, kept.sAr);
    connect(kept.sR, io.sR);
  },
)();
type P = (typeof dut)["ports"] & Ports;
export type B = Bench<P>;

export class SwapRig {
  readonly b: B;
  readonly enter;
  readonly leave;
  readonly manager: MemoryManager;
  readonly seen = { right: [0, 0], killed: 0 };
  readonly #kept = [0, 1].map(() => new Map<number, Uint8Array | "unknown">());
  readonly #inside = new Map<number, { readonly region: number; readonly expected: Uint8Array | "unknown" }>();
  #free = Array.from({ length: sizes.contexts }, (_, i) => i);
  #chain = 1;
  #open = true;

  constructor(b: B) {
    this.b = b;
    const { sim, io } = b;
    new AxiRam(
      sim,
      { aw: io.mAw, w: io.mW, b: io.mB, ar: io.mAr, r: io.mR },
      { memory: new SparseMemory({ fill: { seed: b.random.word() } }), latency: 80, jitter: 40, outOfOrder: true },
    );
    this.enter = new StreamSource(sim, io.enter);
    this.leave = new StreamSink(sim, io.leave);
    new StreamSink(sim, io.pageOut);
    new StreamSource(sim, io.pageIn);
    const bus = new LiteMaster(sim, { sAw: io.sAw, sW: io.sW, sB: io.sB, sAr: io.sAr, sR: io.sR }),
      // Nothing goes elsewhere here.
      never = () => Promise.reject(new Error("a page moves"));
    const driver = memoryDriverOf(bus, { pageBytes: 4096, take: never, give: never });
    this.manager = new MemoryManager({
      ...{ driver, remote: new LocalPages(0), pages: memory.pages, spaces: 2, first: 0, frames: 40, ready: 2 },
    });
    io.part.value = 0;
    io.config.valid.value = 0;
    io.region.en.value = 0;
    for (const c of io.control) {
      c.busyAt.value = 3;
      c.patience.value = 0;
      c.quiesce.value = 0;
      c.isolate.value = 0;
    }
    b.onEdge({ sample: () => this.#sample() });
  }
  async begin(): Promise<void> {
    for (const way of [0, 1]) {
      const space = await this.manager.create({ user: way, limit: 16, write: true });
      if (typeof space === "string") throw new Error(`refused: ${space}`);
      await this.manager.attach(way, space);
    }
    this.b.spawn(async () => {
      for (;;) {
        await this.manager.step();
        await this.b.cycles(10);
      }
    });
  }
  pending(region: number): number {
    return [...this.#inside.values()].filter(p => p.region === region).length;
  }
  async traffic(packets: number): Promise<void> {
    for (let i = 0; i < packets; i++) {
      const r = this.#open ? this.b.random.below(2) : 1;
      await this.b.until(() => this.pending(r) < 3 && ((Number(this.b.io.accepts.value) >> r) & 1) === 1);
      if (r === 1 || this.#open) this.#send(r);
      await this.b.cycles(this.b.random.below(12));
    }
  }
  #send(r: number): void {
    const ctx = this.#free.shift(),
      slot = r === 1 ? 0 : memoSlots[this.#chain - 1];
    if (ctx === undefined) return;
    const { random } = this.b,
      packet = { ...randomPacket(random), headBytes: 64, arg: random.chance(0.5) ? 1 : 2, user: 1 },
      { header, noL4, ...rest } = packet,
      place = placeOf(header),
      kept = this.#kept[r];
    if (slot !== undefined && packet.arg === 1) kept?.set(place, header.slice());
    const expected = slot === undefined ? header : (kept?.get(place) ?? new Uint8Array(64)),
      run = slot === undefined ? 0 : 1 << slot;
    this.enter.send({ ...rest, ctx, branch: 0, region: r, header: toBits(header), noL4: noL4 ? 1 : 0, run });
    this.#inside.set(ctx, { region: r, expected: slot === undefined ? "unknown" : expected });
  }
  #sample(): void {
    for (let s = this.leave.take(); s; s = this.leave.take()) {
      const is = s.value,
        packet = this.#inside.get(Number(is.ctx));
      if (packet === undefined) throw new Error(`packet ${is.ctx} leaves, and is not inside`);
      this.#inside.delete(Number(is.ctx));
      this.#free.push(Number(is.ctx));
      if (is.killed === 1) {
        if (packet.region === 1) throw new Error("a packet of the region that stays is killed");
        this.seen.killed++;
        continue;
      }
      const bytes = fromBits(BigInt(is.header)),
        { expected } = packet;
      if (expected instanceof Uint8Array && !expected.every((x, i) => x === bytes[i]))
        throw new Error(`region ${packet.region} has other bytes than were written`);
      this.seen.right[packet.region] = (this.seen.right[packet.region] ?? 0) + 1;
    }
  }
  get #status() {
    const s = this.b.io.status[0];
    if (s === undefined) throw new RangeError("there is a region 0");
    return s;
  }
  async #ask(ask: { readonly isolate?: number; readonly load?: number; readonly chain?: number }): Promise<void> {
    const { region } = this.b.io;
    region.en.value = 1;
    region.index.value = 0;
    for (const f of ["isolate", "load", "chain"] as const) region.value[f].value = ask[f] ?? 0;
    region.value.quiesce.value = 0;
    await this.b.cycles(1);
    region.en.value = 0;
    await this.b.cycles(2);
  }
  /** Killed in the middle, and there again: with another chain, or the same one. */
  async swap(chain: number): Promise<void> {
    this.#open = false;
    await this.#ask({ isolate: 1 });
    const s = this.#status;
    await this.b.until(() => s.stage.value === "cut" && s.empty.value === 1 && this.pending(0) === 0);
    for (const place of this.#kept[0]?.keys() ?? []) this.#kept[0]?.set(place, "unknown");
    if (chain !== this.#chain) {
      await this.#ask({ isolate: 1, load: 1, chain });
      await this.b.until(() => s.stage.value === "cut");
    }
    await this.#ask({});
    await this.b.until(() => s.stage.value === "on" && s.off.value === 0);
    this.#chain = chain;
    this.#open = true;
  }
  async end(): Promise<void> {
    await this.b.until(() => this.#inside.size === 0);
    await this.b.cycles(100);
  }
}
