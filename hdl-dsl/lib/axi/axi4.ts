/**
 * AXI4: the payloads of its five channels as shapes, its ports, and a register slice. Fields are named as in the
 * standard, without the channel's letter.
 */
import { sink, source, type StreamPort } from "../../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { StreamIn, StreamOut } from "../../types/value.ts";
import { module } from "../../build/module.ts";
import { stage, type StageKind } from "../../stream/stage.ts";
import { connectAny } from "../../stream/stream.ts";

export interface Axi4Parameters {
  readonly addressBits: number;
  readonly idBits: number;
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
export const axi4Address = (p: Pick<Axi4Parameters, "addressBits" | "idBits">): Axi4Address =>
  struct({ addr: uint(p.addressBits), id: uint(p.idBits), len: uint(8), size: uint(3), burst: uint(2) });
/** W: `strb` marks the bytes that are written. */
export type Axi4Write = StructShape<{
  readonly data: UIntShape;
  readonly strb: UIntShape;
  readonly last: UIntShape<1>;
}>;
export const axi4Write = (beatBytes: number): Axi4Write =>
  struct({ data: uint(beatBytes * 8), strb: uint(beatBytes), last: bit });
/** B. */
export type Axi4Response = StructShape<{ readonly id: UIntShape; readonly resp: UIntShape<2> }>;
export const axi4Response = (p: Pick<Axi4Parameters, "idBits">): Axi4Response =>
  struct({ id: uint(p.idBits), resp: uint(2) });
/** R. */
export type Axi4Read = StructShape<{
  readonly data: UIntShape;
  readonly id: UIntShape;
  readonly resp: UIntShape<2>;
  readonly last: UIntShape<1>;
}>;
export const axi4Read = (p: Pick<Axi4Parameters, "idBits" | "beatBytes">): Axi4Read =>
  struct({ data: uint(p.beatBytes * 8), id: uint(p.idBits), resp: uint(2), last: bit });

/** Answers of AXI4 and AXI4-Lite; 1 (EXOKAY) belongs to exclusive accesses, of which this library makes none. */
export const axiResponse = { OKAY: 0, SLVERR: 2, DECERR: 3 } as const;

interface Channels {
  readonly aw: Axi4Address;
  readonly w: Axi4Write;
  readonly b: Axi4Response;
  readonly ar: Axi4Address;
  readonly r: Axi4Read;
}
type Flow<C extends keyof Channels, D extends "in" | "out"> = C extends "b" | "r" ? (D extends "in" ? "out" : "in") : D;
/** The five channels of an AXI4 port named `<prefix>Aw` and so on; `out` for a master's. */
export type Axi4Ports<Prefix extends string, D extends "in" | "out"> = {
  readonly [C in keyof Channels as `${Prefix}${Capitalize<C>}`]: StreamPort<Flow<C, D>, Channels[C]>;
};

function ports(prefix: string, p: Axi4Parameters, master: boolean): unknown {
  const there = master ? source : sink,
    back = master ? sink : source;
  return {
    [`${prefix}Aw`]: there(axi4Address(p)),
    [`${prefix}W`]: there(axi4Write(p.beatBytes)),
    [`${prefix}B`]: back(axi4Response(p)),
    [`${prefix}Ar`]: there(axi4Address(p)),
    [`${prefix}R`]: back(axi4Read(p)),
  };
}
/** The ports of a module that masters an AXI4 bus. */
export function axi4Master<const Prefix extends string>(prefix: Prefix, p: Axi4Parameters): Axi4Ports<Prefix, "out"> {
  return ports(prefix, p, true) as Axi4Ports<Prefix, "out">;
}
/** The ports of a module that an AXI4 bus is mastered by others into. */
export function axi4Slave<const Prefix extends string>(prefix: Prefix, p: Axi4Parameters): Axi4Ports<Prefix, "in"> {
  return ports(prefix, p, false) as Axi4Ports<Prefix, "in">;
}

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
    const all = io as unknown as Readonly<Record<string, StreamIn<UIntShape> & StreamOut<UIntShape>>>;
    for (const [name, channel, from, to] of [
      ["aw", "Aw", "s", "m"],
      ["w", "W", "s", "m"],
      ["b", "B", "m", "s"],
      ["ar", "Ar", "s", "m"],
      ["r", "R", "m", "s"],
    ] as const) {
      connectAny(
        stage(all[`${from}${channel}`] as StreamIn<UIntShape>, p.kind ?? "full", { name }),
        all[`${to}${channel}`] as StreamOut<UIntShape>,
      );
    }
  },
);
