import {
  type Bit,
  bit,
  cat,
  firstSet,
  fsm,
  type FsmControl,
  mergePorts,
  module,
  mux,
  node,
  reg,
  type UInt,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";
import {
  asItWas,
  asMakingTask,
  makePorts,
  readingTaskPorts,
  type Task,
  TaskVerdict,
} from "../../supernic/rtl/index.ts";
import { headerBytesFrom, taskHeaderBytes } from "../../supernic/wire/index.ts";
import { taskNodes } from "../wire/index.ts";
import { answering } from "./answers.ts";
import { areaOf, arriving, askedOf, judging, taking } from "./areas.ts";
import { configurationOf } from "./configuration.ts";
import { makeFrames } from "./frames.ts";
import { phaseSteps } from "./phases.ts";
import { areaBits, beatBits, type CommitTaskParameters, Job, Phase } from "./records.ts";
import { asks, type Ends, type State, type StateName, stateNames, stateOf } from "./state.ts";
import { messageOf, replyOf, steps, walking } from "./steps.ts";

export const commitTaskPorts = () => mergePorts(readingTaskPorts(), makePorts());

/** Nothing is at hand: a packet and a step of the task's own take turns. */
function choosing(s: State, io: Ends, room: Bit) {
  const packetWasLast = reg(bit, { init: 0, name: "packet_was_last" }),
    { walk } = s;
  const visits = firstSet(s.visits.now),
    tells = firstSet(s.tells.now),
    walks = firstSet(s.walks.now),
    isLost: Bit = node(s.config.lost.and(s.config.seeing.not()).any(), { name: "some_are_lost" }),
    mayTell = node(tells.any.and(room), { name: "may_tell" }),
    mayWalk = node(walk.on.and(room), { name: "may_walk" }),
    mayBegin = node(walks.any.andNot(walk.on), { name: "may_begin_walk" }),
    work = node(isLost.or(visits.any).or(mayTell).or(mayWalk).or(mayBegin), { name: "has_work" }),
    takes = node(io.packet.valid.and(work.not().or(packetWasLast.not())), { name: "takes_packet" });
  const idle = (go: FsmControl<StateName>): void => {
    for (const r of [s.answered, s.drops, s.draining, s.hasPacket, s.losing]) r.set(0);
    packetWasLast.set(takes);
    when(takes, () => {
      s.hasPacket.set(1);
      s.some.set(io.packet.payload.payloadBytes.any());
      s.who.set(io.packet.payload);
      go.go("Class");
    })
      .elseWhen(isLost, () => go.go("Lost"))
      .elseWhen(visits.any, () => {
        const at = visits.index.is(s.c.width);
        s.c.set(at);
        s.visits.clear(s.one(at));
        go.go("Visit");
      })
      .elseWhen(mayTell, () => {
        const at = tells.index.is(s.c.width);
        s.c.set(at);
        s.tells.clear(s.one(at));
        go.go("Tell");
      })
      .elseWhen(mayWalk, () => {
        s.c.set(walk.at);
        s.i.set(walk.row);
        go.go("Row");
      })
      .elseWhen(mayBegin, () => {
        const at = walks.index.is(s.c.width);
        walk.on.set(1);
        walk.at.set(at);
        walk.row.set(0);
        walk.loaded.set(0);
        s.walks.clear(s.one(at));
      });
  };
  return { idle, takes };
}

/** The commit goes back to its memory, and the packet is answered when all of it is here. */
function ending(go: FsmControl<StateName>, s: State, io: Ends) {
  return {
    Store: () => {
      const one = s.one(s.c),
        put = (flags: typeof s.asking, on: Bit): void =>
          when(on, () => flags.set(one)).otherwise(() => flags.clear(one));
      const { phase } = s.k,
        isAsking = asks(phase);
      put(s.asking, isAsking);
      put(s.waiting, phase.eq(Phase.wait));
      put(s.keeping, phase.eq(Phase.gather).or(phase.eq(Phase.done)));
      go.go("Idle");
      when(s.hasPacket, () => go.go("Answer"));
      when(s.losing, () => {
        s.c.set(s.c.add(1));
        when(s.c.all().not(), () => go.go("LostOne"));
      });
    },
    Answer: () => {
      const { ready } = io.answer,
        ends = io.payload.valid.and(io.payload.payload.last);
      when(ready, () => s.answered.set(1));
      when(s.answered.or(ready).and(s.draining.not().or(ends)), () => go.go("Idle"));
    },
  };
}

/**
 * Commits of clients, coordinated by a network task of the SmartNIC (Hotpot, section 2.6.2; docs/hotpot.md). Areas come
 * as packets; messages to the nodes are frames of its own, repeated until they are answered.
 *
 * One thing at a time: a packet, or a step of a commit; they take turns. Latency of a packet that is not for the task 3
 * cycles, and a step of 40 before it at most. Full: no context is free, and the client's area is answered BUSY. Frames
 * that cannot leave hold up nothing but frames. Reset: no commit and nothing configured.
 */
export const CommitTask = module(
  "CommitTask",
  (_: CommitTaskParameters) => commitTaskPorts(),
  (io, p) => {
    const config = configurationOf(io.config),
      s = stateOf(p, config),
      a = areaOf(s),
      { c, k } = s;
    const frames = makeFrames(config, io.make, (context, area, at) =>
      s.data.readSync(cat(context.trunc(c.width), area, at.trunc(beatBits)), { name: "sent_beat" }),
    );
    const ends = { packet: io.packet, answer: io.answer, payload: io.payload };
    const chosen = choosing(s, ends, frames.room);
    const state = fsm(
      stateNames,
      "Idle",
      go => ({
        Idle: () => {
          chosen.idle(go);
        },
        ...arriving(go, s, a, ends),
        ...judging(go, s, a),
        ...taking(go, s, a, ends),
        ...answering(go, s, a),
        ...phaseSteps(go, s),
        ...walking(go, s),
        ...steps(go, s),
        ...ending(go, s, ends),
      }),
      { name: "state" },
    );
    io.packet.ready.set(state.is("Idle").and(chosen.takes));
    io.answer.valid.set(state.is("Answer").andNot(s.answered));
    io.answer.payload.set({ ...asItWas, tag: s.who.tag, verdict: mux(s.drops, TaskVerdict.drop, TaskVerdict.forward) });
    const inBody = state.is("Body");
    io.payload.ready.set(state.is("Head").or(inBody).or(s.draining));
    when(s.draining.and(io.payload.valid).and(io.payload.payload.last), () => s.draining.set(0));

    // Memories.
    const { head, beat } = a,
      area = head.area.trunc(areaBits),
      took = state.is("Take");
    s.contexts.write(state.is("Store"), c, k);
    s.askeds.write(s.renames, c, askedOf(s));
    s.areas.write(took, s.areaAt(c, area), {
      owner: head.owner.trunc(4),
      replicas: head.replicas.is(16),
      lines: head.length.shr(6).trunc(5),
    });
    s.data.write(
      node(took.or(inBody.and(io.payload.valid)), { name: "keeps_beat" }),
      cat(c, area, a.index),
      mux(took, beat, io.payload.payload.data),
    );
    s.parts.write(
      state.is("Count"),
      s.areaAt(c, s.i.trunc(areaBits)),
      s.counts
        .readAsync(s.rowAt(c, s.areas.readAsync(s.areaAt(c, s.i.trunc(areaBits))).owner))
        .areas.trunc(areaBits)
        .is(areaBits),
    );
    s.rows.write(s.rowPort.en, s.rowPort.at, s.rowPort.data.is(taskNodes));
    s.counts.write(s.countPort.en, s.countPort.at, {
      areas: s.countPort.data.bits(0, 4).is(4),
      replicas: s.countPort.data.bits(4, 16).is(16),
    });

    // What time sets.
    const { timeout, backoff, life } = s.times,
      on = (en: Bit, mask: UInt) => mux(en, mask, 0).is(p.contexts),
      walksNow = on(s.walk.on, s.one(s.walk.at));
    s.aged.step(on(timeout, s.asking.now));
    s.walks.step(on(timeout, s.aged.now.and(s.asking.now).and(walksNow.not()).is(p.contexts)));
    s.visits.step(on(backoff, s.waiting.now).or(on(life, s.keeping.now)).is(p.contexts));
    for (const f of [s.tells, s.live, s.numbered, s.asking, s.waiting, s.keeping]) f.step();

    const refuses = state.is("Refuse"),
      message = wire(Job, { name: "message" }),
      reply = wire(Job, { name: "reply" });
    message.set(messageOf(s));
    reply.set(replyOf(s, a, refuses));
    frames.take(
      node(state.is("Make").or(state.is("Told")).or(refuses.and(frames.room)), { name: "makes_frame" }),
      mux(state.is("Make"), message, reply),
    );
    io.quiet.set(
      node(state.is("Idle").and(frames.room).andNot(s.asking.now.or(s.waiting.now).or(s.tells.now).any()), {
        name: "nothing_inside",
      }),
    );
  },
  { nameOf: p => `CommitTask_n${p.contexts}` },
);

/** The task, for a chain of a device. @throws RangeError for contexts that are not 2, 4, 8 or 16 */
export function commitTask(p: CommitTaskParameters): Task {
  if (![2, 4, 8, 16].includes(p.contexts)) throw new RangeError(`${p.contexts} contexts: give 2, 4, 8 or 16`);
  return {
    declared: {
      name: "commit",
      ...{ payload: "read", makes: true, reads: headerBytesFrom(0, taskHeaderBytes), writes: 0n },
      ...{ growth: 0, leavesOut: 0, latency: 160, interval: 161, holds: 2, state: "shared" },
    },
    // It declares which ports it has.
    hardware: asMakingTask(CommitTask(p)),
  };
}
