/** How packets move through the stages of replication, and when the table is looked at for its age. */
import { type Bit, bit, node, orTree, reg, type StreamIn, when } from "../../../../../hdl-dsl/index.ts";
import type { TaskPacket } from "../interface.ts";
import type { Time } from "./time.ts";

interface Behind {
  /** Both of what a decision goes to have room. */
  readonly room: Bit;
  /** What is in the last two stages is looked up in the table. */
  readonly isLookedUp: Bit;
  readonly isDecided: Bit;
  /** The last stage has a set that is looked at for its age. */
  readonly ages: Bit;
}
export const stageNames = ["a", "b", "c", "t", "d"] as const;
/** A bit for each stage: a packet is in it. Stage d is the last one. */
export const stagesOf = () => {
  const stage = (name: (typeof stageNames)[number]) => reg(bit, { init: 0, name: `valid_${name}` });
  return { a: stage("a"), b: stage("b"), c: stage("c"), t: stage("t"), d: stage("d") };
};
/**
 * The last stage changes what the one before it reads. So a packet that is looked up waits while another one is
 * decided, and so does a look at ages, which takes the place of a packet.
 */
export function movesOf(
  s: ReturnType<typeof stagesOf>,
  packet: StreamIn<typeof TaskPacket>,
  time: Time,
  { room, isLookedUp, isDecided, ages }: Behind,
) {
  const changes = node(s.d.and(isDecided).or(ages), { name: "table_changes" }),
    late = node(s.d.not().or(room), { name: "late_moves" }),
    looksAtAge = node(time.due.and(late).andNot(changes.or(time.sweeping)), { name: "looks_at_age" }),
    waits = node(s.t.and(isLookedUp).and(changes), { name: "look_up_waits" }),
    // While a look is due, the table's address is its own.
    early = node(late.andNot(time.due.or(waits)), { name: "early_moves" });
  packet.ready.set(early.andNot(time.sweeping));
  when(looksAtAge, () => time.looks());
  when(late, () => s.d.set(s.t.and(early)));
  when(early, () => {
    s.t.set(s.c);
    s.c.set(s.b);
    s.b.set(s.a);
    s.a.set(packet.valid.andNot(time.sweeping));
  });
  return { early, late, looksAtAge, inside: orTree([s.a, s.b, s.c, s.t, s.d]) };
}
