/** AXI4-Lite with 32 bits of data: channel payloads, ports, and what every slave has in common. */
import {
  flip,
  type Flipped,
  type Interface,
  interfaceOf,
  memberPorts,
  type MemberPorts,
  sink,
  source,
  type StreamPort,
} from "../../types/ports.ts";
import { struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, Inside, UInt } from "../../types/value.ts";
import { node } from "../../build/declare.ts";
import { stage } from "../../stream/stage.ts";
import { connect } from "../../stream/connect.ts";
import { join, stream } from "../../stream/stream.ts";

/** AW and AR: a byte address; the protection bits are for slaves that use them. */
export type LiteAddress = StructShape<{ readonly addr: UIntShape; readonly prot: UIntShape<3> }>;
/** The shape of AW and AR. */ export const liteAddress = (addressBits: number): LiteAddress =>
  struct({ addr: uint<number>(addressBits), prot: uint(3) });
/** W: a word and its bytes. */ export const LiteWrite = struct({ data: uint(32), strb: uint(4) });
/** The shape of B: the answer (`axiResponse`). */ export const LiteResponse = struct({ resp: uint(2) });
/** The shape of R: a word and its answer. */ export const LiteRead = struct({ data: uint(32), resp: uint(2) });

/**
 * The five channels as the master has them. (A type, not an interface: one has no index signature, and so could not be
 * ports.)
 */
export type LiteChannels = {
  readonly aw: StreamPort<"out", LiteAddress>;
  readonly w: StreamPort<"out", typeof LiteWrite>;
  readonly b: StreamPort<"in", typeof LiteResponse>;
  readonly ar: StreamPort<"out", LiteAddress>;
  readonly r: StreamPort<"in", typeof LiteRead>;
};
/** An AXI4-Lite bus with byte addresses of `addressBits` bits, as its master has it; `flip` gives the slave's side. */
export const liteBus = (addressBits: number): Interface<LiteChannels> =>
  interfaceOf({
    aw: source(liteAddress(addressBits)),
    w: source(LiteWrite),
    b: sink(LiteResponse),
    ar: source(liteAddress(addressBits)),
    r: sink(LiteRead),
  });

/** The same channels for words of 32 or 64 bits. */
export type LiteWideChannels = {
  readonly aw: StreamPort<"out", LiteAddress>;
  readonly w: StreamPort<"out", StructShape<{ readonly data: UIntShape; readonly strb: UIntShape }>>;
  readonly b: StreamPort<"in", typeof LiteResponse>;
  readonly ar: StreamPort<"out", LiteAddress>;
  readonly r: StreamPort<"in", StructShape<{ readonly data: UIntShape; readonly resp: UIntShape<2> }>>;
};
/** An AXI4-Lite bus with words of `wordBytes` bytes, 4 or 8: the standard has no other. */
export const liteBusOf = (addressBits: number, wordBytes: number): Interface<LiteWideChannels> =>
  interfaceOf({
    aw: source(liteAddress(addressBits)),
    w: source(struct({ data: uint(8 * wordBytes), strb: uint(wordBytes) })),
    b: sink(LiteResponse),
    ar: source(liteAddress(addressBits)),
    r: sink(struct({ data: uint(8 * wordBytes), resp: uint(2) })),
  });

/** The five channels of a slave as ports of their own, named `s_aw` and so on. */
export type LiteSlavePorts = MemberPorts<"s", Flipped<LiteChannels>>;
/** The ports of a slave with byte addresses of `addressBits` bits. */
export const liteSlavePorts = (addressBits: number): LiteSlavePorts => memberPorts("s", flip(liteBus(addressBits)));

/** A read: the byte address stands until `fire`, in whose cycle the answer is taken. */
export interface LiteReadAccess {
  readonly address: UInt;
  readonly fire: Bit;
}
/**
 * A write: everything stands until `fire`, in whose cycle it is to be done. `strb` has one bit per byte,
 * the lowest first.
 */
export interface LiteWriteAccess {
  readonly address: UInt;
  readonly data: UInt<32>;
  readonly strb: UInt<4>;
  readonly fire: Bit;
}
/** What a slave does: one function for reads, one for writes. */ export interface LiteSlave {
  /** The word and the answer (`axiResponse`), of the same cycle. */
  readonly read: (a: LiteReadAccess) => { readonly data: UInt; readonly resp: UInt };
  /** Does it when `fire`, and gives the answer. */
  readonly write: (a: LiteWriteAccess) => UInt;
}

/**
 * An AXI4-Lite slave around a function for reads and one for writes. Latency: an answer comes 2 cycles after its
 * address (and data, which may come in either order). Initiation interval 1, reads and writes side by side. Full:
 * nothing is taken while an answer is not. A read in the cycle of a write to the same word sees what the two functions
 * make of it: with registers, the word before.
 */
export function liteSlave(io: Inside<LiteSlavePorts>, s: LiteSlave): void {
  const asked = stage(io.sAr, "forward", { name: "asked" });
  const answer = stream(LiteRead, { name: "answer" });
  answer.valid.set(asked.valid);
  asked.ready.set(answer.ready);
  const { data, resp } = s.read({ address: asked.payload.addr, fire: asked.fire });
  answer.payload.set({ data: data.is(32), resp: resp.is(2) });
  connect(stage(answer, "forward", { name: "answered" }), io.sR);

  const order = join(
    { aw: stage(io.sAw, "forward", { name: "order_address" }), w: stage(io.sW, "forward", { name: "order_data" }) },
    { name: "order" },
  );
  const written = stream(LiteResponse, { name: "written" });
  written.valid.set(order.valid);
  order.ready.set(written.ready);
  const fire = node(written.fire, { name: "write_fire" });
  written.payload.resp.set(
    s.write({ address: order.payload.aw.addr, data: order.payload.w.data, strb: order.payload.w.strb, fire }).is(2),
  );
  connect(stage(written, "forward", { name: "done" }), io.sB);
}
