/** What the proofs of the crossbar share: a crossbar of two masters and two slaves, and parts of their models. */
import { bit, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { type Def, instance } from "../../build/module.ts";
import { assertAlways, mux, when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { Axi4Crossbar } from "../../lib/index.ts";
import { orTree } from "../../vectors/index.ts";

/** Bits of an address within a slave. */
export const PAGE = 12;
/** Accesses of a master that may be under way, and writes of a slave whose data have not all come. */
export const OUTSTANDING = 2,
  ORDERED = 2;
/** The crossbar that is proved: a quarter of the addresses is slave 0, a quarter slave 1, and half of them nobody. */
const dut = Axi4Crossbar({
  addressBits: PAGE + 2,
  idBits: 1,
  beatBytes: 1,
  masters: 2,
  slaves: [
    { base: 0, size: 2 ** PAGE },
    { base: 2 ** PAGE, size: 2 ** PAGE },
  ],
  outstanding: OUTSTANDING,
  ordered: ORDERED,
});
/** A channel of it. */
export interface Channel {
  readonly valid: Bit & { set(v: unknown): void };
  readonly ready: Bit & { set(v: unknown): void };
  readonly fire: Bit;
  readonly payload: { set(v: unknown): void } & Readonly<Record<string, UInt>>;
}
/** A field of what a channel carries. */
export const field = (c: Channel, name: string): UInt => c.payload[name] as UInt;
export type Ports = Readonly<Record<string, Channel>>;
/** What a side adds to the claim that nothing stands still. */
export interface Side {
  /** Something of it is under way. */
  readonly busy: Bit;
  /** It does now all that others may wait for. */
  readonly willing: Bit;
  /** One of its channels moves. */
  readonly moved: Bit;
}
/** An access that is under way, and what is known of it. */
export interface Entry {
  readonly there: Bit;
  readonly value: UInt;
}
export const all = (bits: readonly Bit[]): Bit => bits.reduce((a, b) => a.and(b));
/** How many of up to seven bits are 1. */
export const howMany = (bits: readonly Bit[]): UInt => bits.reduce<UInt>((n, b) => n.add(b.zext(3)), constant(0, 3));
/** Of the entries of a line only the first one goes. */
export const first = (n: number, taken: Bit): Bit[] =>
  Array.from({ length: n }, (_, k) => (k === 0 ? taken : constant(0, 1)));

const address = { addr: 0, id: 0, len: 0, size: 0, burst: 0 } as const;
const quiet = {
  Ar: address,
  Aw: address,
  W: { data: 0, strb: 0, last: 0 },
  R: { data: 0, id: 0, resp: 0, last: 0 },
  B: { id: 0, resp: 0 },
} as const;
/** The crossbar with one way alone: at the other one nothing ever comes, and nothing joins the two in it. */
export function crossbarOf(way: "reads" | "writes"): Ports {
  // Ports by their numbers, which the compiler cannot count.
  const unit = instance("dut", dut as Def) as unknown as Ports,
    idle = way === "reads" ? (["Aw", "W", "B"] as const) : (["Ar", "R"] as const);
  for (const side of ["s", "m"])
    for (const i of [0, 1])
      for (const c of idle) {
        const channel = unit[`${side}${i}${c}`] as Channel;
        if ((c === "B" || c === "R") === (side === "m")) {
          channel.valid.set(0);
          channel.payload.set(quiet[c]);
        } else channel.ready.set(0);
      }
  return unit;
}

/** An offer that may come at any time, and stays with what it says until it is taken. */
export function offer(
  free: Bit,
  may: Bit,
  says: UInt,
  taken: Bit,
  name: string,
): { readonly valid: Bit; readonly says: UInt } {
  const waits = reg(bit, { init: 0, name: `${name}_waits` }),
    said = reg(uint<number>(says.width), { init: 0, name: `${name}_said` });
  const valid = node(waits.or(free.and(may)), { name: `${name}_offers` }),
    value = node(mux(waits, said, says), { name: `${name}_says` });
  waits.set(valid.andNot(taken));
  when(valid, () => said.set(value));
  return { valid, says: value };
}

/** Cycles in which all are willing and nothing moves: this many in a row there never are. */
const STILL = 2;
/** Free of deadlock: where something is under way and all sides are willing, something moves. */
export function neverStill(sides: readonly Side[]): void {
  const still = reg(uint(2), { init: 0, name: "model_still" }),
    busy = orTree(sides.map(s => s.busy)),
    willing = all(sides.map(s => s.willing));
  when(orTree(sides.map(s => s.moved)), () => still.set(0)).elseWhen(busy.and(willing), () => still.set(still.add(1)));
  assertAlways(
    still.lt(STILL),
    `no deadlock: of ${STILL} cycles in which all sides are willing something moves in one`,
  );
}
