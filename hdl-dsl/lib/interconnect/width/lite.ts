import { flip, type Flipped, memberPorts } from "../../../types/ports.ts";
import { bit, struct, uint } from "../../../types/shape.ts";
import type { Bit, End, Stream, StreamIn, UInt } from "../../../types/value.ts";
import { node, reg } from "../../../build/declare.ts";
import { endOf } from "../../../build/ends.ts";
import { instance, module } from "../../../build/module.ts";
import { mux, when } from "../../../build/statements.ts";
import { cat, constant } from "../../../build/value.ts";
import { connect } from "../../../stream/connect.ts";
import { fork } from "../../../stream/fork.ts";
import { stage } from "../../../stream/stage.ts";
import { join, map, stream } from "../../../stream/stream.ts";
import { liteAddress, liteBusOf, LiteResponse, type LiteWideChannels } from "../../axi/index.ts";
import { Fifo } from "../../queues/index.ts";

/** Which way, and how much may be under way. */
export interface LiteWidthConverterParameters {
  /** Bits of a byte address, both sides'. */
  readonly addressBits: number;
  /** Bytes of a word at the master's side `s`, 4 or 8; the slave's side `m` has the other. */
  readonly fromBytes: 4 | 8;
  /** Words at the slave's side that may be under way each way; 4 when left out. */
  readonly outstanding?: number;
}
type Upper = End<Flipped<LiteWideChannels>>;
type Lower = End<LiteWideChannels>;
type Sizes = Required<LiteWidthConverterParameters>;

/** What is remembered of a word under way: whether it is the upper half, and whether it is the access's last. */
const Half = struct({ upper: bit, final: bit });
const halves = (name: string, p: Sizes) =>
  instance(name, Fifo({ shape: Half, depth: p.outstanding, style: "distributed" }));
type Halves = ReturnType<typeof halves>;

/** Two streams at once: a transfer goes to both in the same cycle, or to none. */
function both(valid: Bit, a: { valid: { set(v: Bit): void }; readonly ready: Bit }, b: typeof a): Bit {
  a.valid.set(valid.and(b.ready));
  b.valid.set(valid.and(a.ready));
  return a.ready.and(b.ready);
}

/** A read of a half word is a read of the word that has it. */
function readWider(p: Sizes, s: Upper, m: Lower): void {
  const asked = halves("asked", p),
    address = stream(liteAddress(p.addressBits), { name: "read_address" });
  s.ar.ready.set(both(s.ar.valid, asked.push, address));
  asked.push.payload.set({ upper: s.ar.payload.addr.bit(2), final: 1 });
  address.payload.set(s.ar.payload);
  connect(stage(address as StreamIn<typeof address.shape>, "full", { name: "ar" }), m.ar);
  const answer = stream(s.r.shape, { name: "answer" }),
    { data, resp } = m.r.payload;
  answer.valid.set(m.r.valid.and(asked.pop.valid));
  answer.payload.set({ data: mux(asked.pop.payload.upper, data.bits(32, 32), data.bits(0, 32)), resp });
  m.r.ready.set(answer.ready.and(asked.pop.valid));
  asked.pop.ready.set(answer.fire);
  connect(stage(answer as StreamIn<typeof answer.shape>, "forward", { name: "r" }), s.r);
}

/** Data on both halves, with the strobes of the one that the address names. */
function writeWider(s: Upper, m: Lower): void {
  const order = stage(join({ aw: s.aw, w: s.w }, { name: "order" }), "forward", { name: "write" });
  const [aw, w] = fork(order, 2, "eager", { name: "half" });
  connect(
    map(aw, m.aw.shape, v => v.aw, { name: "aw" }),
    m.aw,
  );
  connect(
    map(
      w,
      m.w.shape,
      v => {
        const upper = v.aw.addr.bit(2),
          none = constant(0, 4);
        return {
          data: cat(v.w.data, v.w.data),
          strb: cat(mux(upper, v.w.strb, none), mux(upper, none, v.w.strb)),
        };
      },
      { name: "w" },
    ),
    m.w,
  );
  connect(stage(m.b, "forward", { name: "b" }), s.b);
}

/**
 * A word's halves one after the other, the lower first: `needs` says which. Gives the half and whether it is
 * the last.
 */
function steps(needs: { readonly lower: Bit; readonly upper: Bit }, fire: Bit, name: string) {
  const second = reg(bit, { init: 0, name: `${name}_second` });
  const upper = node(second.or(needs.lower.not()), { name: `${name}_upper` }),
    final = node(upper.or(needs.upper.not()), { name: `${name}_final` });
  when(fire, () => second.set(final.not()));
  return { upper, final };
}
/** The address of a half: that of the word for the lower one, unless it is named itself. */
const halfAddress = (addr: UInt, upper: Bit, named: Bit): UInt => {
  // A bus of one word has no other address.
  const second = addr.width === 3 ? constant(4, 3) : cat(addr.shr(3).trunc(addr.width - 3), constant(4, 3));
  return mux(upper.andNot(named), second, addr);
};

/** A read is one of each half; of the upper half alone where the address names it. */
function readNarrower(p: Sizes, s: Upper, m: Lower): void {
  const asked = halves("asked", p),
    address = stream(liteAddress(p.addressBits), { name: "read_address" }),
    named = s.ar.payload.addr.bit(2);
  const room = both(s.ar.valid, asked.push, address),
    fire = node(s.ar.valid.and(room), { name: "read_part" });
  const at = steps({ lower: named.not(), upper: constant(1, 1) }, fire, "read");
  s.ar.ready.set(room.and(at.final));
  asked.push.payload.set(at);
  address.payload.set({ addr: halfAddress(s.ar.payload.addr, at.upper, named), prot: s.ar.payload.prot });
  connect(stage(address as StreamIn<typeof address.shape>, "full", { name: "ar" }), m.ar);

  const full = reg(bit, { init: 0, name: "r_full" }),
    data = reg(uint(64), { name: "r_data" }),
    resp = reg(uint(2), { init: 0, name: "r_resp" }),
    half = asked.pop.payload;
  m.r.ready.set(asked.pop.valid.and(full.not().or(s.r.ready)));
  asked.pop.ready.set(m.r.fire);
  const begins = reg(bit, { init: 1, name: "r_begins" });
  when(s.r.ready, () => full.set(0));
  when(m.r.fire, () => {
    when(half.upper, () => data.setBits(32, m.r.payload.data)).otherwise(() => data.setBits(0, m.r.payload.data));
    resp.set(mux(begins, constant(0, 2), resp).or(m.r.payload.resp));
    begins.set(half.final);
    when(half.final, () => full.set(1));
  });
  s.r.valid.set(full);
  s.r.payload.set({ data, resp });
}

/** A write is one of each half that has strobes; one without any strobes is one of the half that the address names. */
function writeNarrower(p: Sizes, s: Upper, m: Lower): void {
  const asked = halves("owed", p),
    order = stage(join({ aw: s.aw, w: s.w }, { name: "order" }), "forward", { name: "write" });
  const { aw, w } = order.payload,
    lower = node(w.strb.bits(0, 4).any(), { name: "has_lower" }),
    upper = node(w.strb.bits(4, 4).any(), { name: "has_upper" }),
    named = aw.addr.bit(2);
  const part: Stream<ReturnType<typeof partOf>> = stream(partOf(p), { name: "part" });
  const room = both(order.valid, asked.push, part),
    fire = node(order.valid.and(room), { name: "write_part" });
  const at = steps({ lower: lower.or(upper.or(named).not()), upper }, fire, "write");
  order.ready.set(room.and(at.final));
  asked.push.payload.set(at);
  part.payload.set({
    addr: halfAddress(aw.addr, at.upper, named),
    prot: aw.prot,
    data: mux(at.upper, w.data.bits(32, 32), w.data.bits(0, 32)),
    strb: mux(at.upper, w.strb.bits(4, 4), w.strb.bits(0, 4)),
  });
  const [address, data] = fork(stage(part as StreamIn<typeof part.shape>, "forward", { name: "sent" }), 2, "eager", {
    name: "sent",
  });
  connect(
    map(address, m.aw.shape, v => ({ addr: v.addr, prot: v.prot }), { name: "aw" }),
    m.aw,
  );
  connect(
    map(data, m.w.shape, v => ({ data: v.data, strb: v.strb }), { name: "w" }),
    m.w,
  );
  mergeWrites(asked, s, m);
}
const partOf = (p: Sizes) =>
  struct({ addr: uint<number>(p.addressBits), prot: uint(3), data: uint<number>(32), strb: uint<number>(4) });

/** One answer for both halves, the worse of the two. */
function mergeWrites(owed: Halves, s: Upper, m: Lower): void {
  const before = reg(uint(2), { init: 0, name: "b_before" }),
    out = stream(LiteResponse, { name: "b_out" }),
    { final } = owed.pop.payload;
  const resp = node(before.or(m.b.payload.resp), { name: "b_resp" }),
    passes = node(final.not().or(out.ready), { name: "b_passes" });
  out.valid.set(owed.pop.valid.and(m.b.valid).and(final));
  out.payload.set({ resp });
  m.b.ready.set(owed.pop.valid.and(passes));
  owed.pop.ready.set(m.b.valid.and(passes));
  when(m.b.fire, () => before.set(mux(final, constant(0, 2), resp)));
  connect(stage(out as StreamIn<typeof LiteResponse>, "forward", { name: "b" }), s.b);
}

/**
 * AXI4-Lite from a master of 4 bytes to a slave of 8, or the other way round.
 *
 * To the wider one a read is of the whole word, of which one half goes back; a write strobes its half. To the narrower
 * one a read is of both halves, the lower first, or of the upper alone where the address names it. A write is one of
 * each half that has strobes; one without strobes is one without strobes. The worse of two answers goes back.
 *
 * Latency in cycles: read addresses 1, writes 1 (to the narrower side 2), behind the later of address and data; answers
 * 1. Initiation interval 1 word at the slave's side. At most `outstanding` words are under way at the narrower side,
 * and as many reads at the wider; beyond that addresses wait. Reset forgets all that is under way, on both sides at
 * once.
 */
export const LiteWidthConverter = module(
  "LiteWidthConverter",
  (p: LiteWidthConverterParameters) => {
    if (![4, 8].includes(p.fromBytes))
      throw new RangeError(`LiteWidthConverter: fromBytes is ${p.fromBytes as number}; choose 4 or 8`);
    return {
      ...memberPorts("s", flip(liteBusOf(p.addressBits, p.fromBytes))),
      ...memberPorts("m", liteBusOf(p.addressBits, 12 - p.fromBytes)),
    };
  },
  (io, p) => {
    const sizes = { ...p, outstanding: p.outstanding ?? 4 };
    const s = endOf(flip(liteBusOf(p.addressBits, p.fromBytes)), io, "s"),
      m = endOf(liteBusOf(p.addressBits, 12 - p.fromBytes), io, "m");
    if (p.fromBytes === 4) {
      readWider(sizes, s, m);
      writeWider(s, m);
    } else {
      readNarrower(sizes, s, m);
      writeNarrower(sizes, s, m);
    }
  },
);
