import {
  bit,
  bitsFor,
  cat,
  constant,
  input,
  literalOf,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";

/** Bytes of a reply's body that are remembered: enough for every operation that is done at most once. */
export const rememberedBytes = 12;

export interface OnceParameters {
  /** Operations remembered: a power of two, in sets of `onceWays`. */
  readonly entries: number;
  /** Cycles for which an operation is remembered for certain: 3 x TIMEOUT (paper §4.4.5). */
  readonly keepCycles: number;
}
export const onceWays = 4;
const unit = 64,
  stampBits = 32;
/** State of a requested operation. */
export const onceVerdict = {
  /** New operation: it has an entry now, and is to be done. */
  fresh: 0,
  /** The operation is being done. */
  running: 1,
  /** The operation was done: the answer is there. */
  done: 2,
  /** There is no room to remember it: all of its set are younger than `keepCycles`, or being done. */
  full: 3,
} as const;

/** Client and operation of a request: IPv4 address and UDP port, and the number of the operation's first request. */
export const OnceAsk = struct({ client: uint(48), operation: uint(32) });
const Reply = {
  status: uint(4),
  opcode: uint(8),
  length: uint(bitsFor(rememberedBytes)),
  body: uint(rememberedBytes * 8),
};
export const OnceAnswer = (p: OnceParameters) =>
  struct({ verdict: uint(2), entry: uint(Math.log2(p.entries)), ...Reply });
/** An operation is done, and how it was answered. */
export const OnceDone = (p: OnceParameters) => struct({ entry: uint(Math.log2(p.entries)), ...Reply });

/**
 * Keeps operations of offloads from happening more than once, however often the network or a client repeats their
 * requests. The table holds recent operations, by client and number, and their answers.
 *
 * `ask` is answered by `answer` 7 cycles later; initiation interval 8. `done` is always taken; an answer that falls
 * together with one comes a cycle later. Full: in a set of four, the oldest operation that is done and older than
 * `keepCycles` makes room. When there is none the verdict is `full`, and the request is to be refused (BUSY). An
 * operation repeated after it was pushed out would be done again. No client repeats so late: it gives up after three
 * timeouts. A frame that the network kept for longer could be such a repetition. Reset: everything is forgotten, which
 * takes as many cycles as there are entries; until then `ask.ready` is 0.
 */
export const OnceTable = module(
  "OnceTable",
  (p: OnceParameters) => ({
    ask: sink(OnceAsk),
    answer: source(OnceAnswer(p)),
    done: input(struct({ valid: bit, ...OnceDone(p).fields })),
    ready: output(bit),
  }),
  (io, p) => {
    const indexBits = Math.log2(p.entries),
      wayBits = Math.log2(onceWays),
      setBits = indexBits - wayBits;
    const Key = struct({ valid: bit, client: uint(48), operation: uint(32), stamp: uint(stampBits) });
    const Kept = struct(Reply);
    const keys = ram(Key, { depth: p.entries, collision: "undefined", style: "block" });
    const kept = ram(Kept, { depth: p.entries, collision: "undefined", style: "block" });
    // Whether it is done stands apart: it is written when the others are not.
    const settled = ram(bit, { depth: p.entries, collision: "old", style: "distributed" });

    const tick = reg(uint(Math.log2(unit)), { init: 0 });
    const now = reg(uint(stampBits), { init: 0 });
    tick.set(tick.add(1));
    when(tick.all(), () => now.set(now.add(1)));

    const clearing = reg(uint(indexBits + 1), { init: 0 });
    const cleared = node(clearing.bit(indexBits));
    io.ready.set(cleared);
    when(cleared.not(), () => clearing.set(clearing.add(1)));

    const busy = reg(bit, { init: 0 });
    const asked = reg(OnceAsk);
    const set = reg(uint(setBits));
    // Ways are read one after another, each a cycle before it is looked at.
    const step = reg(uint(3));
    const hit = reg(bit),
      hitWay = reg(uint(wayBits));
    const victim = reg(bit),
      victimWay = reg(uint(wayBits)),
      victimAge = reg(uint(stampBits)),
      victimEmpty = reg(bit);
    io.ask.ready.set(busy.not().and(cleared));
    const a = io.ask.payload;
    // Every client counts its operations up, so the low bits alone spread them; the client's port keeps clients apart.
    const low = (v: UInt, from: number): UInt => v.bits(from, setBits);
    const hash = node(low(a.operation, 0).xor(low(a.client, 0)).xor(low(a.client, 16)));
    when(io.ask.fire, () => {
      busy.set(1);
      step.set(0);
      hit.set(0);
      victim.set(0);
      victimEmpty.set(0);
      victimAge.set(0);
      asked.set(literalOf(OnceAsk, a));
      set.set(hash);
    });
    const way = node(step.trunc(wayBits)),
      looked = node(step.sub(1).trunc(wayBits));
    const readAt = node(cat(set, mux(step.lt(onceWays), way, hitWay)));
    const found = keys.readSync(readAt, { en: busy });
    const reply = kept.readSync(readAt, { en: busy });
    const look = node(busy.and(step.ge(1)).and(step.le(onceWays)));
    const place = node(cat(set, looked)),
      isSettled = settled.readAsync(place);
    const same = node(found.valid.and(found.client.eq(asked.client)).and(found.operation.eq(asked.operation)));
    const age = node(now.sub(found.stamp));
    const old = node(age.gt(Math.ceil(p.keepCycles / unit)));
    const mayGo = node(found.valid.not().or(isSettled.and(old)));
    const better = node(mayGo.and(victim.not().or(victimEmpty.not().and(found.valid.not().or(age.gt(victimAge))))));
    when(look, () => {
      when(same, () => {
        hit.set(1);
        hitWay.set(looked);
      });
      when(better, () => {
        victim.set(1);
        victimWay.set(looked);
        victimAge.set(age);
        victimEmpty.set(found.valid.not());
      });
    });
    // One more read of the operation found, for its answer. An operation that was not found gets its place, unless a
    // reply is being written in this cycle.
    const claiming = node(busy.and(step.eq(5)).and(io.done.valid.not()));
    const decided = node(busy.and(step.eq(6)));
    when(busy.and(step.lt(5)).or(claiming), () => step.set(step.add(1)));
    const entry = node(cat(set, mux(hit, hitWay, victimWay)));
    const hitSettled = settled.readAsync(entry);
    io.answer.valid.set(decided);
    io.answer.payload.set({
      verdict: mux(
        hit,
        mux(hitSettled, constant(onceVerdict.done, 2), constant(onceVerdict.running, 2)),
        mux(victim, constant(onceVerdict.fresh, 2), constant(onceVerdict.full, 2)),
      ),
      entry,
      status: reply.status,
      opcode: reply.opcode,
      length: reply.length,
      body: reply.body,
    });
    when(io.answer.fire, () => busy.set(0));
    const claims = node(claiming.and(hit.not()).and(victim));

    keys.write(claims.or(cleared.not()), mux(cleared, entry, clearing.trunc(indexBits)), {
      valid: cleared,
      client: asked.client,
      operation: asked.operation,
      stamp: now,
    });
    const d = io.done;
    kept.write(d.valid, d.entry, { status: d.status, opcode: d.opcode, length: d.length, body: d.body });
    settled.write(d.valid.or(claims), mux(d.valid, d.entry, entry), d.valid);
  },
  { nameOf: p => `OnceTable_n${p.entries}_k${p.keepCycles}` },
);
