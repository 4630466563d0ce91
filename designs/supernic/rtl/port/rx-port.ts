import {
  addressBits,
  assertAlways,
  bit,
  connect,
  constant,
  fifo,
  input,
  instance,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  priority,
  ram,
  reg,
  sink,
  source,
  stream,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat, cutFields } from "../../../shared/frame/index.ts";
import { ethernetHeader } from "../../../shared/wire/index.ts";
import { pfcClasses, pfcHeader, refusals, ruleKeyBits } from "../../wire/index.ts";
import {
  classBits,
  EntryWrite,
  FrameBeat,
  lengthBits,
  LinkSeen,
  ownEntry,
  peerUserClasses,
  PfcSeen,
  queueClasses,
  QueueHeads,
  redirectName,
  returnClass,
  softwareClass,
  switchedClass,
  userBits,
} from "../inside/index.ts";
import { Judge, JudgedPort, Verdict } from "../judge/index.ts";
import {
  Action,
  MacEntry,
  Match,
  MatchConfig,
  matchHeadBytes,
  type MatchParameters,
  Outcome,
  TernaryWrite,
  UidEntry,
  uidIndexBits,
} from "../match/index.ts";
import { ClassQueues } from "./class-queues.ts";
import { Fate, type FateName, judgedFrames, type QueueParameters } from "./records.ts";

export interface RxPortParameters extends QueueParameters, MatchParameters {
  readonly users: number;
}
const macBits = 48;

/** What each port has of the tables. */
export const PortTables = (p: MatchParameters) =>
  struct({
    rules: TernaryWrite(p.rules, ruleKeyBits),
    actions: struct({ en: bit, index: uint(Math.log2(p.rules)), value: Action }),
    macs: TernaryWrite(p.macs, macBits),
    entries: struct({ en: bit, index: uint(Math.log2(p.macs)), value: MacEntry }),
    uids: struct({ en: bit, index: uint(uidIndexBits), value: UidEntry }),
  });

/** A frame for the core that has come in; `kept`: it is in its class queue. */
const OfferedFrame = struct({ valid: bit, kept: bit, user: uint(userBits), bytes: uint(lengthBits) });

/** Reasons of the judge that leave in doubt what the partner has sent. */
const doubtful = ["fcs", "short", "link"] as const;

/** What of a verdict is asked for when the frame's outcome is there. */
const Beside = Verdict;
type Facts = Val<typeof Verdict>;

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
 * The class queue of a frame. What is only switched, and comes from a peer, is a result that returns, or a message for
 * the software of the next peer.
 */
const classOf = (
  o: Val<ReturnType<typeof Outcome>>,
  userClass: UInt,
  isPeer: Val<typeof bit>,
  redirectClass: number,
): UInt => {
  const most = peerUserClasses - 1,
    highest = node(isPeer.and(userClass.gt(most)), { name: "user_class_is_taken" });
  return priority(
    [o.outcome.is("software"), constant(softwareClass, classBits)],
    [o.outcome.is("core"), mux(highest, constant(most, 2), userClass).zext(classBits)],
    [o.outcome.is("ports").and(isPeer), mux(o.peer.bit(0), constant(softwareClass, classBits), returnClass)],
    [o.outcome.is("unwrap", "onward"), constant(redirectClass, classBits)],
    constant(switchedClass, classBits),
  );
};

/** What becomes of a frame, as a number of `fates`. */
function fateOf(asked: {
  readonly valid: Val<typeof bit>;
  readonly verdict: Facts;
  readonly outcome: Val<ReturnType<typeof Outcome>>;
  readonly wants: Val<typeof bit>;
  readonly room: Val<typeof bit>;
  readonly accept: Val<typeof bit>;
  readonly class: UInt;
}): { readonly valid: Val<typeof bit>; readonly fate: Val<typeof Fate> } {
  const { verdict, outcome, wants } = asked;
  const others = [
    ...refusals.map(name => [verdict.reason.eq(name), Fate[name]] as const),
    [outcome.outcome.is("link"), Fate.forLink] as const,
    ...(["stranger", "control", "rule", "uid"] as const).map(
      name => [outcome.outcome.is("drop").and(outcome.reason.is(name)), Fate[name]] as const,
    ),
  ];
  assertAlways(
    asked.valid
      .and(wants)
      .and(orTree(others.map(([is]) => is)))
      .not(),
    "a frame that is refused wants no room",
  );
  // Whether it is kept is known late: so it stands in a register, and what follows from it comes behind that.
  const q = reg(struct({ valid: bit, wants: bit, room: bit, accept: bit, class: uint(classBits), other: Fate }), {
    init: { valid: 0 },
    name: "fate_q",
  });
  q.set({
    valid: asked.valid,
    wants,
    room: asked.room,
    accept: asked.accept,
    class: asked.class,
    other: priority(...others, Fate.nowhere),
  });
  const byClass = (what: "full" | "queued") =>
    onehotMux(
      Array.from({ length: queueClasses }, (_, c) => q.class.eq(c)),
      Array.from({ length: queueClasses }, (_, c) => Fate[`${what}${c}` as FateName]),
    );
  return {
    valid: q.valid,
    fate: priority(
      [q.wants.not(), q.other],
      [q.room.not(), byClass("full")],
      [q.accept, byClass("queued")],
      Fate.unlinked,
    ),
  };
}

/** The classes of the users' frames, as software writes them. @returns a user's */
function userClasses(p: RxPortParameters, users: Val<ReturnType<typeof EntryWrite<"user">>>): (user: UInt) => UInt<2> {
  const classes = ram(uint(2), {
      depth: 2 ** addressBits(p.users),
      collision: "old",
      style: "distributed",
      init: [0],
      name: "user_classes",
    }),
    userIndex = (user: UInt): UInt => user.trunc(addressBits(p.users));
  classes.write(ownEntry(users, p.users), userIndex(users.index), users.value.class.trunc(2));
  return user => classes.readAsync(userIndex(user));
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
      match = instance("match", Match({ ports: p.ports, rules: p.rules, macs: p.macs })),
      queues = instance("queues", ClassQueues(p));
    connect(io.rx, judge.rx);
    judge.config.set(io.judged);
    match.config.set(io.config);
    match.rules.set(io.tables.rules);
    match.actions.set(io.tables.actions);
    match.macs.set(io.tables.macs);
    match.entries.set(io.tables.entries);
    match.uids.set(io.tables.uids);
    assertAlways(io.rx.valid.not().or(io.rx.ready), "a port takes every beat");

    // Its beats into the buffer, and at its end what it is.
    const { valid, payload: beat } = judge.frame,
      ends = node(valid.and(beat.last), { name: "ends" }),
      head = headOf(valid, beat.first, beat.data);
    judge.frame.ready.set(1);
    queues.beat.set({ valid, data: beat.data, first: beat.first, last: beat.last });
    match.key.valid.set(ends);
    match.key.payload.set({ head, refused: beat.refused, verdict: beat.verdict });
    assertAlways(ends.not().or(match.key.ready), "match takes a frame a cycle");
    const verdicts = stream(Beside, { name: "verdicts" });
    verdicts.valid.set(ends);
    verdicts.payload.set(beat.verdict);
    const besides = fifo(verdicts, judgedFrames, { name: "besides", style: "distributed" });
    assertAlways(ends.not().or(verdicts.ready), "there is room for each verdict beside its outcome");
    io.pfc.set(pfcOf(ends.and(beat.verdict.kind.is("pfc")).andNot(beat.refused), head));

    // Its outcome, and its class, a register behind match.
    const outcome = match.outcome.payload,
      known = reg(Outcome(p), { name: "known" }),
      verdict = reg(Verdict, { name: "verdict" }),
      there = reg(bit, { init: 0, name: "there" }),
      frameClass = reg(uint(classBits), { name: "frame_class" }),
      wants = reg(bit, { name: "wants_room" });
    match.outcome.ready.set(1);
    besides.ready.set(match.outcome.valid);
    const userClass = userClasses(p, io.users);
    there.set(match.outcome.valid);
    known.set(outcome);
    verdict.set(besides.payload);
    frameClass.set(classOf(outcome, userClass(outcome.user), io.judged.peer, p.redirectClass ?? switchedClass));
    wants.set(outcome.outcome.is("core", "ports", "software", "redirect", "unwrap", "onward"));
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
