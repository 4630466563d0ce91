/** What a port counts: a number for each, in this order. */
import { decode, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { keptBits, type LinkRefused, type TxEvents } from "../link/index.ts";
import { fates } from "../port/index.ts";

/** Of the sender, and what each may rise by in a cycle, in bits. */
const sender = {
  done: keptBits,
  lost: keptBits,
  marked: 1,
  long: 1,
  falseAck: 1,
  nacked: 1,
  timedOut: 1,
  ackSent: 1,
  nackSent: 1,
  pfcSent: 1,
} as const satisfies Readonly<Record<keyof typeof TxEvents.fields, number>>;
/** Of the link's receiver. */
const receiver = [
  "room",
  "ahead",
  "behind",
  "bad",
  "down",
] as const satisfies readonly (keyof typeof LinkRefused.fields)[];

const named = <T extends string>(prefix: string, names: readonly T[]): readonly string[] =>
  names.map(n => `${prefix}${n.charAt(0).toUpperCase()}${n.slice(1)}`);
/** Names of a port's counters; the loop port has the first ones only. */
export const loopCounterNames: readonly string[] = fates.map(f => `in${f.charAt(0).toUpperCase()}${f.slice(1)}`);
export const portCounterNames: readonly string[] = [
  ...loopCounterNames,
  ...named("out", Object.keys(sender)),
  ...named("link", receiver),
];
export const loopCounterBits: readonly number[] = fates.map(() => 1);
export const portCounterBits: readonly number[] = [
  ...loopCounterBits,
  ...Object.values(sender),
  ...receiver.map(() => 1),
];

/** One of the fates, each a bit. */
export const fateBits = (valid: UInt, fate: UInt): readonly UInt[] => {
  const all = decode(fate, fates.length);
  return fates.map((_, i) => all.bit(i).and(valid));
};
export const senderBits = (e: Val<typeof TxEvents>): readonly UInt[] =>
  (Object.keys(sender) as (keyof typeof sender)[]).map(k => e[k]);
export const receiverBits = (e: Val<typeof LinkRefused>): readonly UInt[] => receiver.map(k => e[k]);
