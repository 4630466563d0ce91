import {
  bit,
  type Bit,
  constant,
  fsm,
  instance,
  match,
  mux,
  node,
  orTree,
  reg,
  scope,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  type Val,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { clioHeader, clioSize, frameOffsets, opcode, replyCode, statusBits } from "../../../clio/wire/index.ts";
import {
  type AxisBeat,
  type BodyBeat,
  cutFields,
  HeaderStrip,
  type StrippedHead,
} from "../../../shared/frame/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import { contextBits } from "../../config/index.ts";
import { mostWords } from "../../wire/index.ts";
import type { AccessKind, MemoryAnswer, Word } from "../engine/types.ts";
import { pick } from "../words/words.ts";
import { headerBytes } from "./header.ts";
import type { Slots } from "./slots.ts";
import { type ClientConfig, type ClientParameters, greetingTag } from "./types.ts";

interface Receiving {
  readonly config: Val<typeof ClientConfig>;
  readonly slots: Slots;
  readonly rx: StreamIn<ReturnType<typeof AxisBeat>>;
  readonly answer: StreamOut<ReturnType<typeof MemoryAnswer>>;
  readonly answerData: StreamOut<typeof Word>;
}

/** Words that an access brings when it is done. */
const brings = (kind: Val<typeof AccessKind>, words: UInt): UInt =>
  match(kind, {
    load: () => words,
    store: () => constant(0, 4),
    tas: () => constant(1, 4),
    cas: () => constant(1, 4),
    faa: () => constant(1, 4),
    put: () => constant(0, 4),
  });
const answersWith = (kind: Val<typeof AccessKind>): UInt => {
  const read = constant(replyCode(opcode.READ), 8),
    write = constant(replyCode(opcode.WRITE), 8);
  return match(kind, {
    load: () => read,
    store: () => write,
    tas: () => read,
    cas: () => read,
    faa: () => read,
    put: () => write,
  });
};

/** Facts of a frame, from its header. */
function factsOf(config: Val<typeof ClientConfig>, head: Val<ReturnType<typeof StrippedHead>>) {
  const ethernet = cutFields(ethernetHeader, head.header, frameOffsets.ethernet),
    ip = cutFields(ipv4Header, head.header, frameOffsets.network),
    udp = cutFields(udpHeader, head.header, frameOffsets.transport),
    clio = cutFields(clioHeader, head.header, frameOffsets.clio);
  const type = ethernet.etherType.eq(etherType.ipv4).and(ip.version.eq(4)).and(ip.ihl.eq(5)),
    ports = udp.dstPort.eq(config.port).and(udp.srcPort.eq(config.nodePort)),
    addresses = ip.src.eq(config.nodeIp).and(ip.dst.eq(config.ip));
  return {
    ours: node(type.and(ip.protocol.eq(ipProtocol.udp)).and(ports), { name: "ours" }),
    from: node(addresses.and(head.bad.not()), { name: "from_node" }),
    clio,
  };
}

/** What a frame says. */
const frameOf = () =>
  reg(
    struct({
      ours: uint(1),
      from: uint(1),
      tag: uint(8),
      opcode: uint(8),
      status: uint(4),
      id: uint(32),
      words: uint(4),
      whole: uint(1),
    }),
    { name: "frame" },
  );
type Frame = ReturnType<typeof frameOf>;
/** What is known of it: whether its context waits, for which of its requests, and whether it answers that. */
const judgedOf = () =>
  reg(struct({ waits: uint(1), known: uint(1), newest: uint(1), matches: uint(1), greets: uint(1) }), {
    name: "judged",
  });
type Judged = ReturnType<typeof judgedOf>;

/** Keeps what the header says. */
function keepFrame(frame: Frame, { clio, ours, from }: ReturnType<typeof factsOf>, length: UInt): void {
  frame.set({
    ours,
    from,
    tag: clio.tag,
    opcode: clio.opcode,
    status: clio.status,
    id: clio.requestId,
    words: length.shr(3).trunc(4),
    whole: length
      .bits(0, 3)
      .eq(0)
      .and(length.le(8 * mostWords)),
  });
}

/** Whose answer the frame is. */
function judgeFrame(p: ClientParameters, slots: Slots, frame: Frame, judged: Judged, ok: Bit): void {
  const context = frame.tag.resize(contextBits(p)),
    ask = slots.asks.readAsync(context),
    sent = slots.sent.readAsync(context),
    expected = brings(ask.kind, ask.words);
  const inTable = node(frame.tag.lt(p.contexts), { name: "in_table" }),
    isOurs = node(frame.ours.and(frame.from), { name: "is_ours" });
  const since = node(frame.id.sub(sent.first), { name: "since" }),
    until = node(sent.newest.sub(sent.first), { name: "until" });
  judged.set({
    waits: slots.isWaiting(context).and(inTable).and(isOurs),
    known: since.le(until),
    newest: frame.id.eq(sent.newest),
    // A request that is refused as a whole comes back with its own opcode, and without a body.
    matches: mux(
      ok,
      frame.opcode.eq(answersWith(ask.kind)).and(frame.words.eq(expected)).and(frame.whole),
      constant(1, 1),
    ),
    greets: isOurs.and(frame.tag.eq(greetingTag)).and(ok).and(frame.opcode.eq(opcode.FENCE)),
  });
}

/**
 * Takes the node's frames. One that answers what a context waits for, with the opcode and the length that belong to it,
 * is its access's answer. `repeat` (NACK, BUSY): the access is to be sent again, at once or when its time is over. All
 * others are dropped: late ones, damaged ones, those of others. Any of an access's requests may be answered, since all
 * of them are one operation.
 *
 * Latency 6 cycles from a frame's end to the answer; interval 6 cycles, its words and its beats. Full: the frame waits.
 */
export function receiveReplies(p: ClientParameters, io: Receiving) {
  return scope("receiver", () => {
    const strip = instance(
      "reply_header",
      HeaderStrip({ beatBytes: p.beatBytes, headerBytes, routeByte: 0, ...clioSize }),
    );
    strip.frame.valid.set(io.rx.valid);
    strip.frame.payload.set(io.rx.payload);
    io.rx.ready.set(strip.frame.ready);

    const facts = factsOf(io.config, strip.head.payload);
    const frame = frameOf();
    const context = frame.tag.resize(contextBits(p));
    const judged = judgedOf();
    const ok = node(frame.status.eq(statusBits.OK), { name: "ok" });
    const isStatus = (...names: readonly ("NACK" | "BUSY" | "MALFORMED" | "OK")[]): Bit =>
      orTree(names.map(n => frame.status.eq(statusBits[n])));
    const again = node(isStatus("NACK", "BUSY"), { name: "again" }),
      good = node(judged.waits.and(judged.known), { name: "good" });
    const accepts = node(good.and(again.not()).and(judged.matches), { name: "accepts" }),
      retries = node(good.and(isStatus("NACK")).and(judged.newest), { name: "retries" });
    const phase = {
      open: wire(bit, { name: "open" }),
      behind: wire(bit, { name: "behind" }),
      told: node(strip.head.fire, { name: "told" }),
    };
    const kept = keptWords(p, strip.data, { ...phase, bytes: strip.head.payload.length }),
      index = reg(uint(3), { name: "index" });

    const s = fsm(
      ["frame", "data", "look", "judge", "answer", "words"],
      "frame",
      go => ({
        frame: () => {
          keepFrame(frame, facts, strip.head.payload.length);
          when(strip.head.valid, () => go.go("data"));
        },
        data: () => when(kept.complete, () => go.go("look")),
        look: () => {
          judgeFrame(p, io.slots, frame, judged, ok);
          go.go("judge");
        },
        judge: () => {
          kept.clear();
          index.set(0);
          go.go("frame");
          when(accepts, () => go.go("answer"));
        },
        answer: () => {
          when(io.answer.ready, () => {
            go.go("words");
            when(frame.words.eq(0).or(ok.not()), () => go.go("frame"));
          });
        },
        words: () => {
          when(io.answerData.ready, () => {
            index.set(index.add(1));
            when(index.add(1).zext(4).eq(frame.words), () => go.go("frame"));
            when(index.eq(7), () => go.go("frame"));
          });
        },
      }),
      { name: "state" },
    );
    strip.head.ready.set(s.is("frame"));
    const judges = s.is("judge");
    phase.open.set(s.is("frame"));
    phase.behind.set(s.is("data"));
    io.answer.valid.set(s.is("answer"));
    io.answer.payload.set({ context, status: frame.status, words: mux(ok, frame.words, constant(0, 4)) });
    io.answerData.valid.set(s.is("words"));
    io.answerData.payload.set(kept.word(index).is(64));
    return {
      /** The context whose wait is over, to be answered or to be sent again. */
      ended: node(judges.and(accepts.or(retries)), { name: "ended" }),
      again: node(judges.and(retries), { name: "sends_again" }),
      stray: node(judges.and(accepts.or(again.and(good)).or(judged.greets).not()), { name: "stray" }),
      greets: node(judges.and(judged.greets), { name: "greeting" }),
      context,
      /** Nothing is being decided: others may change who waits. */
      settled: node(s.is("look").or(judges).not(), { name: "settled" }),
    };
  });
}

/**
 * The words of a frame's data, until it is known whose they are: as many as the largest answer has. What is longer is
 * no answer: its further beats are taken and forgotten. A frame's data come in part before its header is told, which
 * is told at its end, and in part behind it; none of the next frame's come before.
 */
function keptWords(
  p: ClientParameters,
  from: StreamIn<ReturnType<typeof BodyBeat>>,
  o: { readonly open: UInt<1>; readonly behind: UInt<1>; readonly told: UInt<1>; readonly bytes: UInt },
) {
  return scope("kept", () => {
    const lanes = p.beatBytes / 8,
      beats = mostWords / lanes,
      count = reg(uint(12), { init: 0, name: "count" }),
      needed = reg(uint(12), { name: "needed" });
    const words = Array.from({ length: mostWords }, (_, i) => reg(uint(64), { name: `word_${i}` }));
    const complete = node(count.eq(needed), { name: "complete" });
    from.ready.set(o.open.or(o.behind.and(complete.not())));
    when(from.fire, () => {
      count.set(count.add(1));
      for (let i = 0; i < beats; i++)
        when(count.eq(i), () => {
          for (let l = 0; l < lanes; l++) words[i * lanes + l]?.set(from.payload.data.bits(64 * l, 64).is(64));
        });
    });
    when(o.told, () =>
      needed.set(
        o.bytes
          .add(p.beatBytes - 1)
          .shr(Math.log2(p.beatBytes))
          .resize(12),
      ),
    );
    return {
      complete,
      clear: (): void => count.set(0),
      word: (index: UInt): UInt => pick(words, index),
    };
  });
}
