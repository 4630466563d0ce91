/**
 * The sync unit: two operations on one word are never under way together. Operations are answered in the order of
 * arrival, and each is answered once.
 */
import {
  assertAlways,
  assumeAlways,
  axi4Address,
  axi4Write,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  cover,
  decode,
  input,
  type Inside,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  producerObeys,
  type Proof,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Access, operandBits } from "../records/records.ts";
import { syncOp, SyncReply, wordBits } from "../sync/sync-ops.ts";
import { SyncUnit } from "../sync/sync-unit.ts";

const SLOTS = 2,
  LANES = 2,
  ID = 1;
/** Two words, one to a beat. */
const p = { slots: SLOTS, lanes: LANES, id: ID, beatBytes: 8, addressBits: 4, idBits: 1 };
/** Cycles in which something moves at a stream, without stalls from outside. */
const SOON = 5;
const word = uint(1);

/** Where the tracked word's operation stands. */
const phase = { none: 0, reading: 1, found: 2, writing: 3, over: 4 } as const;

const ports = () => ({
  request: sink(struct({ slot: uint(1), op: uint(3), word })),
  operands: input(uint(1)),
  tracked: input(word),
  ar: source(axi4Address(p)),
  r: sink(struct({ data: bit, resp: uint(2) })),
  aw: source(axi4Address(p)),
  w: source(axi4Write(p.beatBytes)),
  b: sink(struct({ resp: uint(2) })),
  reply: source(SyncReply(p)),
  access: source(Access(p)),
  pick: input(bit),
});
type Io = Inside<ReturnType<typeof ports>>;

/** The unit, between its surroundings. Words of one bit that counts: the claims do not depend on the others. */
function connectAll(io: Io) {
  const { r, b } = io;
  const dut = instance("dut", SyncUnit(p));
  const q = io.request.payload;
  dut.request.valid.set(io.request.valid);
  io.request.ready.set(dut.request.ready);
  dut.request.payload.set({
    slot: q.slot,
    op: q.op,
    address: cat(q.word, constant(0, 3)),
    pid: 0,
    length: 0,
    silent: 0,
    replyOpcode: 0,
  });
  dut.operands.set(io.operands.zext(operandBits));
  connect(dut.ar, io.ar);
  connect(dut.aw, io.aw);
  connect(dut.w, io.w);
  dut.r.valid.set(r.valid);
  r.ready.set(dut.r.ready);
  dut.r.payload.set({ data: r.payload.data.zext(wordBits), id: ID, resp: r.payload.resp, last: 1 });
  dut.b.valid.set(b.valid);
  b.ready.set(dut.b.ready);
  dut.b.payload.set({ id: ID, resp: b.payload.resp });
  connect(dut.reply, io.reply);
  connect(dut.access, io.access);

  return dut;
}
type Dut = ReturnType<typeof connectAll>;

const at = (v: UInt, slot: UInt): Bit => v.shr(slot).bit(0);
const marked = (given: Bit, slot: UInt, name: string): UInt => node(mux(given, decode(slot, SLOTS), 0), { name });

/** Slots that are in an operation, one at a time. */
function slotsOf(io: Io) {
  const q = io.request.payload;
  const pending = reg(uint(SLOTS), { init: 0, name: "model_pending" });
  const replied = marked(io.reply.fire, io.reply.payload.slot, "model_replied"),
    passed = marked(io.access.fire, io.access.payload.slot, "model_passed");
  pending.set(pending.or(marked(io.request.fire, q.slot, "model_asked")).and(replied.or(passed).not()));
  assumeAlways(
    io.request.valid.not().or(q.op.ne(0).and(q.op.le(syncOp.derefWrite)).and(at(pending, q.slot).not())),
    "requests are operations, each in a slot of its own",
  );
  return { pending, replied, passed };
}
type Slots = ReturnType<typeof slotsOf>;

/** Streams hold what they offer, and the memory answers each access once. */
function memoryOf(io: Io, dut: Dut) {
  const q = io.request.payload;
  producerObeys({ valid: io.request.valid, ready: dut.request.ready, payload: cat(q.slot, q.op, q.word) }, "request");
  producerObeys({ valid: io.r.valid, ready: dut.r.ready, payload: io.r.payload.resp }, "r");
  producerObeys({ valid: io.b.valid, ready: dut.b.ready, payload: io.b.payload.resp }, "b");
  moduleObeys({ valid: io.ar.valid, ready: io.ar.ready, payload: io.ar.payload.addr }, "ar");
  moduleObeys({ valid: io.aw.valid, ready: io.aw.ready, payload: io.aw.payload.addr }, "aw");
  moduleObeys({ valid: io.w.valid, ready: io.w.ready, payload: io.w.payload.strb }, "w");
  moduleObeys({ valid: io.reply.valid, ready: io.reply.ready, payload: io.reply.payload.slot }, "reply");
  moduleObeys({ valid: io.access.valid, ready: io.access.ready, payload: io.access.payload.slot }, "access");
  const rfire = node(io.r.valid.and(dut.r.ready), { name: "model_r" }),
    bfire = node(io.b.valid.and(dut.b.ready), { name: "model_b" });
  const arw = io.ar.payload.addr.bit(3),
    aww = io.aw.payload.addr.bit(3);
  const reads = inOrder("reads", io.ar.fire, arw, rfire),
    writes = inOrder("writes", io.aw.fire, aww, bfire),
    data = inOrder("data", io.w.fire, constant(0, 1), bfire);
  assumeAlways(io.r.valid.not().or(reads.any), "a word comes for each read, in order");
  assumeAlways(io.b.valid.not().or(writes.any.and(data.any)), "an answer comes for each write, in order");

  return { rfire, bfire, arw, aww, reads, writes, data };
}
type Memory = ReturnType<typeof memoryOf>;

/** Any one word, the same in all cycles. */
function trackWord(io: Io, { replied, passed }: Slots, { rfire, bfire, arw, aww, reads, writes }: Memory) {
  const q = io.request.payload;
  const tracked = reg(word, { init: 0, name: "model_tracked" }),
    chosen = reg(bit, { init: 0, name: "model_chosen" });
  chosen.set(1);
  when(chosen.not(), () => tracked.set(io.tracked));
  assumeAlways(chosen.or(io.request.valid.not()), "the word is chosen before the first request");
  const words = reg(uint(SLOTS), { init: 0, name: "model_words" });
  const asked = marked(io.request.fire.and(q.word.eq(tracked)), q.slot, "model_asked_tracked");
  words.set(words.or(asked).and(replied.or(passed).not()));
  const ends = node(words.and(replied.or(passed)).any(), { name: "model_ends" });
  const stands = reg(uint(3), { init: phase.none, name: "model_stands" });
  const here = (given: Bit, w: UInt): Bit => given.and(w.eq(tracked));
  const is = (n: number): Bit => stands.eq(n);
  const begins = node(here(io.ar.fire, arw), { name: "model_begins" }),
    write = node(here(io.aw.fire, aww), { name: "model_write" });
  const comes = node(here(rfire, reads.first), { name: "model_comes" }),
    confirmed = node(here(bfire, writes.first), { name: "model_confirmed" });
  when(ends, () => stands.set(phase.none))
    .elseWhen(begins, () => stands.set(phase.reading))
    .elseWhen(comes, () => stands.set(phase.found))
    .elseWhen(write, () => stands.set(phase.writing))
    .elseWhen(confirmed, () => stands.set(phase.over));
  assertAlways(begins.not().or(is(phase.none)), "a word is read when nothing else is under way on it");
  assertAlways(
    write.not().or(is(phase.none)).or(is(phase.found)),
    "a word is written after its own read, or when nothing else is under way on it",
  );
  assertAlways(
    ends.not().or(is(phase.found)).or(is(phase.over)),
    "an operation is answered when its last access has been",
  );

  return { tracked, ends, is };
}

/** Any two operations on the word. */
function trackOrder(io: Io, tracked: UInt, { replied, passed }: Slots) {
  const q = io.request.payload;
  const first = reg(uint(1), { name: "model_first" }),
    second = reg(uint(1), { name: "model_second" });
  const one = reg(bit, { init: 0, name: "model_one" }),
    two = reg(bit, { init: 0, name: "model_two" });
  const taken = node(io.request.fire.and(q.word.eq(tracked)), { name: "model_taken" });
  const ending = replied.or(passed);
  when(one.and(at(ending, first)), () => {
    one.set(0);
    two.set(0);
  })
    .elseWhen(taken.and(one.not()).and(io.pick), () => {
      one.set(1);
      first.set(q.slot);
      two.set(0);
    })
    .elseWhen(taken.and(one).and(two.not()), () => {
      two.set(1);
      second.set(q.slot);
    });
  assertAlways(two.and(at(ending, second)).not(), "operations on one word are answered in the order of arrival");

  return { two, first, ending };
}

/** Each operation ends once, and it ends. */
function claimProgress(
  io: Io,
  { pending, replied, passed }: Slots,
  { rfire, bfire, reads, writes, data }: Memory,
): void {
  assertAlways(io.reply.valid.not().or(at(pending, io.reply.payload.slot)), "what is answered is under way");
  assertAlways(io.access.valid.not().or(at(pending, io.access.payload.slot)), "what goes on is under way");
  assertAlways(replied.and(passed).any().not(), "no operation ends twice");
  const held = node(
    io.ar.ready
      .and(io.aw.ready)
      .and(io.w.ready)
      .and(io.reply.ready)
      .and(io.access.ready)
      .not()
      .or(reads.any.and(io.r.valid.not()))
      .or(writes.any.and(data.any).and(io.b.valid.not())),
    { name: "model_held" },
  );
  const moves = node(
    io.ar.fire
      .or(rfire)
      .or(io.aw.fire)
      .or(io.w.fire)
      .or(bfire)
      .or(io.reply.fire)
      .or(io.access.fire)
      .or(io.request.fire),
    { name: "model_moves" },
  );
  const still = reg(uint(3), { init: 0, name: "model_still" });
  when(moves.or(pending.any().not()), () => still.set(0)).elseWhen(held.not(), () => still.set(still.add(1)));
  assertAlways(still.lt(SOON), "while an operation is under way something moves");
}

const harness = module("SyncUnitProof", ports, io => {
  const dut = connectAll(io),
    slots = slotsOf(io),
    memory = memoryOf(io, dut);
  const { tracked, ends, is } = trackWord(io, slots, memory),
    { two, first, ending } = trackOrder(io, tracked, slots);
  claimProgress(io, slots, memory);
  cover(ends.and(is(phase.over)), "an operation has written");
  cover(two.and(at(ending, first)), "one on the same word waits while another ends");
  cover(memory.reads.any.and(memory.writes.any), "one reads while another writes");
});

/** Accesses to the memory that have not been answered, in order. */
function inOrder(name: string, asked: Bit, value: UInt, answered: Bit): { readonly any: Bit; readonly first: UInt } {
  const count = reg(uint(2), { init: 0, name: `model_${name}` });
  const head = reg(uint(1), { name: `model_${name}_0` }),
    tail = reg(uint(1), { name: `model_${name}_1` });
  const left = node(mux(answered, count.sub(1), count), { name: `model_${name}_left` });
  count.set(mux(asked, left.add(1), left));
  assertAlways(asked.not().or(left.lt(LANES)), `${name}: no more than lanes`);
  head.set(mux(asked.and(left.eq(0)), value, mux(answered, tail, head)));
  tail.set(mux(asked.and(left.eq(1)), value, tail));
  return { any: count.ne(0), first: head };
}

export const syncUnitProof: Proof = {
  module: `SyncUnit, ${LANES} lanes, ${SLOTS} slots`,
  harness: harness(),
  long: "minutes",
  by: "abc pdr -a",
  reach: 16,
  faults: [
    { what: "the same word is not looked for", from: /wire clash = [^;]*;/, to: "wire clash = 1'b0;" },
    {
      what: "an operation that writes is answered at once too",
      from: "unwritten_valid = at_work & ~writes",
      to: "unwritten_valid = at_work",
    },
    {
      what: "an answer of the memory is lost when something else ends",
      from: /assign b_ready = [^;]*;/,
      to: "assign b_ready = 1'b1;",
    },
  ],
};
