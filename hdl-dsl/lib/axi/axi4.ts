/**
 * AXI4: the payloads of its five channels as shapes, its ports, and a register slice. Fields are named as in the
 * standard, without the channel's letter.
 */
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
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import { endOf } from "../../build/ends.ts";
import { module } from "../../build/module.ts";
import { connect } from "../../stream/connect.ts";
import { stage, type StageKind } from "../../stream/stage.ts";
/** Widths of an AXI4 bus. */
export interface Axi4Parameters {
  /** Bits of an address; addresses are of bytes. */ readonly addressBits: number;
  /** Bits of a transaction's ID. */ readonly idBits: number;
  /** Bytes of a beat: 1, 2, 4 ... 128. */
  readonly beatBytes: number;
}

/** AW and AR: `len` is beats less one, `size` log2 of a beat's bytes, `burst` 0 FIXED, 1 INCR, 2 WRAP. */
export type Axi4Address = StructShape<{
  readonly addr: UIntShape;
  readonly id: UIntShape;
  readonly len: UIntShape<8>;
  readonly size: UIntShape<3>;
  readonly burst: UIntShape<2>;
}>;
/** Of AW and AR. */ export const axi4Address = (p: Pick<Axi4Parameters, "addressBits" | "idBits">): Axi4Address =>
  struct({ addr: uint(p.addressBits), id: uint(p.idBits), len: uint(8), size: uint(3), burst: uint(2) });
/** W: `strb` marks the bytes that are written. */
export type Axi4Write = StructShape<{
  readonly data: UIntShape;
  readonly strb: UIntShape;
  readonly last: UIntShape<1>;
}>;
/** The shape of W. @param beatBytes bytes of a beat */ export const axi4Write = (beatBytes: number): Axi4Write =>
  struct({ data: uint(beatBytes * 8), strb: uint(beatBytes), last: bit });
/** B. */
export type Axi4Response = StructShape<{ readonly id: UIntShape; readonly resp: UIntShape<2> }>;
/** The shape of B. */ export const axi4Response = (p: Pick<Axi4Parameters, "idBits">): Axi4Response =>
  struct({ id: uint(p.idBits), resp: uint(2) });
/** R. */
export type Axi4Read = StructShape<{
  readonly data: UIntShape;
  readonly id: UIntShape;
  readonly resp: UIntShape<2>;
  readonly last: UIntShape<1>;
}>;
/** The shape of R. */ export const axi4Read = (p: Pick<Axi4Parameters, "idBits" | "beatBytes">): Axi4Read =>
  struct({ data: uint(p.beatBytes * 8), id: uint(p.idBits), resp: uint(2), last: bit });

/** Answers of AXI4 and AXI4-Lite; 1 (EXOKAY) belongs to exclusive accesses, of which this library makes none. */
export const axiResponse = { OKAY: 0, SLVERR: 2, DECERR: 3 } as const;

/** The five channels as the master has them: AW, W and AR go out. */
export type Axi4Channels = {
  readonly aw: StreamPort<"out", Axi4Address>;
  readonly w: StreamPort<"out", Axi4Write>;
  readonly b: StreamPort<"in", Axi4Response>;
  readonly ar: StreamPort<"out", Axi4Address>;
  readonly r: StreamPort<"in", Axi4Read>;
};
/** An AXI4 bus as an interface of its master; `flip` gives the slave's. */
export const axi4Bus = (p: Axi4Parameters): Interface<Axi4Channels> =>
  interfaceOf({
    aw: source(axi4Address(p)),
    w: source(axi4Write(p.beatBytes)),
    b: sink(axi4Response(p)),
    ar: source(axi4Address(p)),
    r: sink(axi4Read(p)),
  });

/** The five channels of an AXI4 port as ports of their own, named `<prefix>Aw` and so on; `out` for a master's. */
export type Axi4Ports<Prefix extends string, D extends "in" | "out"> = MemberPorts<
  Prefix,
  D extends "out" ? Axi4Channels : Flipped<Axi4Channels>
>;
/** The ports of a module that masters an AXI4 bus, each by itself. */
export function axi4Master<const Prefix extends string>(prefix: Prefix, p: Axi4Parameters): Axi4Ports<Prefix, "out"> {
  return memberPorts(prefix, axi4Bus(p));
}
/** The ports of a module that an AXI4 bus is mastered by others into, each by itself. */
export function axi4Slave<const Prefix extends string>(prefix: Prefix, p: Axi4Parameters): Axi4Ports<Prefix, "in"> {
  return memberPorts(prefix, flip(axi4Bus(p)));
}
/** Widths of the bus, and what the slice registers. */
export interface Axi4RegisterParameters extends Axi4Parameters {
  /** Registers of each channel's stage; `full` when left out. */
  readonly kind?: StageKind;
}

/**
 * AXI4 register slice: a stage in each of the five channels, from `s` to `m`. With `full` (the default) every path
 * between the two sides is cut. Latency 1 cycle per channel (`backward`: 0), initiation interval 1. Each channel holds
 * two beats (`forward`, `backward`: one); full: its ready is 0; channels do not wait for one another.
 */
export const Axi4Register = module(
  "Axi4Register",
  (p: Axi4RegisterParameters) => ({ ...axi4Slave("s", p), ...axi4Master("m", p) }),
  (io, p) => {
    const s = endOf(flip(axi4Bus(p)), io, "s"),
      m = endOf(axi4Bus(p), io, "m"),
      kind = p.kind ?? "full";
    connect(stage(s.aw, kind, { name: "aw" }), m.aw);
    connect(stage(s.w, kind, { name: "w" }), m.w);
    connect(stage(m.b, kind, { name: "b" }), s.b);
    connect(stage(s.ar, kind, { name: "ar" }), m.ar);
    connect(stage(m.r, kind, { name: "r" }), s.r);
  },
);
