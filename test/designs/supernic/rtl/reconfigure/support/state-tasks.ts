/** A task that counts, and says of its state what it should, too late, twice, or never. */
import { passOn, type TaskModel, writesAt } from "../../../../../../designs/supernic/model/index.ts";
import {
  asItWas,
  askedState,
  asTaskWithState,
  stateTaskPorts,
  stateWord,
  type Task,
  TaskAnswer,
  TaskVerdict,
} from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import {
  headerBytesFrom,
  packState,
  type StatePart,
  unpackState,
} from "../../../../../../designs/supernic/wire/index.ts";
import {
  bit,
  connect,
  constant,
  map,
  module,
  mux,
  node,
  pack,
  reg,
  stage,
  uint,
  unpack,
  when,
  widthOf,
  wire,
} from "../../../../../../hdl-dsl/index.ts";

export type Manners = "right" | "late" | "twice" | "mute";
export const countsPart = {
  name: "counts",
  first: 3,
  words: 2,
  fields: { packets: 24, sum: 16 },
} as const satisfies StatePart;
/** Cycles after which one that is late answers. */
export const lateCycles = 3000;

const usualAt = 1;
interface CounterParameters {
  readonly manners: Manners;
  /** Byte of the header that gets a packet's number. */
  readonly at: number;
}
/** Counts packets at place 3, and again at place 4 with a sum of their first bytes; a packet gets its number. */
const Counter = module(
  "CounterTask",
  stateTaskPorts as (p: CounterParameters) => ReturnType<typeof stateTaskPorts>,
  (io, { manners, at }) => {
    const Counts = stateWord(countsPart),
      inside = stage(io.packet, "forward", { name: "inside" }),
      first = reg(Counts, { init: 0, name: "first_counts" }),
      second = reg(Counts, { init: 0, name: "second_counts" });
    when(io.packet.fire, () => {
      first.packets.set(first.packets.add(1));
      second.packets.set(second.packets.add(3));
      second.sum.set(second.sum.add(io.packet.payload.header.bits(0, 8).zext(16)));
    });
    const number = reg(uint(8), { name: "number" });
    when(io.packet.fire, () => number.set(first.packets.trunc(8)));
    connect(
      map(inside, TaskAnswer, ({ tag }) => ({
        ...asItWas,
        tag,
        verdict: TaskVerdict.forward,
        header: number.zext(512).shl(8 * at),
        mask: 1n << BigInt(at),
      })),
      io.answer,
    );
    io.quiet.set(inside.valid.not());

    const state = askedState(io.stateAsk),
      waited = reg(uint(12), { init: 0, name: "waited", mayBeUnread: true }),
      again = reg(bit, { init: 0, name: "again", mayBeUnread: true });
    waited.set(mux(state.waits, waited.add(1), constant(0, 12)));
    const due = manners === "mute" ? constant(0, 1) : manners === "late" ? waited.eq(lateCycles) : constant(1, 1),
      serves = node(state.waits.and(due), { name: "serves" });
    state.done(serves);
    again.set(serves);
    when(serves.and(state.write), () => {
      const put = unpack(Counts, state.data.trunc(widthOf(Counts)));
      when(state.at.eq(countsPart.first), () => first.set(put));
      when(state.at.eq(countsPart.first + 1), () => second.set(put));
    });
    const asIs = wire(Counts, { name: "as_is" });
    asIs.set(mux(state.at.bit(2), second, first));
    io.stateSaid.valid.set(manners === "twice" ? serves.or(again) : serves);
    io.stateSaid.data.set(pack(asIs).zext(64));
  },
  { nameOf: ({ manners, at }) => `CounterTask_${manners}${at === usualAt ? "" : `_${at}`}` },
);
/** @param at byte of the header that gets a packet's number */
export const counter = (manners: Manners, at = usualAt): Task => ({
  declared: {
    ...{ name: `counter_${manners}`, reads: headerBytesFrom(0, 1), writes: headerBytesFrom(at, 1) },
    ...{ growth: 0, leavesOut: 0, latency: 1, interval: 1, holds: 2, state: "shared", keeps: { parts: [countsPart] } },
  },
  hardware: asTaskWithState(Counter({ manners, at })),
});
export function counterModel(): TaskModel {
  let words = [0n, 0n].map(() => ({ packets: 0n, sum: 0n }));
  return {
    answer: ({ header }) => {
      const [first, second] = words;
      if (first === undefined || second === undefined) return passOn;
      const number = Number(first.packets & 255n);
      words = [
        { ...first, packets: first.packets + 1n },
        { packets: second.packets + 3n, sum: (second.sum + BigInt(header[0] ?? 0)) & 0xffffn },
      ];
      return { verdict: "forward", writes: new Map(writesAt(1, [number])) };
    },
    words: () =>
      words.map((w, i) => ({ at: countsPart.first + i, data: packState(countsPart, w) })).filter(w => w.data !== 0n),
    put: ({ at, data }) => {
      const { packets = 0n, sum = 0n } = unpackState(countsPart, data);
      words[at - countsPart.first] = { packets, sum };
    },
  };
}
