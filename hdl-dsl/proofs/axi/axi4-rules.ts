/**
 * The rules of AXI4 (IHI 0022) as properties: one call for a module that is a master, one for a slave. What the module
 * owes is asserted, what the other side owes is assumed.
 *
 * - A3.2.1: valid stays until ready, and the payload with it. A3.3.1: a write's address and data do not wait for one
 *   another (`apart`); no B before the address and the last data; no R before its address.
 * - A3.4.1: no burst over 4 KB; lengths by burst type; no beat wider than the bus; WLAST and RLAST as the length says.
 * - A5.3: answers carry an ID of what is under way; R of one ID in the order of the addresses.
 * - A7.2: no EXOKAY, for there are no exclusive accesses.
 *
 * Strobes of narrow and unaligned beats are looked at in simulation (`AxiRam`).
 */
import type { Bit } from "../../types/value.ts";
import type { Axi4Parameters } from "../../lib/index.ts";
import { addressRules } from "./address.ts";
import { owed, type ReadChannels, type Side, type WriteChannels } from "./bus.ts";
import { readOrder, writeOrder, type Writes } from "./order.ts";
import { offersWithin } from "./promptly.ts";

/** The bounds under which an AXI4 bus is held to its rules. */
export interface Axi4Rules extends Pick<Axi4Parameters, "beatBytes"> {
  /** Name of the bus, for messages and signals; default `axi`. */
  readonly name?: string;
  /** Accesses under way each way, at most: the other side does not begin another. It sets the size of the proof. */
  readonly outstanding: number;
  /** Beats of a burst, at most; default 256. Longer ones are a breach, of the master. */
  readonly beats?: number;
  /**
   * Masters alone: cycles within which a burst's data are offered once its address stands, and the reverse, whatever
   * the slave has taken. Cycles do not count in which `starved` is 1: the master has not got what it needs.
   */
  readonly apart?: { readonly cycles: number; readonly starved?: Bit };
}
/** What is under way on the bus, for covers and further claims. */
export interface Axi4Traffic {
  readonly reads: { readonly any: Bit; readonly several: Bit };
  readonly writes: Omit<Writes, "wantsData" | "wantsAddress">;
}
type Bus = Partial<ReadChannels> & Partial<WriteChannels>;
type Traffic<B> = (B extends ReadChannels ? Pick<Axi4Traffic, "reads"> : unknown) &
  (B extends WriteChannels ? Pick<Axi4Traffic, "writes"> : unknown);

const EXOKAY = 1;

function reading(side: Side, bus: ReadChannels, r: Axi4Rules): Axi4Traffic["reads"] {
  const name = r.name ?? "axi",
    o = owed(side, name);
  o.keeps("master", bus.ar, "ar");
  o.keeps("slave", bus.r, "r");
  addressRules(o, bus.ar, "ar", r.beatBytes);
  o.slave(bus.r.valid.not().or(bus.r.payload.resp.ne(EXOKAY)), "r: no EXOKAY, for no access is exclusive");
  return readOrder(
    o,
    { address: { ...parts(bus.ar), ...bus.ar.payload }, data: { ...parts(bus.r), ...bus.r.payload }, proved: side },
    { name, outstanding: r.outstanding, beats: r.beats ?? 256 },
  );
}
function writing(side: Side, bus: WriteChannels, r: Axi4Rules): Axi4Traffic["writes"] {
  const name = r.name ?? "axi",
    o = owed(side, name);
  o.keeps("master", bus.aw, "aw");
  o.keeps("master", bus.w, "w");
  o.keeps("slave", bus.b, "b");
  addressRules(o, bus.aw, "aw", r.beatBytes);
  o.slave(bus.b.valid.not().or(bus.b.payload.resp.ne(EXOKAY)), "b: no EXOKAY, for no access is exclusive");
  const writes = writeOrder(
    o,
    {
      address: { ...parts(bus.aw), ...bus.aw.payload },
      data: { ...parts(bus.w), last: bus.w.payload.last },
      answer: { ...parts(bus.b), id: bus.b.payload.id },
      proved: side,
    },
    { name, outstanding: r.outstanding, beats: r.beats ?? 256 },
  );
  if (side === "master" && r.apart !== undefined) {
    const { cycles, starved } = r.apart;
    offersWithin(
      cycles,
      writes.wantsData,
      bus.w.valid,
      `${name}: data wait for no address to be taken`,
      `${name}_w`,
      starved,
    );
    offersWithin(
      cycles,
      writes.wantsAddress,
      bus.aw.valid,
      `${name}: an address waits for no data to be taken`,
      `${name}_aw`,
      starved,
    );
  }
  return writes;
}
const parts = <C extends { readonly valid: Bit; readonly ready: Bit; readonly fire: Bit }>(c: C) => ({
  valid: c.valid,
  ready: c.ready,
  fire: c.fire,
});

function both<B extends Bus>(side: Side, bus: B, r: Axi4Rules): Traffic<B> {
  const { ar, r: data, aw, w, b } = bus as Bus;
  return {
    ...(ar === undefined || data === undefined ? {} : { reads: reading(side, { ar, r: data }, r) }),
    ...(aw === undefined || w === undefined || b === undefined ? {} : { writes: writing(side, { aw, w, b }, r) }),
  } as Traffic<B>;
}

/** The module masters this bus: its duties are asserted, the slave's assumed. AR and R, or AW, W and B, or all five. */
export const axi4MasterObeys = <B extends Bus>(bus: B, r: Axi4Rules): Traffic<B> => both("master", bus, r);
/** The module is the slave of this bus: its duties are asserted, the master's assumed. */
export const axi4SlaveObeys = <B extends Bus>(bus: B, r: Axi4Rules): Traffic<B> => both("slave", bus, r);

type ChannelName = "ar" | "r" | "aw" | "w" | "b";
type BusOf<IO, P extends string> = {
  readonly [C in ChannelName as `${P}${Capitalize<C>}` extends keyof IO ? C : never]: IO[`${P}${Capitalize<C>}` &
    keyof IO];
};
/** The channels of a prefix, as the rules want them: `busOf(io, "m")` has `mAr` as `ar`. */
export function busOf<IO extends object, const P extends string>(io: IO, prefix: P): BusOf<IO, P> {
  const names: readonly ChannelName[] = ["ar", "r", "aw", "w", "b"];
  const found = names.flatMap(c => {
    const port = `${prefix}${c.charAt(0).toUpperCase()}${c.slice(1)}`;
    return port in io ? [[c, io[port as keyof IO]] as const] : [];
  });
  return Object.fromEntries(found) as BusOf<IO, P>;
}
