import {
  assertAlways,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  input,
  instance,
  map,
  module,
  mux,
  node,
  orTree,
  output,
  ram,
  reg,
  repeat,
  sink,
  source,
  stage,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  type UIntShape,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { claimedQueue } from "../../../shared/frame/index.ts";
import { passQueue } from "../../../shared/stream/index.ts";
import { bitsOfBytes, countOf, gathered, scattered } from "../region/index.ts";
import {
  contextBits,
  contextCountBits,
  ContextPool,
  countsUsers,
  type PoolParameters,
  userPorts,
} from "./context-pool.ts";
import { Entered, Entry, HeaderBack, headerBytes, HeaderJob, HeaderRead } from "./records.ts";

const banks = [0, 1] as const;
/** Bytes of a destination MAC, the first of a header. */
const dstBytes = 6;
/** Headers kept ready for each reader. */
const readHeaders = 4;
/** All bytes of a header, a bit each. */
const allBytes = (1n << BigInt(headerBytes)) - 1n;

export interface HeaderStoreParameters extends PoolParameters {
  /** Bytes that a dispatched header needs, a bit each: the others come as 0. Left out: all. */
  readonly dispatched?: bigint;
  /** Bytes of a header that may be given back, a bit each: the others stay as they entered. Left out: all. */
  readonly written?: bigint;
}
const writtenOf = ({ written = allBytes }: HeaderStoreParameters): bigint => written & allBytes;
/** There is always one, so that a copy is never empty. */
const dispatchedOf = ({ dispatched = allBytes }: HeaderStoreParameters): bigint => dispatched & allBytes || 1n;
const bankOf = (ctx: UInt): Bit => ctx.bit(0);

/** A copy of these bytes of all headers, in two banks; and how they are written, and read. */
function copyFor(name: string, p: PoolParameters, bytes: bigint) {
  const bits = bitsOfBytes(bytes),
    shape = uint(countOf(bits));
  return {
    shape,
    banks: banks.map(b => {
      const bank = ram(shape, {
        depth: p.contexts / 2,
        collision: "undefined",
        style: "block",
        name: `${name}_bank_${b}`,
      });
      return {
        read: (at: UInt, en: Bit) => bank.readSync(at, { en, name: `${name}_word_${b}` }),
        write: (en: Bit, at: UInt, header: UInt, mask: UInt): void =>
          bank.write(en, at, gathered(header, bits), gathered(mask, bytes)),
      };
    }),
    /** A whole header of what is kept. */
    whole: (kept: UInt): UInt => scattered(kept, bits, headerBytes * 8),
  };
}
/** Bytes of one or the other, as these bits tell, in runs of one kind. */
function eitherBytes(bytes: bigint, one: UInt, other: UInt, bitsEach: number): UInt {
  const is = (i: number): boolean => ((bytes >> BigInt(i)) & 1n) === 1n,
    runs: UInt[] = [];
  for (let from = 0, to = 1; from < headerBytes; from = to, to++) {
    while (to < headerBytes && is(to) === is(from)) to++;
    runs.unshift((is(from) ? one : other).bits(from * bitsEach, (to - from) * bitsEach));
  }
  return cat(...runs).is(headerBytes * bitsEach);
}
/** A header for a reader: the bytes that his copy has. */
const KeptRead = (p: PoolParameters, header: UIntShape) => struct({ ctx: uint(contextBits(p)), header });
type KeptRead = ReturnType<typeof KeptRead>;

type Copy = ReturnType<typeof copyFor>;

/** Headers for a reader, in their order: of as many as are kept ready. */
interface Ready {
  readonly room: Bit;
  serve(claims: Bit, comes: Bit, value: Val<KeptRead>): StreamIn<KeptRead>;
}
/** Headers pass by as they come, while none waits. */
function passing(name: string, shape: KeptRead): Ready {
  const claimed = reg(uint(Math.log2(readHeaders) + 1), { init: 0, name: `${name}_claimed` });
  return {
    room: claimed.lt(readHeaders),
    serve: (claims, comes, value) => {
      const out = passQueue(`${name}_queue`, shape, readHeaders, comes, value);
      claimed.set(claimed.add(claims.zext(claimed.width)).sub(out.fire.zext(claimed.width)));
      return out;
    },
  };
}
/** Headers wait for a cycle: who takes them has a long way behind it. */
function waiting(name: string, shape: KeptRead): Ready {
  const queue = claimedQueue(name, shape, readHeaders);
  return {
    room: queue.room,
    serve: (claims, comes, value) => {
      const out = stream(shape, { name: `${name}_ready` });
      queue.serve(claims, comes, value, out);
      return out;
    },
  };
}

/** One who reads, with a copy of its own: it waits for nobody. */
function reader(
  name: string,
  p: PoolParameters,
  copy: Copy,
  asked: {
    readonly job: StreamIn<ReturnType<typeof HeaderJob>>;
    readonly kept: (name: string, shape: KeptRead) => Ready;
    readonly out: StreamOut<ReturnType<typeof HeaderRead>>;
  },
): void {
  const { job } = asked,
    queue = asked.kept(name, KeptRead(p, copy.shape)),
    ctx = reg(uint(contextBits(p)), { name: `${name}_ctx` }),
    comes = reg(bit, { init: 0, name: `${name}_comes` });
  job.ready.set(queue.room);
  comes.set(job.fire);
  when(job.fire, () => ctx.set(job.payload.ctx));
  const [even, odd] = copy.banks.map(bank => bank.read(job.payload.ctx.shr(1).trunc(contextBits(p) - 1), job.fire));
  if (even === undefined || odd === undefined) throw new RangeError("there are two banks");
  const kept = queue.serve(job.fire, comes, { ctx, header: mux(bankOf(ctx), odd, even) });
  connect(
    map(kept, HeaderRead(p), v => ({ ctx: v.ctx, header: copy.whole(v.header) })),
    asked.out,
  );
}

/**
 * The headers of the packets inside by context (paper §5.4), in two banks that write one each in a cycle, with a copy
 * for each of the two who read. Latency: 2 cycles from `enter` to `entered`, 1 from `dispatch` and 2 from `leave` to
 * their headers. Initiation interval 1 for each. `enter` takes a context of the bank that `back` does not write, so
 * these two meet only when that bank is full: then `back` goes first. Full: `enter` waits for quota and contexts, all
 * else goes on. `back` and `release` are always taken. What is given back can be dispatched 2 cycles later. `dst` is
 * the destination MAC of `look`'s header, in the same cycle, beside all else: what was given back 2 cycles before
 * counts. Reset: all contexts are free.
 */
export const HeaderStore = module(
  "HeaderStore",
  (p: HeaderStoreParameters) => ({
    enter: sink(Entry(p)),
    entered: source(Entered(p)),
    back: sink(HeaderBack(p)),
    dispatch: sink(HeaderJob(p)),
    dispatched: source(HeaderRead(p)),
    leave: sink(HeaderJob(p)),
    left: source(HeaderRead(p)),
    look: input(uint(contextBits(p))),
    dst: output(uint(8 * dstBytes)),
    release: input(struct({ valid: bit, ctx: uint(contextBits(p)) })),
    ...(countsUsers(p) ? userPorts(p) : ({} as ReturnType<typeof userPorts>)),
    free: output(uint(contextCountBits(p))),
  }),
  (io, p) => {
    const { user, copies, keep } = io.enter.payload;
    const pool = instance("pool", ContextPool(p)),
      dispatchCopy = copyFor("dispatched", p, dispatchedOf(p)),
      leaveCopy = copyFor("left", p, allBytes),
      // Copies of the first bytes, for one more reader.
      dsts = banks.map(b =>
        ram(uint(8 * dstBytes), {
          depth: p.contexts / 2,
          collision: "undefined",
          style: "distributed",
          name: `dst_${b}`,
        }),
      );
    pool.release.set(io.release);
    for (let i = 0; countsUsers(p) && i < p.users; i++) {
      pool.quotas.at(i).set(io.quotas.at(i));
      io.held.at(i).set(pool.held.at(i));
    }
    io.free.set(pool.free);

    // In: an entry for the bank that nothing comes back to. What comes back waits in a register, so that it is known
    // early in the cycle.
    const coming = stage(io.back, "forward", { name: "coming_back" });
    const back = coming.payload;
    const told = reg(bit, { init: 0, name: "entered_valid_q" }),
      entered = reg(Entered(p), { name: "entered_q" }),
      header = reg(uint(headerBytes * 8), { name: "entering" });
    pool.want.valid.set(io.enter.valid);
    pool.want.payload.set({ user, copies, keep });
    io.enter.ready.set(pool.want.ready);
    when(io.enter.fire, () => header.set(io.enter.payload.header));
    pool.avoided.set({ valid: coming.valid, bank: bankOf(back.ctx) });
    const room = node(told.not().or(io.entered.ready), { name: "entered_room" }),
      enters = node(pool.given.valid.and(room), { name: "enters" });
    // What comes back is written at once, so that it is known when.
    const backs = banks.map(b => node(coming.valid.and(bankOf(back.ctx).eq(b)), { name: `back_writes_${b}` })),
      entries = banks.map((b, i) =>
        node(enters.and(bankOf(pool.given.ctx).eq(b)).andNot(backs[i] ?? coming.valid), { name: `enter_writes_${b}` }),
      ),
      took = node(orTree(entries), { name: "took" });
    assertAlways(
      coming.valid.not().or(
        back.mask
          .and(constant(allBytes & ~writtenOf(p), headerBytes))
          .any()
          .not(),
      ),
      "what is given back is what may be",
    );
    banks.forEach(b => {
      const isBack = backs[b] ?? took,
        writes = node(isBack.or(entries[b] ?? took), { name: `writes_${b}` }),
        at = node(
          mux(isBack, back.ctx, pool.given.ctx)
            .shr(1)
            .trunc(contextBits(p) - 1),
          { name: `writes_at_${b}` },
        ),
        enters = repeat(isBack.not(), headerBytes),
        // Of a byte that is never given back no choice is made.
        written = node(eitherBytes(writtenOf(p), mux(isBack, back.header, header), header, 8), {
          name: `written_${b}`,
        }),
        mask = node(eitherBytes(writtenOf(p), back.mask.or(enters), enters, 1), { name: `mask_${b}` });
      for (const copy of [dispatchCopy, leaveCopy]) copy.banks[b]?.write(writes, at, written, mask);
      dsts[b]?.write(writes, at, written.trunc(8 * dstBytes), mask.trunc(dstBytes));
    });
    coming.ready.set(1);
    pool.taken.set(took);
    when(room, () => told.set(took));
    when(took, () => entered.set({ ctx: pool.given.ctx, last: pool.given.last }));
    io.entered.valid.set(told);
    io.entered.payload.set(entered);

    // The destination of one more.
    const [evenDst, oddDst] = dsts.map(d => d.readAsync(io.look.shr(1).trunc(contextBits(p) - 1)));
    if (evenDst === undefined || oddDst === undefined) throw new RangeError("there are two banks");
    io.dst.set(mux(bankOf(io.look), oddDst, evenDst));

    // Out.
    reader("dispatched", p, dispatchCopy, { job: io.dispatch, kept: passing, out: io.dispatched });
    reader("left", p, leaveCopy, { job: io.leave, kept: waiting, out: io.left });
  },
  {
    nameOf: p =>
      `HeaderStore_c${p.contexts}_u${p.users}${countsUsers(p) ? "" : "_uncounted"}${p.dispatched === undefined ? "" : `_d${dispatchedOf(p).toString(16)}`}${p.written === undefined ? "" : `_w${writtenOf(p).toString(16)}`}`,
  },
);
