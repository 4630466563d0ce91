/** NAT: how its bindings are found, and how it is configured. */
import { flowHash } from "./flow.ts";
import type { ConfigWord } from "./task-rows.ts";
import type { StatePart, StateSchema } from "./task-state.ts";

export const natWays = 4;
export const natSets = 1024;
/** Bits of a binding's number, which are the low bits of its port outside. */
export const natIndexBits = 12;
/** User 6, UDP or TCP 1, address 32, port 16. */
export const natKeyBits = 55;
/** Bits of an epoch: a binding's age counts up to 15. */
export const natEpochBits = 4;
export interface NatKey {
  readonly user: number;
  readonly udp: boolean;
  readonly address: number;
  readonly port: number;
}
export const natKey = (k: NatKey): bigint =>
  (BigInt(k.user) << 49n) | (k.udp ? 1n << 48n : 0n) | (BigInt(k.address) << 16n) | BigInt(k.port);
export const natKeyOf = (key: bigint): NatKey => ({
  user: Number(key >> 49n),
  udp: ((key >> 48n) & 1n) === 1n,
  address: Number((key >> 16n) & 0xffff_ffffn),
  port: Number(key & 0xffffn),
});
/** The set of a key: where its binding is, if there is one. */
export const natSet = (key: bigint): bigint => flowHash(key);

/** Places of its configuration. */
export const natPlaces = { outside: 0, epoch: 1 } as const;
/** The address outside, and the highest 4 bits of the ports there. */
export const natOutside = (address: number, portHigh: number): ConfigWord => ({
  at: natPlaces.outside,
  data: BigInt(address) | (BigInt(portHigh) << 32n),
});
/** A new epoch begins; bindings that were not used for more than `life` epochs, 0 to 14, are free. */
export const natEpoch = (life: number): ConfigWord => ({ at: natPlaces.epoch, data: BigInt(life) });

/** What of it moves with its chain: the time of bindings, and each binding at the place of its number. */
export const natTimePart = {
  name: "time",
  first: 0,
  words: 1,
  // The first bit is always 1: a word of 0 is none.
  fields: { there: 1, epoch: natEpochBits, life: natEpochBits },
} as const satisfies StatePart;
export const natBindingsPart = {
  name: "bindings",
  first: natSets * natWays,
  words: natSets * natWays,
  fields: { valid: 1, key: natKeyBits, epoch: natEpochBits },
} as const satisfies StatePart;
export const natKeeps: StateSchema = { parts: [natTimePart, natBindingsPart] };
