/** What a port counts: a number for each, in this order. */
import { type Bit, constant, mux, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { keptBits, type LinkRefused, type TxEvents } from "../link/index.ts";
import type { EgressEvents } from "../egress/index.ts";
import { copyBits, type LaneEvents } from "../lane/index.ts";
import type { MergeEvents } from "../merge/index.ts";
import type { StoreEvents } from "../store/index.ts";
import { type Fate, fates } from "../port/index.ts";

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
export const fateBits = ({ valid, fate }: { readonly valid: Bit; readonly fate: Val<typeof Fate> }): readonly UInt[] =>
  fates.map(name => valid.and(fate.is(name)));
export const senderBits = (e: Val<typeof TxEvents>): readonly UInt[] =>
  (Object.keys(sender) as (keyof typeof sender)[]).map(k => e[k]);
export const receiverBits = (e: Val<typeof LinkRefused>): readonly UInt[] => receiver.map(k => e[k]);

/** What the middle of the device counts. */
const middle = {
  arrived: 1,
  arrivedBytes: 14,
  left: 1,
  dropTask: 1,
  dropNowhere: 1,
  dropAgain: 1,
  dropPaused: 1,
  laneLeft: 1,
  laneToSoftware: 1,
  laneNotTaken: 1,
  laneNowhere: 1,
  laneBadSoftware: 1,
  laneOwn: 1,
  laneCopies: copyBits,
  storeShort: 1,
  storeUneven: 1,
} as const;
export const middleCounterNames: readonly string[] = Object.keys(middle);
export const middleCounterBits: readonly number[] = Object.values(middle);
export const middleBits = (m: {
  readonly merge: Val<typeof MergeEvents>;
  readonly egress: Val<typeof EgressEvents>;
  readonly lane: Val<typeof LaneEvents>;
  readonly store: Val<typeof StoreEvents>;
}): readonly UInt[] => [
  m.merge.taken,
  mux(m.merge.taken, m.merge.bytes, constant(0, m.merge.bytes.width)),
  m.egress.left,
  m.egress.task,
  m.egress.nowhere,
  m.egress.again,
  m.egress.paused,
  m.lane.left,
  m.lane.toSoftware,
  m.lane.notTaken,
  m.lane.nowhere,
  m.lane.badSoftware,
  m.lane.own,
  m.lane.copies,
  m.store.short,
  m.store.uneven,
];
