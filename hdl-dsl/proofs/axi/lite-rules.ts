/**
 * The rules of AXI4-Lite (IHI 0022, B1) as properties, with several accesses outstanding: those of AXI4 without bursts
 * and IDs. Answers come in the order of the accesses, each once.
 */
import type { Bit, UInt } from "../../types/value.ts";
import { constant } from "../../build/value.ts";
import { type Channel, owed, type Side } from "./bus.ts";
import { readOrder, writeOrder, type Writes } from "./order.ts";

export interface LiteBus {
  readonly sAw: Channel<"addr" | "prot">;
  readonly sW: Channel<"data" | "strb">;
  readonly sB: Channel<"resp">;
  readonly sAr: Channel<"addr" | "prot">;
  readonly sR: Channel<"data" | "resp">;
}
/** The bounds under which an AXI4-Lite bus is held to its rules. */
export interface LiteRules {
  /** Name of the bus, for messages and signals; default `lite`. */
  readonly name?: string;
  /** Accesses under way each way, at most: the master does not begin another. It sets the size of the proof. */
  readonly outstanding: number;
}
export interface LiteTraffic {
  readonly reads: { readonly any: Bit; readonly several: Bit };
  readonly writes: Pick<Writes, "addresses" | "data" | "any" | "several">;
}

const EXOKAY = 1;

function rules(proved: Side, bus: LiteBus, r: LiteRules): LiteTraffic {
  const name = r.name ?? "lite",
    o = owed(proved, name),
    z = { name, outstanding: r.outstanding, beats: 1 };
  for (const [by, c, n] of [
    ["master", bus.sAw, "aw"],
    ["master", bus.sW, "w"],
    ["slave", bus.sB, "b"],
    ["master", bus.sAr, "ar"],
    ["slave", bus.sR, "r"],
  ] as const)
    o.keeps(by, c, n);
  o.slave(bus.sB.valid.not().or(bus.sB.payload.resp.ne(EXOKAY)), "b: no EXOKAY");
  o.slave(bus.sR.valid.not().or(bus.sR.payload.resp.ne(EXOKAY)), "r: no EXOKAY");
  const none: UInt = constant(0, 1);
  const plain = <C extends { readonly valid: Bit; readonly ready: Bit; readonly fire: Bit }>(c: C) => ({
    valid: c.valid,
    ready: c.ready,
    fire: c.fire,
    id: none,
    len: none,
  });
  return {
    reads: readOrder(o, { address: plain(bus.sAr), data: plain(bus.sR), proved }, z),
    writes: writeOrder(o, { address: plain(bus.sAw), data: plain(bus.sW), answer: plain(bus.sB), proved }, z),
  };
}

/** The module is the slave of an AXI4-Lite bus: its duties are asserted, the master's assumed. */
export const liteSlaveObeys = (bus: LiteBus, r: LiteRules): LiteTraffic => rules("slave", bus, r);
/** The module masters an AXI4-Lite bus. */
export const liteMasterObeys = (bus: LiteBus, r: LiteRules): LiteTraffic => rules("master", bus, r);
