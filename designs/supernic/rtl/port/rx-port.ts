import {
  assertAlways,
  bit,
  connect,
  input,
  instance,
  module,
  mux,
  node,
  orTree,
  output,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat, cutFields } from "../../../shared/frame/index.ts";
import { ethernetHeader } from "../../../shared/wire/index.ts";
import { pfcClasses, pfcHeader } from "../../wire/index.ts";
import {
  classBits,
  EntryWrite,
  FrameBeat,
  lengthBits,
  LinkSeen,
  PfcSeen,
  queueClasses,
  QueueHeads,
  redirectName,
  userBits,
} from "../inside/index.ts";
import { Judge, JudgedPort } from "../judge/index.ts";
import { MatchConfig, matchHeadBytes } from "../match/index.ts";
import { ClassQueues } from "./class-queues.ts";
import { fateOf, lookUp, matchOf, outcomeOf, PortTables, type RxPortParameters, tablesOf } from "./fate.ts";
import { Fate } from "./records.ts";

/** A frame for the core that has come in; `kept`: it is in its class queue. */
const OfferedFrame = struct({ valid: bit, kept: bit, user: uint(userBits), bytes: uint(lengthBits) });

/** Reasons of the judge that leave in doubt what the partner has sent. */
const doubtful = ["fcs", "short", "link"] as const;

/** The frame's head: of the first beat, which may be the last one too. */
function headOf(valid: Val<typeof bit>, first: Val<typeof bit>, data: UInt): UInt {
  const kept = reg(uint(matchHeadBytes * 8), { name: "head_kept" }),
    head = data.trunc(matchHeadBytes * 8);
  when(valid.and(first), () => kept.set(head));
  return node(mux(first, head, kept), { name: "head" });
}

/** What a PFC frame says; its form has been judged. */
function pfcOf(valid: Val<typeof bit>, head: UInt): Val<typeof PfcSeen> {
  const f = cutFields(pfcHeader, head.zext(512), ethernetHeader.bytes),
    seen = reg(PfcSeen, { init: { valid: 0 }, name: "pfc_seen" });
  const times = [f.time0, f.time1, f.time2, f.time3, f.time4, f.time5, f.time6, f.time7];
  seen.valid.set(valid);
  seen.enabled.set(f.enabled.trunc(pfcClasses));
  times.forEach((t, i) => seen.times.at(i).set(t));
  return seen;
}

/**
 * A way into the device (docs/supernic/port.md; paper §5.4): frames are judged, looked up, and put into the class
 * queues. `rx` never waits. `seen` tells the link of each frame when its outcome is known, and `accept` in the same
 * cycle whether it counts. Latency: 11 cycles from a frame's last beat to its head. Initiation interval: a beat
 * a cycle, a frame a cycle. Full: a frame without room is dropped, or by the link sent again. Reset: nothing is
 * inside; tables stay. `fate` has one for each frame that came.
 */
export const RxPort = module(
  "RxPort",
  (p: RxPortParameters) => ({
    rx: sink(AxisBeat(64)),
    judged: input(JudgedPort),
    config: input(MatchConfig(p)),
    tables: input(PortTables(p)),
    users: input(EntryWrite("user")),
    seen: output(LinkSeen),
    accept: input(bit),
    pfc: output(PfcSeen),
    heads: output(QueueHeads(p)),
    takeMerge: sink(uint(classBits)),
    takeSwitch: sink(uint(classBits)),
    toMerge: source(FrameBeat),
    toSwitch: source(FrameBeat),
    full: output(uint(queueClasses)),
    fate: output(struct({ valid: bit, fate: Fate })),
    /** A cycle behind its outcome. A frame that its link will send again is left out. */
    offered: output(OfferedFrame),
    /** Frames that have been judged and wait for their outcome, and frames in the queues. */
    waiting: output(uint(Math.log2(p.beats) + 1)),
    free: output(uint(Math.log2(p.beats) + 1)),
  }),
  (io, p) => {
    const judge = instance("judge", Judge({ frameBytes: p.frameBytes })),
      match = matchOf(p),
      queues = instance("queues", ClassQueues(p));
    connect(io.rx, judge.rx);
    judge.config.set(io.judged);
    tablesOf(match, io.config, io.tables);
    assertAlways(io.rx.valid.not().or(io.rx.ready), "a port takes every beat");

    // Its beats into the buffer, and at its end what it is.
    const { valid, payload: beat } = judge.frame,
      ends = node(valid.and(beat.last), { name: "ends" }),
      head = headOf(valid, beat.first, beat.data);
    judge.frame.ready.set(1);
    queues.beat.set({ valid, data: beat.data, first: beat.first, last: beat.last });
    const besides = lookUp(match, { ends, head, refused: beat.refused, verdict: beat.verdict });
    io.pfc.set(pfcOf(ends.and(beat.verdict.kind.is("pfc")).andNot(beat.refused), head));

    const { there, known, verdict, frameClass, wants } = outcomeOf(p, match, besides, {
      users: io.users,
      isPeer: io.judged.peer,
    });
    queues.decided.set({
      valid: there,
      class: frameClass,
      facts: {
        outcome: known.outcome,
        ports: known.ports,
        peer: known.peer,
        uid: known.uid,
        dag: known.dag,
        user: known.user,
        unordered: known.unordered,
        length: verdict.length,
        noL4: verdict.noL4,
        flowHash: verdict.flowHash,
        tagged: verdict.tagged,
        tag: verdict.tag,
        shimmed: verdict.shimmed,
        ttl: verdict.snic.ttl,
      },
    });
    const doubt = node(orTree(doubtful.map(name => verdict.reason.eq(name))), { name: "doubt" });
    io.seen.set({
      valid: there,
      good: doubt.not(),
      kind: verdict.kind,
      linked: verdict.linked,
      sequence: verdict.link.sequence,
      ack: verdict.link.ack,
      nack: verdict.link.nack,
      wantsRoom: wants,
      room: queues.room,
    });
    const keep = node(wants.and(io.accept).and(queues.room), { name: "keep" });
    queues.keep.set(keep);

    const { room } = queues;
    io.fate.set(fateOf({ valid: there, verdict, outcome: known, wants, room, accept: io.accept, class: frameClass }));

    const offered = reg(OfferedFrame, { init: { valid: 0 }, name: "offered_q" });
    offered.set({
      valid: there.and(known.outcome.is("core")).and(keep.or(verdict.linked.not())),
      kept: keep,
      user: known.user,
      bytes: verdict.length,
    });
    io.offered.set(offered);

    for (let c = 0; c < queueClasses; c++) io.heads.at(c).set(queues.heads.at(c));
    connect(io.takeMerge, queues.takeMerge);
    connect(io.takeSwitch, queues.takeSwitch);
    connect(queues.toMerge, io.toMerge);
    connect(queues.toSwitch, io.toSwitch);
    io.full.set(queues.full);
    io.waiting.set(queues.waiting);
    io.free.set(queues.free);
  },
  {
    nameOf: p =>
      `RxPort_p${p.ports}_r${p.rules}_m${p.macs}_u${p.users}_b${p.beats}_s${p.softwareBeats}_x${p.pauseAt}_o${p.resumeAt}_f${p.frameBytes}${redirectName(p)}`,
  },
);
