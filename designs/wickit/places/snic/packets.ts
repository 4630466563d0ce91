/** The steps of a packet through the task, one packet after the other. */
import {
  bit,
  cat,
  connect,
  fsm,
  type FsmControl,
  linearMap,
  mux,
  node,
  reg,
  scope,
  stage,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { frameOffsets, statusBits } from "../../../clio/wire/index.ts";
import { type AxisBeat } from "../../../shared/frame/index.ts";
import { asItWas, type PayloadBeat, type TaskAnswer, TaskPacket, TaskVerdict } from "../../../supernic/rtl/index.ts";
import type { WicRequest, Word } from "../../rtl/index.ts";
import { slotHash } from "../../wire/index.ts";
import { classify, headersOf } from "./classify.ts";
import type { Configuration } from "./configuration.ts";
import { Asked, slotBitsOf, type SnicWicParameters } from "./records.ts";
import type { Slots } from "./slots.ts";

/** First byte of a request's program number. The packet's header ends within the same word, six bytes later. */
const programAt = frameOffsets.body;
/** A request that is answered at once, and how. */
export const Refusal = struct({ asked: Asked, status: uint(4) });
const beatBytes = 64;

interface Ends {
  readonly packet: StreamIn<typeof TaskPacket>;
  readonly answer: StreamOut<typeof TaskAnswer>;
  readonly payload: StreamIn<typeof PayloadBeat>;
  readonly request: StreamOut<typeof WicRequest>;
  readonly requestData: StreamOut<typeof Word>;
  /** Frames of the node, for the engine's client. */
  readonly rx: StreamOut<ReturnType<typeof AxisBeat>>;
}

const flag = (name: string) => reg(bit, { init: 0, name });
const names = [
  "Idle",
  "Class",
  "Sort",
  "Args",
  "Tail",
  "Look",
  "Decide",
  "Again",
  "Hand",
  "Words",
  "Refuse",
  "Head",
  "Body",
  "Answer",
] as const;

/** What is kept of the packet at hand. */
function packetState(p: SnicWicParameters, config: Configuration) {
  const who = reg(TaskPacket, { name: "who" }),
    is = classify(who, config),
    { ethernet, ip, udp, clio } = headersOf(who);
  const asker = {
    ip: ip.src.is(32),
    port: udp.srcPort.is(16),
    operation: mux(clio.flagRetry, clio.retryOf, clio.requestId).is(32),
  };
  const asked = {
    mac: ethernet.src.is(48),
    to: ethernet.dst.is(48),
    ip: ip.src.is(32),
    port: udp.srcPort.is(16),
    tag: clio.tag,
    flagRoute: clio.flagRoute,
    flagRepl: clio.flagRepl,
    flagTracked: clio.flagTracked,
    flagRetry: clio.flagRetry,
    seqId: clio.seqId,
    requestId: clio.requestId.is(32),
    retryOf: clio.retryOf.is(32),
    ingress: who.ingress.resize(4),
  };
  return {
    who,
    is,
    asker,
    asked,
    request: flag("is_request"),
    reply: flag("is_reply"),
    fits: flag("fits"),
    words: reg(uint(4), { name: "argument_words" }),
    at: reg(uint(slotBitsOf(p)), { name: "slot" }),
    args: reg(uint(512), { name: "arguments" }),
    program: reg(uint(16), { name: "program" }),
    same: flag("same_asker"),
  };
}

/** All that the steps of one packet see and set. */
function walkOf(life: UInt, s: ReturnType<typeof packetState>, slots: Slots, io: Ends) {
  const { at } = s;
  const draining = flag("drains"),
    answered = flag("is_answered"),
    drops = flag("drops"),
    some = flag("has_payload"),
    index = reg(uint(4), { name: "given_words" }),
    refuses = reg(uint(4), { name: "refuses_with" });
  const held = slots.askers.readSync(at, { name: "known_asker" }),
    now = slots.is(at),
    // What they were in `Look`. A slot that ends or leaves since has a reply that leaves: with the number of before.
    state = {
      running: flag("slot_runs"),
      done: flag("slot_is_done"),
      queued: flag("slot_waits"),
      loads: flag("slot_is_read"),
    };
  const mine = node(s.same.and(state.running.or(state.done)), { name: "is_known" }),
    kept = node(state.done.and(life.any()), { name: "is_kept" }),
    taken = node(state.running.or(state.queued).or(state.loads).or(kept), { name: "is_taken" });
  return {
    ...{ io, s, slots, draining, answered, drops, some, index, refuses, state, held, now, mine, taken },
    rx: stream(io.rx.shape, { name: "from_node" }),
  };
}
type Walk = ReturnType<typeof walkOf>;
type Go = FsmControl<(typeof names)[number]>;

/** What a packet is, and the words of a request. */
function arriving(go: Go, { s, io, draining, answered, drops, some, index, refuses }: Walk) {
  const { who, at, args, words } = s;
  const { data, last } = io.payload.payload;
  return {
    Idle: () => {
      for (const r of [draining, answered, drops]) r.set(0);
      index.set(0);
      some.set(io.packet.payload.payloadBytes.any());
      who.set(io.packet.payload);
      when(io.packet.valid, () => go.go("Class"));
    },
    Class: () => {
      s.request.set(s.is.request);
      s.reply.set(s.is.reply);
      s.fits.set(s.is.fits);
      words.set(s.is.words.is(4));
      s.program.set(who.header.bits(8 * programAt, 16).is(16));
      const { ip, port, operation } = s.asker;
      const bits = at.width;
      at.set(linearMap(cat(operation.trunc(bits), port, ip), bits, slotHash(bits)).is(bits));
      go.go("Sort");
    },
    Sort: () => {
      drops.set(s.request.or(s.reply));
      refuses.set(statusBits.MALFORMED);
      when(s.request.and(s.fits), () => go.go("Args"))
        .elseWhen(s.reply, () => go.go("Head"))
        .otherwise(() => {
          draining.set(some);
          go.go("Answer");
          when(s.request, () => go.go("Refuse"));
        });
    },
    // Two bytes of the head are the first beat's, and two of the eighth word are the second's.
    Args: () => {
      args.set(data.shr(16));
      s.same.set(0);
      when(io.payload.valid, () => {
        go.go("Look");
        when(last.not(), () => go.go("Tail"));
      });
    },
    Tail: () => {
      args.setBits(496, data.bits(0, 16));
      when(io.payload.valid, () => {
        draining.set(last.not());
        go.go("Look");
      });
    },
  };
}
/** Whether a request is known, takes a slot, or is refused; it goes to the engine word by word. */
function deciding(go: Go, { s, io, index, refuses, state, held, now, mine, taken, slots }: Walk) {
  const { at, args, words } = s;
  return {
    Look: () => {
      state.running.set(now.running);
      state.done.set(now.done);
      state.queued.set(now.queued);
      state.loads.set(slots.loads(at));
      const { ip, port, operation } = s.asker;
      s.same.set(held.ip.eq(ip).and(held.port.eq(port)).and(held.operation.eq(operation)));
      go.go("Decide");
    },
    Decide: () => {
      refuses.set(statusBits.BUSY);
      when(mine, () => {
        go.go("Answer");
        when(state.done.andNot(state.queued), () => go.go("Again"));
      })
        .elseWhen(taken.or(slots.full), () => go.go("Refuse"))
        .otherwise(() => go.go("Hand"));
    },
    Again: () => when(slots.again.ready, () => go.go("Answer")),
    Hand: () => {
      when(io.request.ready, () => {
        go.go("Words");
        when(words.eq(0), () => go.go("Answer"));
      });
    },
    Words: () => {
      when(io.requestData.ready, () => {
        args.set(args.shr(64));
        index.set(index.add(1));
        when(index.add(1).eq(words), () => go.go("Answer"));
      });
    },
  };
}
/** A refusal, a frame of the node on its way to the client, and the answer to the packet. */
function leaving(go: Go, { io, draining, answered, some, rx }: Walk) {
  const { last } = io.payload.payload;
  return {
    // Whoever comes while another refusal waits is not told: it asks again when its time is over.
    Refuse: () => go.go("Answer"),
    Head: () => {
      when(rx.ready, () => {
        go.go("Answer");
        when(some, () => go.go("Body"));
      });
    },
    Body: () => when(io.payload.fire.and(last), () => go.go("Answer")),
    Answer: () => {
      when(io.answer.ready, () => answered.set(1));
      when(answered.or(io.answer.ready).and(draining.not().or(io.payload.fire.and(last))), () => go.go("Idle"));
    },
  };
}

/**
 * Takes packets and answers each: what is not for the task goes on, what is for it is dropped, since its reply is a
 * frame of its own. A request takes a slot and goes to the engine; one that repeats a request which runs gives it its
 * numbers; one that repeats a request which has ended asks for its reply again. BUSY: no context, or no slot. No step
 * waits for frames that leave, so neither do packets.
 */
export function takePackets(p: SnicWicParameters, config: Configuration, slots: Slots, io: Ends) {
  return scope("packets", () => {
    const s = packetState(p, config),
      { who, at, args, words } = s;
    const walk = walkOf(config.life, s, slots, io),
      { draining, answered, drops, some, refuses, mine, taken, rx } = walk,
      refusal = stream(Refusal, { name: "refusal" }),
      { data, last } = io.payload.payload;

    const phase = fsm(names, "Idle", go => ({ ...arriving(go, walk), ...deciding(go, walk), ...leaving(go, walk) }));
    const decides = phase.is("Decide"),
      takes = node(decides.andNot(mine).andNot(taken).andNot(slots.full), { name: "takes" }),
      renames = node(decides.and(mine), { name: "renames" });
    io.packet.ready.set(phase.is("Idle"));
    const answers = node(phase.is("Answer").andNot(answered), { name: "answers" });
    io.answer.valid.set(answers);
    io.answer.payload.set({ ...asItWas, tag: who.tag, verdict: mux(drops, TaskVerdict.drop, TaskVerdict.forward) });

    const inBody = phase.is("Body"),
      takesBeat = node(phase.is("Args").or(phase.is("Tail")), { name: "takes_beat" });
    io.payload.ready.set(takesBeat.or(draining).or(inBody.and(rx.ready)));
    when(draining.and(io.payload.fire).and(last), () => draining.set(0));
    rx.valid.set(phase.is("Head").or(inBody.and(io.payload.valid)));
    rx.payload.set({
      data: mux(inBody, data, who.header),
      keep: (1n << BigInt(beatBytes)) - 1n,
      last: mux(inBody, last, some.not()),
      user: 0,
    });

    io.request.valid.set(phase.is("Hand"));
    io.request.payload.set({ tag: at.resize(8), program: s.program, words });
    io.requestData.valid.set(phase.is("Words"));
    io.requestData.payload.set(args.bits(0, 64).is(64));

    connect(stage(rx, "full", { name: "to_client" }), io.rx);

    slots.askers.write(takes, at, s.asker);
    slots.askeds.write(takes.or(renames), at, s.asked);
    slots.again.valid.set(phase.is("Again"));
    slots.again.payload.set(at);
    refusal.valid.set(phase.is("Refuse"));
    refusal.payload.set({ asked: s.asked, status: refuses });
    return { takes, at, refusal, idle: phase.is("Idle") };
  });
}
