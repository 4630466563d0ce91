import {
  bit,
  connect,
  constant,
  fifo,
  type Given,
  instance,
  module,
  mux,
  node,
  orTree,
  reg,
  stage,
  stream,
  type StreamIn,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { aesDrops, aesFrom } from "../../../wire/index.ts";
import { headerBits, noFront, type Task, TaskAnswer, TaskVerdict } from "../interface.ts";
import { asTask, PayloadBeat, writingTaskPorts } from "../payload.ts";
import { tailMask } from "../payload-tasks.ts";
import { blockNumberBits, CounterMode, lanes, type StreamAsk } from "./counter-mode.ts";
import { bodyAt, declared, type Direction, holds, shiftBlocks } from "./directions.ts";
import { look, type Looked, Said } from "./look.ts";
import { keyRows } from "./rows.ts";

/** A beat of key stream on its way: for a header, or for a beat of payload. */
const Meant = struct({ isHeader: bit, last: bit, tail: uint(6) });

/** Asks for a beat of key stream for each header, and one for each beat of payload; tells what each is for. */
function askFor(
  looked: StreamIn<ReturnType<typeof Looked>>,
  ready: UInt<1>,
  direction: Direction,
): {
  readonly valid: UInt<1>;
  readonly ask: Val<typeof StreamAsk>;
  readonly meant: StreamIn<typeof Meant>;
  readonly said: StreamIn<typeof Said>;
} {
  const at = reg(uint(8), { init: 0, name: "beat" }),
    { tag, good, header, template, bytes, key, short, iv, beats, tail } = looked.payload,
    isHeader = node(at.eq(0), { name: "is_header" }),
    last = node(at.eq(beats), { name: "is_last" }),
    meant = stream(Meant, { name: "meant" }),
    said = stream(Said, { name: "said" });
  const asks = node(looked.valid.and(meant.ready).and(isHeader.not().or(said.ready)), { name: "asks" }),
    asked = node(asks.and(ready), { name: "asked" });
  meant.valid.set(asked);
  meant.payload.set({ isHeader, last, tail });
  said.valid.set(asked.and(isHeader));
  said.payload.set({ tag, good, header, template, bytes });
  looked.ready.set(asked.and(last));
  when(asked, () => at.set(mux(last, constant(0, at.width), at.add(1))));

  const number = at.zext(blockNumberBits).shl(Math.log2(lanes)),
    skipped = shiftBlocks[direction],
    block = skipped === 0 ? number : mux(isHeader, constant(0, blockNumberBits), number.sub(skipped));
  return {
    valid: asks,
    ask: { key, short, iv, block: block.is(blockNumberBits) },
    meant: fifo(meant, holds, { name: "meanings", style: "distributed" }),
    said: fifo(said, holds, { name: "headers", style: "distributed" }),
  };
}

/** The answer of a header: what is encrypted of it meets the key stream. */
function answerOf(h: Val<typeof Said>, word: UInt, direction: Direction): Given<typeof TaskAnswer> {
  const encrypts = direction === "encrypt";
  // The stream counts from the place that a byte had before it was encrypted.
  const heading = word.shr(8 * aesFrom).shl(8 * bodyAt[direction]);
  return {
    ...noFront,
    tag: h.tag,
    verdict: mux(h.good, TaskVerdict.forward, TaskVerdict.drop),
    header: h.header.xor(heading).is(headerBits),
    mask: declared[direction].writes,
    prepend: encrypts ? h.template : 0,
    frontBytes: encrypts ? h.bytes : 0,
    dropFront: aesDrops[direction],
  };
}

/**
 * AES-128 and AES-256 in counter mode (SP 800-38A) as a tunnel: docs/supernic/cipher.md. `arg` names one of 64 rows of
 * the packet's user. Latency 18; a beat of 64 bytes a cycle, headers included. Full: it takes no packet while 32 are
 * inside. Reset: nothing is inside, no row is live, and there is no launch.
 */
const CounterTunnel = module(
  "AesCounterTunnel",
  (_: { readonly direction: Direction }) => writingTaskPorts(),
  (io, { direction }) => {
    const rows = keyRows(io.config),
      { looked, isFirst } = look(io.packet, io.config, rows, direction),
      mode = instance("mode", CounterMode()),
      { valid, ask, meant, said } = askFor(looked, mode.ask.ready, direction);
    mode.keys.set(rows.roundKeys);
    mode.ask.valid.set(valid);
    mode.ask.payload.set(ask);

    // The key stream meets what it is for.
    const answers = stream(TaskAnswer, { name: "answers" }),
      beats = stream(PayloadBeat, { name: "beats" }),
      { isHeader, last, tail } = meant.payload,
      word = mode.stream.payload;
    const there = node(mode.stream.valid.and(meant.valid), { name: "there" }),
      heads = node(there.and(isHeader), { name: "heads" }),
      bodies = node(there.andNot(isHeader), { name: "bodies" });
    answers.valid.set(heads.and(said.valid));
    answers.payload.set(answerOf(said.payload, word, direction));
    said.ready.set(heads.and(answers.ready));
    const body = node(io.payload.payload.data.xor(word), { name: "body" });
    beats.valid.set(bodies.and(io.payload.valid));
    beats.payload.set({ data: mux(last, body.and(tailMask(tail)), body).is(headerBits), last });
    io.payload.ready.set(bodies.and(beats.ready));
    const meets = node(answers.fire.or(beats.fire), { name: "meets" });
    mode.stream.ready.set(meets);
    meant.ready.set(meets);

    // Answers wait by themselves: the packet's payload comes behind its header.
    connect(fifo(answers, holds, { name: "answered", style: "distributed" }), io.answer);
    connect(stage(beats, "full", { name: "out" }), io.back);
    io.quiet.set(orTree([isFirst, looked.valid, meant.valid, io.answer.valid]).not());
  },
  { nameOf: ({ direction }) => `AesCounterTunnel_${direction}` },
);
/** Encrypts packets of IPv4 into a tunnel. */
export const encrypt: Task = { declared: declared.encrypt, hardware: asTask(CounterTunnel({ direction: "encrypt" })) };
/** Takes packets out of the tunnel. */
export const decrypt: Task = { declared: declared.decrypt, hardware: asTask(CounterTunnel({ direction: "decrypt" })) };
