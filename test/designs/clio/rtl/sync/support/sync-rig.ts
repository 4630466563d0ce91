/**
 * A bench around the sync unit: slots with operands, a memory, and a scoreboard. Requests come from one stream, so
 * their order of arrival is known when they are sent. So is the value that each must find: the reference does them
 * one after another.
 */
import { expect } from "vitest";
import { atomicResult } from "../../../../../../designs/clio/model/index.ts";
import { syncOp, SyncReply, SyncRequest, SyncResult } from "../../../../../../designs/clio/rtl/sync/sync-ops.ts";
import { SyncUnit } from "../../../../../../designs/clio/rtl/sync/sync-unit.ts";
import type { SyncUnitParameters } from "../../../../../../designs/clio/rtl/sync/sync-unit/ports.ts";
import { SlotWords, WordWrite } from "../../../../../../designs/shared/frame/index.ts";
import { Access, operandBits } from "../../../../../../designs/clio/rtl/records/records.ts";
import {
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  connect,
  input,
  instance,
  module,
  output,
  sink,
  source,
} from "../../../../../../hdl-dsl/index.ts";
import { status } from "../../../../../../designs/clio/wire/index.ts";
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  never,
  type Pause,
  SparseMemory,
  StreamMonitor,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";
import { allBack } from "../../../../../support/all-back.ts";

/** The unit with the operands beside it, as they stand in the node: distributed memory by slot. */
export const SyncDut = module(
  "SyncDut",
  (p: SyncUnitParameters) => ({
    request: sink(SyncRequest(p)),
    operandsWrite: input(WordWrite({ slots: p.slots, width: operandBits })),
    ar: source(axi4Address(p)),
    r: sink(axi4Read(p)),
    aw: source(axi4Address(p)),
    w: source(axi4Write(p.beatBytes)),
    b: sink(axi4Response(p)),
    result: output(SyncResult(p)),
    reply: source(SyncReply(p)),
    access: source(Access(p)),
  }),
  (io, p) => {
    const unit = instance("unit", SyncUnit(p));
    const operands = instance("operands", SlotWords({ slots: p.slots, width: operandBits }));
    operands.write.set(io.operandsWrite);
    operands.slot.set(unit.operandSlot);
    unit.operands.set(operands.value.is(operandBits));
    connect(io.request, unit.request);
    connect(unit.ar, io.ar);
    connect(io.r, unit.r);
    connect(unit.aw, io.aw);
    connect(unit.w, io.w);
    connect(io.b, unit.b);
    connect(unit.reply, io.reply);
    connect(unit.access, io.access);
    io.result.set(unit.result);
  },
);
export type SyncPorts = ReturnType<typeof SyncDut>["ports"];

export type OpName = keyof typeof syncOp;
/** An operation of the bench. */
export interface Op {
  readonly op: OpName;
  readonly address: number;
  readonly operand?: bigint;
  readonly swap?: bigint;
}
interface Flying extends Op {
  readonly slot: number;
  readonly pid: number;
  readonly length: number;
  readonly silent: number;
  readonly replyOpcode: number;
  readonly sent: { cycle: number | undefined };
  readonly old: bigint;
  readonly fails: boolean;
  told: boolean;
}
export interface Done extends Op {
  readonly slot: number;
  readonly accepted: number;
  readonly cycle: number;
  readonly status: number;
  readonly old: bigint;
}

const isPointer = (op: OpName): boolean => op === "derefRead" || op === "derefWrite";

export interface RigOptions {
  readonly memory?: AxiRamOptions;
  readonly pause?: () => Pause;
  /** When the memory's answers to writes are kept back. */
  readonly confirms?: Pause;
  /** Range of addresses that answer with errors from the start. */
  readonly failing?: { readonly from: number; readonly to: number };
}

export class SyncRig {
  readonly ram: AxiRam;
  readonly done: Done[] = [];
  readonly memory: SparseMemory;
  /** Required content of memory: changed as requests are sent. */
  readonly reference: SparseMemory;
  /**
   * Addresses whose operations fail although the reference does not know: set by benches that break memory
   * in the middle.
   */
  readonly lost = new Set<number>();
  readonly #b: Bench<SyncPorts>;
  readonly #p: SyncUnitParameters;
  readonly #failing: RigOptions["failing"];
  readonly #requests: StreamSource<SyncPorts["request"]["shape"]>;
  readonly #replies: StreamSink<SyncPorts["reply"]["shape"]>;
  readonly #accesses: StreamSink<SyncPorts["access"]["shape"]>;
  readonly #free: number[];
  readonly #flying = new Map<number, Flying>();
  /** Operands on their way into the slots, one a cycle, each ahead of its request. */
  readonly #loading: { readonly slot: number; readonly value: bigint }[] = [];
  /** Slots given back: anything may stand in their operands at once. */
  readonly #left: number[] = [];
  readonly #touched = new Set<number>();
  /** Accesses of memory under way, by word: never two at once. */
  readonly #busy = new Map<number, string>();
  readonly #stalls = { r: 0, b: 0 };
  readonly #reading: number[] = [];
  readonly #writing: number[] = [];

  constructor(b: Bench<SyncPorts>, p: SyncUnitParameters, o: RigOptions = {}) {
    this.#b = b;
    this.#p = p;
    this.#failing = o.failing;
    const seed = b.random.word(),
      pause = o.pause ?? (() => never);
    this.memory = new SparseMemory({ fill: { seed } });
    this.reference = new SparseMemory({ fill: { seed } });
    this.ram = new AxiRam(b.sim, b.io, {
      latency: 20,
      ...o.memory,
      memory: this.memory,
      pause: { aw: pause(), w: pause(), b: o.confirms ?? pause(), ar: pause(), r: pause() },
      ...(o.failing ? { errors: [o.failing] } : {}),
    });
    this.#free = Array.from({ length: p.slots }, (_, i) => i);
    this.#requests = new StreamSource(b.sim, b.io.request, { pause: pause() });
    this.#replies = new StreamSink(b.sim, b.io.reply, { pause: pause() });
    this.#accesses = new StreamSink(b.sim, b.io.access, { pause: pause() });
    new StreamMonitor(b.sim, b.io.ar, s => this.#starts(s.value, s.cycle, "read"));
    new StreamMonitor(b.sim, b.io.aw, s => this.#starts(s.value, s.cycle, "written"));
    new StreamMonitor(b.sim, b.io.r, () => {
      this.#busy.delete(this.#reading.shift() as number);
    });
    new StreamMonitor(b.sim, b.io.b, () => {
      this.#busy.delete(this.#writing.shift() as number);
    });
    b.onEdge({ sample: c => this.#sample(c), drive: () => this.#load() });
  }

  get inFlight(): number {
    return this.#flying.size;
  }

  /** Sets a word past the bus, in memory and in the reference. */
  set(address: number, value: bigint): void {
    const bytes = wordBytes(value);
    this.memory.write(address, bytes);
    this.reference.write(address, bytes);
  }
  word(address: number): bigint {
    return wordOf(this.reference.read(address, 8));
  }

  /**
   * Sends an operation if a slot is free; @returns whether there was one. its operands stand in the slot
   * before it arrives.
   */
  send(o: Op): boolean {
    const random = this.#b.random;
    const slot = this.#free.splice(random.between(0, this.#free.length - 1), 1)[0];
    if (slot === undefined) return false;
    const operand = o.operand ?? random.bits(64),
      swap = o.swap ?? random.bits(64);
    const fails =
      this.lost.has(o.address) ||
      (this.#failing !== undefined && o.address >= this.#failing.from && o.address < this.#failing.to);
    const old = this.word(o.address);
    if (!isPointer(o.op) && !fails) {
      const value = atomicResult({ kind: o.op as "tas", operand, swap }, old);
      if (value !== undefined) this.reference.write(o.address, wordBytes(value));
    }
    this.#touched.add(o.address);
    this.#loading.push({ slot, value: operand | (swap << 64n) });
    const f = {
      ...o,
      operand,
      swap,
      slot,
      pid: random.between(0, 65535),
      length: random.between(1, 9000),
      silent: random.between(0, 1),
      replyOpcode: random.between(0, 255),
      old,
      fails,
      told: false,
    };
    const sent = this.#requests.send({
      slot,
      op: syncOp[o.op],
      address: o.address,
      pid: f.pid,
      length: f.length,
      silent: f.silent,
      replyOpcode: f.replyOpcode,
    });
    this.#flying.set(slot, { ...f, sent });
    return true;
  }
  async sendWhenFree(o: Op): Promise<void> {
    while (!this.send(o)) await this.#b.risingEdge();
  }
  /** Takes neither replies nor accesses while `stopped`. */
  hold(stopped: Pause): void {
    this.#replies.pause = this.#accesses.pause = stopped;
  }
  /** After a reset: operations under way are gone, and the content of memory counts. */
  forget(): void {
    this.#free.push(...this.#flying.keys());
    this.#flying.clear();
    this.done.length = this.#loading.length = this.#reading.length = this.#writing.length = 0;
    this.#busy.clear();
    for (const address of this.#touched) this.set(address, wordOf(this.memory.read(address, 8)));
  }
  async idle(): Promise<void> {
    await this.#b.until(() => this.#flying.size === 0);
  }

  /** Waits for the end, and holds memory against the reference: every word touched, and the beats around it. */
  async finish(): Promise<void> {
    await this.idle();
    await this.#b.cycles(40);
    expect(this.ram.idle, "the memory is idle in the end").toBe(true);
    this.audit();
    await this.allBack();
  }
  /** Every lane can be had: while nothing ends, as many operations begin as there are lanes, and no more. */
  async allBack(): Promise<void> {
    const { lanes } = this.#p,
      before = this.done.length,
      { readBursts } = this.ram.counts;
    this.hold(() => true);
    for (let n = 0; n <= lanes; n++) this.send({ op: "derefRead", address: 0x100_0000 + 8 * n });
    await allBack(this.#b, { what: "lanes", count: lanes, had: () => this.ram.counts.readBursts - readBursts });
    this.hold(never);
    await this.idle();
    this.done.length = before;
  }
  audit(): void {
    expect(this.memory.pages, "pages of memory in use").toBeLessThanOrEqual(this.reference.pages);
    for (const page of new Set([...this.#touched].map(a => Math.floor(a / 4096) * 4096))) {
      const is = this.memory.read(page, 4096),
        should = this.reference.read(page, 4096);
      for (let at = 0; at < 4096; at += 8) {
        if (wordOf(is.subarray(at, at + 8)) !== wordOf(should.subarray(at, at + 8))) {
          expect.fail(
            `the word at 0x${(page + at).toString(16)} is ${wordOf(is.subarray(at, at + 8)).toString(16)}, expected ${wordOf(should.subarray(at, at + 8)).toString(16)}`,
          );
        }
      }
    }
  }

  #load(): void {
    const left = this.#loading.length > 0 ? undefined : this.#left.find(slot => this.#free.includes(slot));
    const next =
        this.#loading.shift() ?? (left === undefined ? undefined : { slot: left, value: this.#b.random.bits(128) }),
      port = this.#b.io.operandsWrite;
    if (this.#loading.length === 0) this.#left.length = 0;
    port.en.value = next ? 1 : 0;
    if (!next) return;
    port.slot.value = next.slot;
    port.value.value = next.value;
  }

  /** A memory access begins: single full beats of the unit's ID, and none to a beat's word that has one under way. */
  #starts(
    a: {
      readonly addr: number | bigint;
      readonly id: number | bigint;
      readonly len: number | bigint;
      readonly size: number | bigint;
    },
    cycle: number,
    what: string,
  ): void {
    const beat = Number(a.addr);
    expect(
      [Number(a.id), Number(a.len), 2 ** Number(a.size), beat % this.#p.beatBytes],
      `address at cycle ${cycle}`,
    ).toEqual([this.#p.id, 0, this.#p.beatBytes, 0]);
    const key = this.#p.beatBytes === 8 ? beat : -1 - this.#reading.length;
    if (this.#p.beatBytes === 8) {
      expect(
        this.#busy.get(beat),
        `the word at 0x${beat.toString(16)} is ${what} at cycle ${cycle} while it is being`,
      ).toBeUndefined();
      this.#busy.set(beat, what);
    }
    (what === "read" ? this.#reading : this.#writing).push(key);
  }

  /** The unit lets the memory wait for a cycle at most: for a STORE, or for another operation's end. */
  #checkStalls(cycle: number): void {
    for (const name of ["r", "b"] as const) {
      const { valid, ready } = this.#b.io[name];
      this.#stalls[name] = valid.value === 1 && ready.value === 0 ? this.#stalls[name] + 1 : 0;
      expect(this.#stalls[name], `cycles that ${name} waits, cycle ${cycle}`).toBeLessThanOrEqual(1);
    }
  }

  #sample(cycle: number): void {
    this.#checkStalls(cycle);
    const result = this.#b.io.result;
    if (result.valid.value) {
      const f = this.#of(Number(result.slot.value), cycle, "a result");
      expect(f.told, `${name(f)} has told its word before`).toBe(false);
      expect(
        f.op === "store" || (f.fails && !this.lost.has(f.address)),
        `${name(f)} tells a word at cycle ${cycle}`,
      ).toBe(false);
      if (result.word.big !== f.old)
        expect.fail(
          `${name(f)} found 0x${result.word.big.toString(16)}, in order of arrival it is 0x${f.old.toString(16)} (cycle ${cycle})`,
        );
      f.told = true;
    }
    for (let seen = this.#replies.take(); seen; seen = this.#replies.take()) {
      const r = seen.value,
        f = this.#of(Number(r.slot), cycle, "a reply");
      const code = f.fails ? status.FAIL : status.OK;
      expect([r.op, r.status, r.silent, r.replyOpcode], `reply to ${name(f)}`).toEqual([
        syncOp[f.op],
        code,
        f.silent,
        f.replyOpcode,
      ]);
      expect(isPointer(f.op) && !f.fails, `${name(f)} ends with a reply`).toBe(false);
      if (!f.fails && f.op !== "store") expect(f.told, `${name(f)} has told its word before its reply`).toBe(true);
      this.#end(f, seen.cycle, code);
    }
    for (let seen = this.#accesses.take(); seen; seen = this.#accesses.take()) {
      const a = seen.value,
        f = this.#of(Number(a.slot), cycle, "an access");
      expect(isPointer(f.op) && !f.fails, `${name(f)} ends with an access`).toBe(true);
      expect(
        [a.pid, a.va, a.length, a.write, a.silent, a.replyOpcode, a.op, a.indirect],
        `access of ${name(f)}`,
      ).toEqual([f.pid, f.old, f.length, f.op === "derefWrite" ? 1 : 0, f.silent, f.replyOpcode, 0, 1]);
      this.#end(f, seen.cycle, status.OK);
    }
  }
  #of(slot: number, cycle: number, what: string): Flying {
    const f = this.#flying.get(slot);
    if (f?.sent.cycle === undefined)
      throw new Error(`${what} for slot ${slot} at cycle ${cycle}, which has no operation under way`);
    return f;
  }
  #end(f: Flying, cycle: number, code: number): void {
    const earlier = [...this.#flying.values()].find(
      x => x.address === f.address && (x.sent.cycle ?? Infinity) < (f.sent.cycle as number),
    );
    if (earlier) throw new Error(`${name(f)} ends at cycle ${cycle} before ${name(earlier)}, which came before it`);
    this.#flying.delete(f.slot);
    this.#free.push(f.slot);
    this.#left.push(f.slot);
    this.done.push({ ...f, accepted: f.sent.cycle as number, cycle, status: code });
  }
}

const name = (f: Flying): string =>
  `${f.op} at 0x${f.address.toString(16)} in slot ${f.slot}, sent at cycle ${f.sent.cycle ?? "-"}`;
const wordOf = (bytes: Uint8Array): bigint => new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
const wordBytes = (value: bigint): Uint8Array => {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setBigUint64(0, value, true);
  return out;
};
