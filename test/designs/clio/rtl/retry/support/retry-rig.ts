import { expect } from "vitest";
import { connect, input, instance, module, uint } from "../../../../../../hdl-dsl/index.ts";
import { clockPeriod } from "../../../../../../designs/clio/config/index.ts";
import { type RetryAsked, RetryModel, type RetryVerdict } from "../../../../../../designs/clio/model/index.ts";
import { RetryBuffer } from "../../../../../../designs/clio/rtl/retry/retry-buffer.ts";
import type { RetryBufferParameters } from "../../../../../../designs/clio/rtl/retry/retry-request.ts";
import type { AnswerKind } from "../../../../../../designs/clio/rtl/retry/retry-results.ts";
import { status } from "../../../../../../designs/clio/wire/index.ts";
import {
  type Bench,
  never,
  type Pause,
  poke,
  type Random,
  StreamSink,
  StreamSource,
  type ValueOf,
} from "../../../../../../sim/index.ts";

export const retryDut = (p: RetryBufferParameters) => RetryBuffer(p);
/** The same, with a port that chooses among the faults that are planted in it (0: none). */
export const retryFaultDut = module(
  "RetryFaults",
  (p: RetryBufferParameters) => ({ ...RetryBuffer(p).ports, fault: input(uint(5), { unused: true }) }),
  (io, p) => {
    const dut = instance("dut", RetryBuffer(p));
    connect(io.request, dut.request);
    dut.hashKey.set(io.hashKey);
    for (const name of ["pass", "fence", "answer"] as const) connect(dut[name], io[name]);
    dut.done.set(io.done);
    dut.wordSlot.set(io.wordSlot);
    io.word.set(dut.word);
    io.waitNs.set(dut.waitNs);
    io.events.set(dut.events);
  },
  { nameOf: () => "RetryFaults" },
);
export type RetryPorts = ReturnType<typeof retryDut>["ports"];

/** The key of the sets in these benches. */
export const retryRigKey = 0x9d39_247e_3377_6d41n;

/** A request, before it has a slot. */
export type Ask = Omit<RetryAsked, "slot">;
/** An awaited answer: the model's, and the fields that may differ because the operation was finished meanwhile. */
interface Awaited {
  readonly slot: number;
  readonly verdict: RetryVerdict;
  readonly wasDone: boolean;
  readonly at: number;
  readonly ask: Ask;
}

/** The access of a request: each field by the operation and the slot, and by bits of its own. */
const accessOf = ({ operation, client }: Ask, slot: number) => ({
  slot,
  pid: (operation * 0x9e5) & 0xffff,
  va: (BigInt(operation) << 8n) | BigInt(slot) | ((client << 40n) & 0xff00_0000_0000_0000n),
  length: (operation * 0x6b + slot) & 0x3fff,
  write: (operation >>> 1) & 1,
  silent: operation & 1,
  replyOpcode: operation & 0xff,
  op: ((operation >>> 2) ^ slot) & 0x7,
  indirect: (operation >>> 3) & 1,
});
type AccessOf = ReturnType<typeof accessOf>;

export interface RetryRigOptions {
  readonly pause?: () => Pause;
  /** Cycles from passing to being done: least and most; mostly near the least, so that some overtake others. */
  readonly doneAfter?: readonly [number, number];
  /** Cycles that an operation takes, where they are not any of `doneAfter`. */
  readonly takes?: (ask: Ask) => number | undefined;
  /** Cycles from a client's being forgotten to its place's being had again; by default longer than any sweep takes. */
  readonly sweptAfter?: () => number;
  /** Requests offered, one after the other; undefined: none for now. */
  readonly next: (rig: RetryRig) => Ask | undefined;
}

/** Feeds the buffer, does what passes, and holds every outcome against the model. */
export class RetryRig {
  model: RetryModel;
  readonly seen = {
    pass: 0,
    fence: 0,
    replayed: 0,
    busy: 0,
    expired: 0,
    noPlace: 0,
    replaced: 0,
    sweptBusy: 0,
    doneAtLookup: 0,
    orphans: 0,
  };
  readonly latencies = { pass: new Set<number>(), fence: new Set<number>(), answer: new Set<number>() };
  /** Answers for want of a place: the cycle, and the nanoseconds that were said then. */
  readonly refusals: { readonly at: number; readonly wait: number }[] = [];
  /** Cycles at which clients were forgotten for others. */
  readonly replacements: number[] = [];
  /** Cycles at which requests were taken. */
  readonly taken: number[] = [];
  private readonly b: Bench<RetryPorts>;
  private readonly p: RetryBufferParameters;
  private o: RetryRigOptions;
  private readonly source: StreamSource<never>;
  private readonly stray: Random;
  private readonly ways: readonly { pause: Pause }[];
  private free: number[];
  private readonly asked: (Ask & { readonly slot: number })[] = [];
  private readonly passes: { readonly slot: number; readonly at: number; readonly ask: Ask }[] = [];
  private readonly fences: { readonly slot: number; readonly at: number }[] = [];
  private readonly answers: Awaited[] = [];
  private readonly doing: { readonly slot: number; readonly due: number; readonly ask: Ask }[] = [];
  private readonly freeing: { readonly slot: number; readonly due: number }[] = [];
  private readonly words: { readonly slot: number; readonly word: bigint }[] = [];
  private finishing:
    { readonly slot: number; readonly status: number; readonly word: bigint; readonly ask: Ask } | undefined;
  private looking: { readonly slot: number; readonly word: bigint } | undefined;
  private readonly executed = new Set<string>();
  private readonly events = { answered: 0, busy: 0, expired: 0, evictions: 0 };

  constructor(b: Bench<RetryPorts>, p: RetryBufferParameters, o: RetryRigOptions) {
    this.b = b;
    this.p = p;
    this.o = o;
    this.stray = b.random.fork("idle");
    this.model = new RetryModel({ retryEntries: p.entries, retryClients: p.clients }, retryRigKey);
    this.free = Array.from({ length: p.slots }, (_, i) => i);
    const pause = o.pause ?? (() => never);
    poke(b.io.done, { valid: 0, slot: 0, status: 0, word: 0 });
    b.io.wordSlot.value = 0;
    b.io.hashKey.value = retryRigKey;
    this.source = new StreamSource(b.sim, b.io.request, { pause: pause() });
    const pass = new StreamSink(b.sim, b.io.pass, { pause: pause() }),
      fence = new StreamSink(b.sim, b.io.fence, { pause: pause() });
    this.ways = [pass, fence];
    const answer = new StreamSink(b.sim, b.io.answer, { pause: pause() });
    b.onEdge({
      sample: cycle => {
        this.count();
        for (let x = pass.take(); x; x = pass.take()) this.passed(x.value as never, cycle);
        for (let x = fence.take(); x; x = fence.take()) this.fenced((x.value as { slot: number }).slot, cycle);
        for (let x = answer.take(); x; x = answer.take()) this.answered(x.value as never, cycle);
        this.finished();
        this.looked();
        if (b.io.request.valid.value && b.io.request.ready.value) this.accepted(cycle);
      },
      drive: cycle => this.drive(cycle),
    });
  }

  /** Begins anew after a reset of the design; nothing may be on offer. */
  restart(o: Pick<RetryRigOptions, "next">): void {
    this.o = { ...this.o, ...o };
    this.model = new RetryModel({ retryEntries: this.p.entries, retryClients: this.p.clients }, retryRigKey);
    this.free = Array.from({ length: this.p.slots }, (_, i) => i);
    for (const list of [
      this.asked,
      this.passes,
      this.fences,
      this.answers,
      this.doing,
      this.freeing,
      this.words,
      this.taken,
    ])
      list.length = 0;
    this.executed.clear();
    this.replacements.length = this.refusals.length = 0;
    Object.assign(this.seen, Object.fromEntries(Object.keys(this.seen).map(k => [k, 0])));
    Object.assign(this.events, { answered: 0, busy: 0, expired: 0, evictions: 0 });
  }
  /** After a reset beside traffic: what was on offer is withdrawn, what was under way is gone. */
  withdraw(): void {
    this.source.forget();
    this.b.io.request.valid.value = this.b.io.done.valid.value = 0;
    this.finishing = this.looking = undefined;
  }
  /** When what passes is taken, from now on. */
  holdBack(pause: Pause): void {
    for (const way of this.ways) way.pause = pause;
  }
  /** Goes on with other requests. */
  say(next: RetryRigOptions["next"]): void {
    this.o = { ...this.o, next };
  }
  /** Requests offered that have not been taken. */
  get pending(): number {
    return this.source.pending;
  }

  /** No request has a slot. */
  get idle(): boolean {
    return this.free.length === this.p.slots;
  }
  get cycle(): number {
    return this.b.cycle;
  }

  private count(): void {
    const e = this.b.io.events;
    this.events.answered += e.retriesAnswered.value;
    this.events.busy += e.retriesBusy.value;
    this.events.expired += e.retriesExpired.value;
    this.events.evictions += e.retryEvictions.value;
    if (!e.retryClientsReplaced.value) return;
    this.seen.replaced++;
    this.replacements.push(this.b.cycle);
    this.model.forget(this.model.longestSilent as bigint);
  }

  private accepted(cycle: number): void {
    const ask = this.asked.shift() as Ask & { readonly slot: number },
      { slot } = ask;
    this.taken.push(cycle);
    // A place that was given up is swept first: up to 16 x sets cycles, and as long as the pipeline stands still.
    const admits = cycle > (this.replacements.at(-1) ?? -Infinity) + (this.o.sweptAfter?.() ?? 40 * this.p.entries);
    const wasFull = this.model.full || !admits;
    const verdict = this.model.request(ask, admits);
    if (verdict.kind === "noPlace" && wasFull && !this.model.full) this.seen.sweptBusy++;
    const at = cycle;
    if (verdict.kind === "pass") this.passes.push({ slot, at, ask });
    else if (verdict.kind === "fence") this.fences.push({ slot, at });
    else
      this.answers.push({
        slot,
        verdict,
        at,
        ask,
        wasDone: verdict.kind === "repeats" && verdict.of.result !== undefined,
      });
  }

  private passed(v: AccessOf, cycle: number): void {
    const p = this.passes.shift();
    if (p === undefined) throw new Error(`cycle ${cycle}: slot ${v.slot} passed, nothing was to pass`);
    expect(v.slot, `order of what passes, cycle ${cycle}`).toBe(p.slot);
    expect(v, `the access that passes, cycle ${cycle}`).toEqual(accessOf(p.ask, p.slot));
    if (p.ask.tracked && p.ask.keeps) {
      const key = `${p.ask.client.toString(16)} ${p.ask.operation}`;
      expect(this.executed.has(key), `operation ${key} was done before, cycle ${cycle}`).toBe(false);
      this.executed.add(key);
    }
    this.seen.pass++;
    this.latencies.pass.add(cycle - p.at);
    const [least, most] = this.o.doneAfter ?? [1, 30];
    this.doing.push({
      slot: p.slot,
      due:
        cycle +
        (this.o.takes?.(p.ask) ??
          this.b.random.between(least, this.b.random.chance(0.7) ? Math.min(most, least + 10) : most)),
      ask: p.ask,
    });
  }

  /** Numbers come round: an operation done long ago is not the same operation. */
  forgetExecuted(): void {
    this.executed.clear();
  }

  private fenced(slot: number, cycle: number): void {
    const f = this.fences.shift();
    expect(slot, `order of fences, cycle ${cycle}`).toBe(f?.slot);
    this.seen.fence++;
    this.latencies.fence.add(cycle - (f as { at: number }).at);
    this.freeing.push({ slot, due: cycle + 2 });
  }

  private answered(
    v: {
      readonly slot: number;
      readonly kind: ValueOf<typeof AnswerKind>;
      readonly status: number;
      readonly silent: number;
      readonly replyOpcode: number;
    },
    cycle: number,
  ): void {
    const a = this.answers.shift();
    if (a === undefined) throw new Error(`cycle ${cycle}: slot ${v.slot} is answered, nothing was to be answered`);
    const where = `answer to slot ${a.slot}, ${a.verdict.kind} operation ${a.ask.operation} of ${a.ask.client.toString(16)}, taken at cycle ${a.at}, answered at ${cycle}`;
    expect([v.slot, v.silent, v.replyOpcode], where).toEqual([a.slot, a.ask.operation & 1, a.ask.operation & 0xff]);
    this.latencies.answer.add(cycle - a.at);
    const expired = a.verdict.kind === "expired";
    if (a.verdict.kind === "repeats") {
      const result = a.verdict.of.result;
      // While it waited for its answer the operation may have been finished: either is right then.
      if (a.wasDone || v.kind === "replayed") {
        expect([v.kind, v.status], where).toEqual(["replayed", result?.status ?? "under way"]);
        if (!a.wasDone) this.seen.doneAtLookup++;
        this.seen.replayed++;
        this.words.push({ slot: a.slot, word: result?.word as bigint });
        return;
      }
    }
    const refusal = a.verdict.kind === "noPlace" ? "full" : "busy";
    expect([v.kind, v.status], where).toEqual(expired ? ["expired", status.EXPIRED] : [refusal, status.BUSY]);
    if (expired) this.seen.expired++;
    else if (a.verdict.kind === "repeats") this.seen.busy++;
    else {
      this.seen.noPlace++;
      expect(this.b.io.waitNs.num % clockPeriod, "a wait is one of whole cycles").toBe(0);
      this.refusals.push({ at: cycle, wait: this.b.io.waitNs.num });
    }
    this.freeing.push({ slot: a.slot, due: cycle + 2 });
  }

  private finished(): void {
    const f = this.finishing;
    if (f === undefined) return;
    this.model.complete(f.slot, f.status, f.word);
    this.words.push({ slot: f.slot, word: f.word });
    this.finishing = undefined;
  }
  private looked(): void {
    const w = this.looking;
    if (w === undefined) return;
    expect(this.b.io.word.big, `the number of slot ${w.slot}, cycle ${this.b.cycle}`).toBe(w.word);
    this.freeing.push({ slot: w.slot, due: this.b.cycle + 1 });
    this.looking = undefined;
  }

  private drive(cycle: number): void {
    const { io, random } = this.b;
    const due = this.doing.flatMap((d, i) => (d.due <= cycle ? [i] : [])),
      at = due.length > 0 ? random.pick(due) : -1;
    if (at >= 0) {
      const [d] = this.doing.splice(at, 1) as unknown as [{ slot: number; ask: Ask }];
      this.finishing = { slot: d.slot, ask: d.ask, status: random.between(0, 15), word: random.bits(64) };
      poke(io.done, { valid: 1, slot: d.slot, status: this.finishing.status, word: this.finishing.word });
    } else {
      // What stands beside no valid says nothing.
      const slot = this.stray.between(0, this.p.slots - 1);
      poke(io.done, { valid: 0, slot, status: this.stray.between(0, 15), word: this.stray.bits(64) });
    }
    this.looking = this.words.shift();
    if (this.looking !== undefined) io.wordSlot.value = this.looking.slot;
    for (let i = this.freeing.length - 1; i >= 0; i--) {
      const f = this.freeing[i] as { slot: number; due: number };
      if (f.due <= cycle) {
        this.freeing.splice(i, 1);
        this.free.push(f.slot);
      }
    }
    while (this.source.pending < 3 && this.free.length > 0) {
      const ask = this.o.next(this);
      if (ask === undefined) break;
      const slot = this.free.shift() as number;
      this.asked.push({ ...ask, slot });
      this.source.send({
        access: accessOf(ask, slot),
        tracked: +ask.tracked,
        keeps: +ask.keeps,
        introduces: +ask.introduces,
        fence: +ask.fence,
        client: ask.client,
        operation: ask.operation,
      } as never);
    }
  }

  /**
   * Waits until every request has come to its end, and holds the counters against what was seen.
   * @param o `evictions`: not when numbers leap, since the sweep removes what is old at a time of its own
   */
  async settled(o: { readonly evictions?: false } = {}): Promise<void> {
    await this.b.until(() => this.idle);
    await this.b.cycles(3);
    expect([this.passes.length, this.fences.length, this.answers.length], "nothing is left to come").toEqual([0, 0, 0]);
    expect([this.events.answered, this.events.busy, this.events.expired], "counters: answered, busy, expired").toEqual([
      this.seen.replayed,
      this.seen.busy + this.seen.noPlace,
      this.seen.expired,
    ]);
    if (this.seen.replaced === 0 && o.evictions !== false)
      expect(this.events.evictions, "evictions counted").toBe(this.model.evictions);
  }
}
