/** Regions with tasks that keep state, and the reader of software behind them, beside the tasks' models. */
import {
  identity,
  natModel,
  type TaskModel,
  type TaskPacketModel,
  throughChain,
} from "../../../../../../designs/supernic/model/index.ts";
import { regions, regionsPorts } from "../../../../../../designs/supernic/rtl/core/index.ts";
import { StateGo, StateReader, StateShown } from "../../../../../../designs/supernic/rtl/reconfigure/index.ts";
import { delay, dummy, nat, type Task } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { keptOf, type StateWord } from "../../../../../../designs/supernic/wire/index.ts";
import { connect, input, instance, module, output } from "../../../../../../hdl-dsl/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { toBits, wide } from "../../tasks/support/task-rig.ts";
import { counter, counterModel } from "./state-tasks.ts";

const sizes = { contexts: 64, regions: 3, slots: 2, branches: 2, credits: 6, reprogramCycles: 300 } as const;
/** Longer than a NAT clears its bindings. */
export const patience = 1400;
interface Kept {
  readonly task: Task;
  readonly model: () => TaskModel;
}
const of = (task: Task, model: () => TaskModel): Kept => ({ task, model });
/** Bitstreams of regions 0 and 1; region 2 has a chain that stays. */
export const variants = [
  [of(nat, natModel)],
  [of(dummy, identity), of(counter("right"), counterModel)],
  [of(counter("mute"), counterModel)],
  [of(counter("late"), counterModel), of(counter("twice"), counterModel)],
  [of(dummy, identity)],
] as const satisfies readonly (readonly Kept[])[];
const first = [1, 2] as const,
  stays: readonly Kept[] = [of(delay(3, 1), identity), of(counter("right"), counterModel)];
const chains = variants.map(v => v.map(k => k.task));
const inside = regions([
  { variants: chains, first: first[0] },
  { variants: chains, first: first[1] },
  stays.map(k => k.task),
])(sizes);

export const StateDut = module(
  "StateDut",
  () => {
    const { stateAsk: _a, stateSaid: _s, ...ports } = regionsPorts(sizes);
    return { ...ports, go: input(StateGo), shown: output(StateShown) };
  },
  io => {
    const it = instance("regions", inside),
      reader = instance("reader", StateReader({ patience }));
    connect(io.enter, it.enter);
    connect(it.leave, io.leave);
    io.accepts.set(it.accepts);
    for (let r = 0; r < sizes.regions; r++) {
      io.busy.at(r).set(it.busy.at(r));
      io.give.at(r).set(it.give.at(r));
      io.status.at(r).set(it.status.at(r));
    }
    for (let i = 0; i < sizes.regions * sizes.slots; i++) {
      it.control.at(i).set(io.control.at(i));
      io.state.at(i).set(it.state.at(i));
    }
    it.config.set(io.config);
    it.region.set(io.region);
    reader.go.set(io.go);
    it.stateAsk.set(reader.ask);
    reader.said.set(it.stateSaid);
    io.shown.set(reader.shown);
  },
);
export const dut = StateDut();
export type B = Bench<(typeof dut)["ports"]>;
type Chain = readonly { readonly declared: Task["declared"]; readonly model: TaskModel }[];
interface Expected {
  readonly ctx: number;
  readonly exit: ReturnType<typeof throughChain>;
}
export interface Answered {
  readonly outcome: string;
  readonly word: StateWord | undefined;
  readonly cycles: number;
}

export class StateRig {
  readonly b: B;
  readonly enter;
  readonly leave;
  chains: (Chain | undefined)[];
  readonly #inside: Expected[][] = [[], [], []];
  #free = Array.from({ length: sizes.contexts }, (_, i) => i);
  #resetting = false;
  seen = 0;

  constructor(b: B, o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.b = b;
    this.enter = new StreamSource(b.sim, b.io.enter, { pause: o.from ?? never });
    this.leave = new StreamSink(b.sim, b.io.leave, { pause: o.to ?? never });
    for (const c of b.io.control) {
      c.busyAt.value = 3;
      c.patience.value = 0;
      c.quiesce.value = 0;
      c.isolate.value = 0;
    }
    b.io.config.valid.value = 0;
    b.io.region.en.value = 0;
    b.io.go.valid.value = 0;
    this.chains = [...first.map(f => fresh(variants[f - 1])), fresh(stays)];
    b.onEdge({ sample: () => this.#sample() });
  }
  modelOf(region: number, slot: number): TaskModel {
    const model = this.chains[region]?.[slot]?.model;
    if (model === undefined) throw new RangeError(`region ${region} has no slot ${slot}`);
    return model;
  }
  /** A packet for all slots of a region, if it has room. */
  send(region: number, packet: TaskPacketModel): void {
    const chain = this.chains[region],
      list = this.#inside[region] ?? [],
      ctx = this.#free[0];
    if (chain === undefined || list.length >= sizes.credits - 1 || ctx === undefined) return;
    if (((Number(this.b.io.accepts.value) >> region) & 1) === 0 || this.enter.pending > 2) return;
    this.#free.shift();
    const run = chain.map((_, s) => s),
      exit = throughChain(chain, { ...packet, prepend: 0, frontBytes: 0, dropFront: 0, run }),
      { header, noL4, ...rest } = packet;
    this.enter.send({
      ...rest,
      ...{ header: toBits(header), noL4: noL4 ? 1 : 0, ctx, branch: 0, region, run: 2 ** chain.length - 1 },
    });
    list.push({ ctx, exit });
  }
  pending(region: number): number {
    return this.#inside[region]?.length ?? 0;
  }
  #sample(): void {
    if (this.#resetting) return;
    for (let s = this.leave.take(); s; s = this.leave.take()) {
      const is = s.value,
        region = Number(is.region),
        next = this.#inside[region]?.shift();
      if (next?.ctx !== Number(is.ctx)) throw new Error(`region ${region}: packet ${is.ctx} leaves out of turn`);
      this.#free.push(next.ctx);
      this.seen++;
      if (is.killed === 1) throw new Error(`region ${region}: packet ${is.ctx} is killed`);
      const { exit } = next;
      if ((is.dropped === 1) !== exit.dropped)
        throw new Error(`region ${region}: packet ${is.ctx} is ${exit.dropped ? "not " : ""}dropped`);
      if (exit.dropped) continue;
      const found = BigInt(is.header) & wide(exit.mask),
        should = toBits(exit.header) & wide(exit.mask);
      if (is.mask !== exit.mask || found !== should)
        throw new Error(`region ${region}: packet ${is.ctx} is ${found.toString(16)}, not ${should.toString(16)}`);
    }
  }

  async configure(region: number, slot: number, word: StateWord): Promise<void> {
    const { config } = this.b.io;
    config.valid.value = 1;
    config.region.value = region;
    config.slot.value = slot;
    config.at.value = word.at;
    config.data.value = word.data;
    await this.b.cycles(1);
    config.valid.value = 0;
    this.modelOf(region, slot).configure?.(word.at, word.data);
  }
  quiesce(region: number, on: boolean): void {
    for (let s = 0; s < sizes.slots; s++) {
      const c = this.b.io.control[region * sizes.slots + s];
      if (c !== undefined) c.quiesce.value = on ? 1 : 0;
    }
  }
  /** Quiesced, and each slot that there is is quiet. */
  async quiet(region: number): Promise<void> {
    this.quiesce(region, true);
    const { state } = this.b.io;
    await this.b.cycles(2);
    await this.b.until(() =>
      (this.chains[region] ?? []).every((_, s) => state[region * sizes.slots + s]?.quiet.value === 1),
    );
  }
  async isolated(region: number, slot: number, on: boolean): Promise<void> {
    const c = this.b.io.control[region * sizes.slots + slot],
      s = this.b.io.state[region * sizes.slots + slot];
    if (c === undefined || s === undefined) throw new RangeError(`there is no slot ${slot} in region ${region}`);
    c.isolate.value = on ? 1 : 0;
    await this.b.cycles(2);
    await this.b.until(() => s.off.value === (on ? 1 : 0));
  }
  async ask(region: number, how: Partial<Record<"isolate" | "quiesce" | "load" | "chain", number>>): Promise<void> {
    const { region: to } = this.b.io;
    to.en.value = 1;
    to.index.value = region;
    for (const f of ["isolate", "quiesce", "load", "chain"] as const) to.value[f].value = how[f] ?? 0;
    await this.b.cycles(1);
    to.en.value = 0;
    await this.b.cycles(2);
  }
  status(region: number) {
    const s = this.b.io.status[region];
    if (s === undefined) throw new RangeError(`there is no region ${region}`);
    return s;
  }
  async cut(region: number): Promise<void> {
    await this.ask(region, { isolate: 1, quiesce: 1 });
    await this.b.until(() => this.status(region).stage.value === "cut" && this.status(region).empty.value === 1);
    this.chains[region] = undefined;
  }
  async load(region: number, variant: number): Promise<void> {
    await this.ask(region, { isolate: 1, load: 1, chain: variant });
    await this.b.until(() => this.status(region).stage.value === "cut");
  }
  async wake(region: number, variant: number): Promise<void> {
    await this.ask(region, {});
    await this.b.until(() => this.status(region).stage.value === "on" && this.status(region).off.value === 0);
    this.chains[region] = fresh(variants[variant - 1]);
  }

  go(o: { write: number; region: number; slot: number; at: number; last: number; data: bigint }): void {
    const { go } = this.b.io;
    go.valid.value = 1;
    for (const f of ["write", "region", "slot", "at", "last"] as const) go[f].value = o[f];
    go.data.value = o.data;
  }
  async #over(): Promise<Answered> {
    const { go, shown } = this.b.io,
      from = this.b.cycle;
    await this.b.cycles(1);
    go.valid.value = 0;
    // It is seen to be busy a cycle later.
    await this.b.cycles(1);
    await this.b.until(() => shown.busy.value === 0);
    const word = shown.outcome.value === "done" && shown.data.value !== 0n;
    return {
      outcome: shown.outcome.value,
      word: word ? { at: shown.at.value, data: shown.data.value } : undefined,
      cycles: this.b.cycle - from,
    };
  }
  read(region: number, slot: number, at: number, last: number): Promise<Answered> {
    this.go({ write: 0, region, slot, at, last, data: 0n });
    return this.#over();
  }
  write(region: number, slot: number, { at, data }: StateWord): Promise<Answered> {
    this.go({ write: 1, region, slot, at, last: at, data });
    return this.#over();
  }
  /** All words of a slot, as software reads them. */
  async all(region: number, slot: number): Promise<readonly StateWord[]> {
    const declared = this.chains[region]?.[slot]?.declared,
      words: StateWord[] = [];
    for (const { first: from, words: count } of (declared && keptOf(declared))?.parts ?? [])
      for (let at = from; at < from + count;) {
        const { outcome, word } = await this.read(region, slot, at, from + count - 1);
        if (outcome !== "done") throw new Error(`region ${region}, slot ${slot}: ${outcome} at ${at}`);
        if (word !== undefined) words.push(word);
        at = word === undefined ? from + count : word.at + 1;
      }
    return words;
  }
  async put(region: number, slot: number, words: readonly StateWord[]): Promise<void> {
    for (const word of words) {
      const { outcome } = await this.write(region, slot, word);
      if (outcome !== "done") throw new Error(`region ${region}, slot ${slot}: ${outcome} at ${word.at}`);
      this.modelOf(region, slot).put?.(word);
    }
  }
  /** What the hardware has is what the model has. */
  async same(region: number, slot: number): Promise<readonly StateWord[]> {
    const is = await this.all(region, slot),
      should = this.modelOf(region, slot).words?.() ?? [];
    const text = (words: readonly StateWord[]): string => words.map(w => `${w.at}:${w.data.toString(16)}`).join(" ");
    if (text(is) !== text(should)) throw new Error(`state is ${text(is)}; it must be ${text(should)}`);
    return is;
  }
  reset(): void {
    this.enter.forget();
    this.#resetting = true;
    this.b.io.region.en.value = 0;
    this.b.io.go.valid.value = 0;
    this.b.sim.reset(1);
    this.#resetting = false;
    for (const list of this.#inside) list.splice(0);
    this.#free = Array.from({ length: sizes.contexts }, (_, i) => i);
    this.leave.received.splice(0);
    for (let r = 0; r < sizes.regions; r++) this.quiesce(r, false);
    this.chains = [...first.map(f => fresh(variants[f - 1])), fresh(stays)];
  }
  async end(): Promise<void> {
    for (let r = 0; r < sizes.regions; r++) this.quiesce(r, false);
    await this.b.until(() => this.#inside.every(l => l.length === 0) && this.enter.pending === 0);
    await this.b.cycles(5);
    if (this.#free.length !== sizes.contexts) throw new Error("a context is not back");
    for (const [i, s] of [...this.b.io.state].entries())
      if (s.waiting.value !== 0 || s.inside.value !== 0) throw new Error(`slot ${i} has packets at the end`);
    if (this.b.io.shown.busy.value !== 0) throw new Error("the reader is busy at the end");
  }
}
function fresh(chain: readonly Kept[] | undefined): Chain | undefined {
  return chain?.map(({ task, model }) => ({ declared: task.declared, model: model() }));
}
