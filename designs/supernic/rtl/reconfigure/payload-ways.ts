/**
 * Ways to payloads and of trailers of a region whose chain comes and goes: as many of each kind as the chain with most
 * of them has. Those that only read come first, then those that write; of trailers those that are put, then those that
 * are cut.
 */
import {
  assertAlways,
  assignView,
  bit,
  type Bit,
  bitsFor,
  connect,
  constant,
  input,
  type Inside,
  map,
  mergePorts,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  type Outside,
  portArray,
  portOf,
  reg,
  sink,
  source,
  stage,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { passQueue } from "../../../shared/stream/index.ts";
import type { PayloadUse, TrailerUse } from "../../wire/index.ts";
import { level, type payloadPortsOf, payloadUses, type trailerPortsOf, trailerUses } from "../region/index.ts";
import { PayloadBeat, payloadBits, type Task } from "../tasks/index.ts";

type Chain = readonly Task[];
type Ways = ReturnType<typeof payloadPortsOf>;
type TrailerWays = ReturnType<typeof trailerPortsOf>;
/** As many of each kind as the chain with most of them has, kind by kind. */
const most = <U>(kinds: readonly U[], chains: readonly (readonly U[])[]): readonly U[] =>
  kinds.flatMap(kind =>
    Array.from({ length: Math.max(0, ...chains.map(c => c.filter(u => u === kind).length)) }, () => kind),
  );
/** The way of each of a chain's uses: of its kind the next one. */
function waysOf<U>(ways: readonly U[], uses: readonly U[]): readonly number[] {
  return uses.map((use, i) => ways.indexOf(use) + uses.slice(0, i).filter(u => u === use).length);
}
/** The ways to payloads of a region with these chains. */
export const mostPayloads = (variants: readonly Chain[]): readonly PayloadUse[] =>
  most<PayloadUse>(["read", "write"], variants.map(payloadUses));
/** Those of trailers. */
export const mostTrailers = (variants: readonly Chain[]): readonly TrailerUse[] =>
  most<TrailerUse>(["puts", "cuts"], variants.map(trailerUses));

interface Chosen<P> {
  readonly chain: Chain;
  readonly it: Outside<P>;
  readonly chosen: Bit;
}
/** Chains that have a way, each with the number that the way has there. */
function having<U, P>(
  all: readonly Chosen<P>[],
  usesOf: (chain: Chain) => readonly U[],
  ways: readonly U[],
  w: number,
) {
  return all.flatMap(a => {
    const at = waysOf(ways, usesOf(a.chain)).indexOf(w);
    return at < 0 ? [] : [{ ...a, at }];
  });
}

/** Joins the ways of all chains with those of the partition. What goes out of it while it is `noise` means nothing. */
export function chosenPayloads(io: Inside<Ways>, all: readonly Chosen<Ways>[], noise: Bit, word: UInt): void {
  const ways = mostPayloads(all.map(a => a.chain));
  ways.forEach((use, w) => {
    const those = having(all, payloadUses, ways, w),
      chosen = those.map(a => a.chosen);
    const job = portOf(io, "job", w),
      jobs = those.map(a => portOf(a.it, "job", a.at)),
      any = orTree(jobs.map((j, i) => j.valid.and(chosen[i] ?? noise))),
      { width } = job.payload.ctx,
      ctx = onehotMux(
        chosen,
        jobs.map(j => j.payload.ctx.is(width)),
      );
    job.valid.set(mux(noise, word.bit(w + 12), any));
    job.payload.ctx.set(mux(noise, word.bits(9, width), ctx));
    jobs.forEach(j => j.ready.set(job.ready));
    const from = portOf(io, "payload", w),
      to = those.map(a => portOf(a.it, "payload", a.at));
    to.forEach((t, i) => {
      t.valid.set(from.valid.and(chosen[i] ?? noise));
      assignView(t.payload, from.payload, "payload");
    });
    from.ready.set(mux(noise, word.bit(w + 14), orTree(to.map((t, i) => t.ready.and(chosen[i] ?? noise)))));
    if (use === "read") return;
    const back = portOf(io, "back", w),
      backs = those.map(a => portOf(a.it, "back", a.at));
    back.valid.set(mux(noise, word.bit(w + 16), orTree(backs.map((b, i) => b.valid.and(chosen[i] ?? noise)))));
    const given = onehotMux(
      chosen,
      backs.map(b => b.payload),
    );
    back.payload.set({ data: given.data.xor(mux(noise, word.zext(payloadBits), 0)), last: given.last });
    backs.forEach(b => b.ready.set(back.ready));
  });
}
/** The same for what their tasks say of trailers. */
export function chosenTrailers(
  io: Inside<TrailerWays>,
  all: readonly Chosen<TrailerWays>[],
  noise: Bit,
  word: UInt,
): void {
  const ways = mostTrailers(all.map(a => a.chain));
  ways.forEach((_, w) => {
    const those = having(all, trailerUses, ways, w),
      said = those.map(a => portOf(a.it, "trailer", a.at)),
      chosen = those.map(a => a.chosen),
      { valid, ctx, bytes } = onehotMux(chosen, said);
    portOf(io, "trailer", w).set({
      valid: mux(noise, word.bit(w + 18), valid),
      ctx: mux(noise, word.bits(7, ctx.width), ctx),
      bytes,
    });
  });
}

/** Ways of a region that a decoupler knows of. */
export interface DecoupledWays {
  /** To payloads, and those of them that write; of trailers. */
  readonly reads?: number;
  readonly writes?: number;
  readonly trailers?: number;
}
/**
 * Ports of a decoupler that knows of payloads: whether a packet is inside, by way, and whether one is being read or
 * written; by way that writes the packet whose beat waits for the store; and by trailer whose it is, and whether he is
 * inside or has left in the cycle before.
 */
export function readingPortsOf({
  contexts,
  reads = 0,
  writes = 0,
  trailers = 0,
}: { contexts: number } & DecoupledWays) {
  const one = { reading: input(bit) },
    ctx = uint(Math.log2(contexts));
  return mergePorts(
    portArray("asks", reads, input(ctx)),
    portArray("knows", reads, output(bit)),
    portArray("writing", writes, input(struct({ valid: bit, ctx }))),
    portArray("marks", trailers, input(ctx)),
    portArray("marksOk", trailers, output(bit)),
    // Without ways there is no such port, and nobody asks for it.
    reads === 0 ? ({} as typeof one) : one,
  );
}
type DecouplerSide = Outside<ReturnType<typeof readingPortsOf>>;

/** Beats that a task has been given, and has not given back, at most: it waits for more until it gives some. */
const mostOwed = 256;

/** Beats of a way that writes: those that are read, those that the partition says, and those that go to the store. */
interface WrittenBeats {
  readonly from: { readonly fire: Bit; readonly payload: { readonly last: Bit } };
  readonly said: StreamIn<typeof PayloadBeat>;
  readonly back: StreamOut<typeof PayloadBeat>;
}
/**
 * What goes back of a way that writes. For each beat that was read one goes back, and the last one of a payload is the
 * last one, whatever the partition says; while the region is off 0 goes back in place of what is owed. Behind a
 * register, so that what is offered stays: until it is taken its packet does not leave.
 * @param asked contexts of jobs, in their order
 * @returns whether a beat may be read, and whether any is owed
 */
function backOf({ from, said, back }: WrittenBeats, w: number, asked: StreamIn<ReturnType<typeof ctxOf>>, off: Bit) {
  const { ctx } = asked.payload,
    Owed = struct({ last: bit, ctx: uint(ctx.width) }),
    comes = node(from.fire, { name: `owes_${w}` }),
    owed = passQueue(`owed_${w}`, Owed, mostOwed, comes, { last: from.payload.last, ctx: ctx.is(ctx.width) });
  asked.ready.set(comes.and(from.payload.last));
  const given = stream(struct({ ...PayloadBeat.fields, ctx: uint(ctx.width) }), { name: `back_${w}_gives` });
  given.valid.set(owed.valid.and(off.or(said.valid)));
  given.payload.set({
    data: mux(off, constant(0, payloadBits), said.payload.data),
    last: owed.payload.last,
    ctx: owed.payload.ctx,
  });
  owed.ready.set(given.ready.and(off.or(said.valid)));
  said.ready.set(off.or(given.ready.and(owed.valid)));
  const waits = stage(given, "forward", { name: `back_${w}_waits` }),
    goes = node(owed.fire, { name: `owed_${w}_goes` }),
    count = level(`owed_${w}_count`, bitsFor(mostOwed), comes, goes);
  const writing = { valid: waits.valid, ctx: waits.payload.ctx };
  connect(
    map(waits, PayloadBeat, ({ data, last }) => ({ data, last }), { name: `back_${w}_goes` }),
    back,
  );
  return {
    room: node(count.lt(mostOwed), { name: `owed_${w}_room` }),
    busy: node(count.any().or(waits.valid), { name: `back_${w}_busy` }),
    writing,
  };
}
const ctxOf = (width: number) => struct({ ctx: uint(width) });

/**
 * A way that writes by itself, for measures and proofs: `read` is a beat that goes to the partition, `said` what that
 * gives, `asked` the contexts of jobs. Latency, bounds and reset are those of the region that has it: a beat that goes
 * back takes a cycle; no more than 256 are owed while `read` comes with `room` only.
 */
export const WrittenWay = module(
  "WrittenWay",
  ({ contexts }: { readonly contexts: number }) => ({
    read: input(struct({ fire: bit, last: bit })),
    said: sink(PayloadBeat),
    asked: sink(ctxOf(Math.log2(contexts))),
    off: input(bit),
    back: source(PayloadBeat),
    room: output(bit),
    busy: output(bit),
    writing: output(struct({ valid: bit, ctx: uint(Math.log2(contexts)) })),
  }),
  io => {
    const { fire, last } = io.read,
      beats = { from: { fire, payload: { last } }, said: io.said, back: io.back },
      { room, busy, writing } = backOf(beats, 0, io.asked, io.off);
    assertAlways(fire.not().or(io.asked.valid), "a beat that is read is of a job");
    io.room.set(room);
    io.busy.set(busy);
    io.writing.set({ valid: writing.valid, ctx: writing.ctx });
  },
  { nameOf: p => `WrittenWay_c${p.contexts}` },
);

/**
 * The same ways outside of the decoupler. Only packets that are inside are read. While the region is off nothing more
 * is asked for, and what has been asked for is taken here, until all of it is there, and has gone back where the way
 * writes: no packet gives its cells back while they are being read or written. A question takes one cycle here, one a
 * cycle; a beat that goes back takes one, too.
 */
export function decoupledPayloads(
  io: Inside<Ways>,
  part: Outside<Ways>,
  decoupler: DecouplerSide,
  { contexts, uses }: { readonly contexts: number; readonly uses: readonly PayloadUse[] },
  off: Bit,
): void {
  const readers = uses.filter(u => u === "read").length;
  const reading = uses.map((use, w) => {
    const asked = portOf(part, "job", w),
      job = portOf(io, "job", w),
      knows = portOf(decoupler, "knows", w),
      { width } = asked.payload.ctx;
    portOf(decoupler, "asks", w).set(asked.payload.ctx);
    const goes = stream(ctxOf(width), { name: `job_${w}_goes` });
    goes.valid.set(asked.valid.and(knows).andNot(off));
    goes.payload.set({ ctx: asked.payload.ctx });
    // One of nobody is thrown away.
    asked.ready.set(goes.ready.or(knows.not()));
    // Behind a register: what has been offered stays until it is taken, also when the region goes off meanwhile.
    connect(stage(goes, "forward", { name: `job_${w}_waits` }), job);
    const from = portOf(io, "payload", w),
      to = portOf(part, "payload", w);
    assignView(to.payload, from.payload, "payload");
    const out = reg(uint(bitsFor(contexts)), { init: 0, name: `reads_out_${w}` }),
      begins = node(goes.fire, { name: `read_${w}_begins` }),
      ends = node(from.fire.and(from.payload.last), { name: `read_${w}_ends` });
    when(begins.andNot(ends), () => out.set(out.add(1))).elseWhen(ends.andNot(begins), () => out.set(out.sub(1)));
    if (use === "read") {
      to.valid.set(from.valid.andNot(off));
      from.ready.set(to.ready.or(off));
      return out.any();
    }
    const ctx = passQueue(`job_${w}_ctx`, ctxOf(width), contexts, begins, { ctx: asked.payload.ctx.is(width) }),
      beats = { from, said: portOf(part, "back", w), back: portOf(io, "back", w) },
      { room, busy, writing } = backOf(beats, w, ctx, off);
    to.valid.set(from.valid.and(room).andNot(off));
    from.ready.set(room.and(to.ready.or(off)));
    portOf(decoupler, "writing", w - readers).set(writing);
    return out.any().or(busy);
  });
  if (reading.length > 0) decoupler.reading.set(orTree(reading));
}
/** A trailer is that of a packet which is inside, or has just left: else it is thrown away. */
export function decoupledTrailers(
  io: Inside<TrailerWays>,
  part: Outside<TrailerWays>,
  decoupler: DecouplerSide,
  trailers: number,
  off: Bit,
): void {
  for (let t = 0; t < trailers; t++) {
    const { valid, ctx, bytes } = portOf(part, "trailer", t);
    portOf(decoupler, "marks", t).set(ctx);
    portOf(io, "trailer", t).set({ valid: valid.and(portOf(decoupler, "marksOk", t)).andNot(off), ctx, bytes });
  }
}
