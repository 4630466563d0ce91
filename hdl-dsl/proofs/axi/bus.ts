/** What the rules see of a bus, and who owes what. */
import type { Bit, UInt } from "../../types/value.ts";
import { assertAlways, assumeAlways } from "../../build/statements.ts";
import { pack } from "../../build/view.ts";
import { moduleObeys, producerObeys } from "../harness/rules.ts";

/** A channel with the fields that the rules look at. */
export interface Channel<F extends string> {
  readonly valid: Bit;
  readonly ready: Bit;
  readonly fire: Bit;
  readonly payload: Readonly<Record<F, UInt>>;
}
type AddressField = "addr" | "id" | "len" | "size" | "burst";
export type AddressChannel = Channel<AddressField>;
/** AR and R of a bus: of a master that only reads, all that there is. */
export interface ReadChannels {
  readonly ar: AddressChannel;
  readonly r: Channel<"data" | "id" | "resp"> & { readonly payload: { readonly last: Bit } };
}
/** AW, W and B. */
export interface WriteChannels {
  readonly aw: AddressChannel;
  readonly w: Channel<"data" | "strb"> & { readonly payload: { readonly last: Bit } };
  readonly b: Channel<"id" | "resp">;
}

/** The side that is proved; the other one is given. */
export type Side = "master" | "slave";
/** States what a side owes: asserted of the side that is proved, assumed of the other. */
export interface Owed {
  master(claim: Bit, message: string): void;
  slave(claim: Bit, message: string): void;
  /** A channel's producer keeps valid and payload until ready. */
  keeps(by: Side, channel: Channel<string>, name: string): void;
}

export function owed(proved: Side, bus: string): Owed {
  const state =
    (side: Side) =>
    (claim: Bit, message: string): void => {
      if (side === proved) assertAlways(claim, `${bus}: ${message}`);
      else assumeAlways(claim, `${bus}: ${message}`);
    };
  return {
    master: state("master"),
    slave: state("slave"),
    keeps: (by, c, name) => {
      const watched = { valid: c.valid, ready: c.ready, payload: pack(c.payload) };
      if (by === proved) moduleObeys(watched, `${bus}_${name}`);
      else producerObeys(watched, `${bus}_${name}`);
    },
  };
}
