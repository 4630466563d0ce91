/** Frames of DAGs that have a ring, out of their class queues. Page: docs/supernic/spill.md. */
import {
  assertAlways,
  bit,
  type Bit,
  cat,
  constant,
  encodeOnehot,
  enumOf,
  fifo,
  fifoWithLevel,
  fromBits,
  mux,
  node,
  onehotMux,
  orTree,
  pack,
  reg,
  stream,
  type StreamIn,
  struct,
  toBits,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { inlets } from "../inside/index.ts";
import { chooseHead, placesOf, takesFromOf } from "./heads.ts";
import type { SpillIo } from "./ports.ts";
import {
  frameBeatBits,
  frameBeats,
  inletBits,
  keptBeats,
  sequenceBits,
  type SpillParameters,
  SpillRecord,
} from "./records.ts";
import { ofRing, type Ring } from "./rings.ts";
import { type AtInlet, beatsAt, takesAt } from "./ways.ts";

/** Idle; its facts are noted; they are looked at; the frame is asked for; its beats come. */
const DivertState = enumOf("DivertState", ["idle", "notes", "looks", "asks", "streams"]);
/** A record that waits for the memory. */
export const Waits = (p: SpillParameters) => struct({ ring: uint(p.rings), beats: uint(frameBeatBits(p) + 1) });

export interface Diverted {
  readonly beats: StreamIn<ReturnType<typeof uint>>;
  /** One more of them is here. */
  readonly comes: Bit;
  readonly records: StreamIn<ReturnType<typeof Waits>>;
  /** A frame has been taken for this ring, in this cycle. */
  readonly taken: UInt;
  /** The ring for which one is being taken. */
  readonly busy: UInt;
  /** A head waits for room in a ring. */
  readonly waits: Bit;
  /** By inlet: a frame goes from its class queue to the merge. */
  readonly toMerge: readonly Bit[];
  /** By inlet: this beat is the merge's. */
  readonly beatIsMerges: readonly Bit[];
}

interface Kept {
  /** A frame is taken: its facts and ring; then its beats come. */
  readonly fire: Bit;
  readonly facts: Val<ReturnType<typeof SpillRecord>>;
  readonly ring: UInt;
  readonly rings: readonly Ring[];
  readonly come: Bit;
  readonly data: UInt;
}
/** Records on their way to the memory: facts first, then the beats of the frame. */
function keep(p: SpillParameters, { fire, facts, ring, rings, come, data }: Kept) {
  const into = stream(uint(512), { name: "into_ring" }),
    records = stream(Waits(p), { name: "records" });
  into.valid.set(fire.or(come));
  into.payload.set(
    mux(
      fire,
      cat(
        pack(facts).shr(sequenceBits(p)),
        ofRing(ring, rings, r => r.next),
      ).zext(512),
      data,
    ).is(512),
  );
  records.valid.set(fire);
  records.payload.set({ ring, beats: facts.beats.zext(frameBeatBits(p) + 1).add(1) });
  const { out, level } = fifoWithLevel(into, keptBeats(p), { name: "ring_beats", style: "block" });
  const roomy = reg(bit, { init: 0, name: "divert_roomy" });
  roomy.set(level.le(keptBeats(p) - frameBeats(p) - 2));
  assertAlways(into.valid.not().or(into.ready), "what is taken for a ring has room");
  assertAlways(records.valid.not().or(records.ready), "a record that is taken has room");
  return {
    beats: out,
    comes: into.valid,
    records: fifo(records, keptBeats(p) / 2, { name: "ring_records", style: "distributed" }),
    roomy,
  };
}

/**
 * One frame at a time goes from its class queue to the beats that wait for the memory. It is asked for when these have
 * room for all of it, so it never holds up its inlet.
 */
export function divert(
  io: SpillIo,
  p: SpillParameters,
  rings: readonly Ring[],
  closing: UInt,
  at: readonly AtInlet[],
): Diverted {
  const Record = SpillRecord(p),
    places = placesOf(io, p),
    all = places.length;
  const state = reg(DivertState, { init: "idle", name: "divert_state" }),
    head = reg(uint(all), { init: 0, name: "diverts" }),
    inlet = reg(uint(inlets(p)), { init: 0, name: "divert_inlet" }),
    classOf = reg(uint(2), { init: 0, name: "divert_class" }),
    ring = reg(uint(p.rings), { init: 0, name: "divert_ring" }),
    facts = reg(Record, { name: "divert_facts" }),
    isFit = reg(bit, { init: 0, name: "divert_fits" });
  const takesFrom = takesFromOf(p, rings, closing),
    idle = node(state.is("idle"), { name: "divert_is_idle" }),
    { chosen, any, waits, groups, numbers } = chooseHead(p, places, rings, takesFrom, idle);
  const { starts, fire, mayGo } = takesAt(io, p, at, { asks: state.is("asks"), inlet, class: classOf }),
    { come, beat, toMerge, beatIsMerges } = beatsAt(io, p, starts);
  const { beats, comes, records, roomy } = keep(p, { fire, facts, ring, rings, come, data: beat.data });

  when(idle, () => {
    head.set(fromBits(chosen).is(all));
    inlet.set(fromBits(groups).is(inlets(p)));
    classOf.set(onehotMux(groups, numbers).is(2));
    when(any, () => state.set("notes"));
  });
  // A head that is closed goes only by a take that the merge had chosen before: then it is another one now.
  const picks = toBits(head),
    ours = orTree(places.map(({ h, isClosed }) => isClosed.and(picks[h] as Bit))),
    own = onehotMux(
      picks,
      places.map(q => q.head.facts),
    );
  when(state.is("notes"), () => {
    isFit.set(ours.andNot(mayGo));
    facts.set({
      sequence: 0,
      beats: 0,
      inlet: encodeOnehot(inlet).resize(inletBits(p)),
      class: classOf,
      uid: own.uid,
      dag: own.dag,
      user: own.user,
      unordered: own.unordered,
      length: own.length,
      noL4: own.noL4,
      flowHash: own.flowHash,
      tagged: own.tagged,
      tag: own.tag,
      shimmed: own.shimmed,
      ttl: own.ttl,
    });
    state.set("looks");
  });
  const matches = fromBits(
    rings.map((r, j) =>
      node(takesFrom.bit(j).and(r.held).andNot(r.discards).and(r.dag.eq(facts.dag)), { name: `takes_into_${j}` }),
    ),
  ).is(p.rings);
  when(state.is("looks"), () => {
    ring.set(matches);
    facts.beats.set(facts.length.add(63).shr(6).resize(frameBeatBits(p)));
    when(isFit.and(matches.any()).andNot(mayGo).and(roomy), () => state.set("asks")).otherwise(() => state.set("idle"));
  });
  when(fire, () => state.set("streams"));
  when(come.and(beat.last), () => state.set("idle"));
  const taken = node(mux(fire, ring, constant(0, p.rings)).is(p.rings), { name: "ring_takes" });
  rings.forEach((r, j) => when(taken.bit(j), () => r.next.set(r.next.add(1))));

  return {
    beats,
    comes,
    records,
    taken,
    busy: node(mux(state.is("asks").or(state.is("streams")), ring, constant(0, p.rings)).is(p.rings), {
      name: "divert_busy",
    }),
    waits,
    toMerge,
    beatIsMerges,
  };
}
