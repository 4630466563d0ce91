import {
  bit,
  cat,
  connect,
  constant,
  fifo,
  instance,
  map,
  module,
  mux,
  node,
  orTree,
  reg,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../../shared/frame/index.ts";
import { headerOffsets, ipProtocol, udpHeader } from "../../../../shared/wire/index.ts";
import {
  aesBlockBytes,
  aesDrops,
  aesFrom,
  aesFrontBytes,
  aesKeys,
  aesNonceBytes,
  type Declared,
  headerBytesFrom,
  snicEtherType,
  taskTagBits,
  tunnelPort,
} from "../../../wire/index.ts";
import { headerBits, noFront, type Task, TaskAnswer, type TaskPacket, TaskVerdict } from "../interface.ts";
import { ipBytes, ipOf, wordAt } from "../ip.ts";
import { asTask, PayloadBeat, writingTaskPorts } from "../payload.ts";
import { tailMask, tailOf } from "../payload-tasks.ts";
import { blockNumberBits, CounterMode } from "./counter-mode.ts";
import { nonces, turned } from "./nonces.ts";
import { keyRows, macRows } from "./rows.ts";

const keyBits = Math.log2(aesKeys),
  etherTypeAt = 12,
  holds = 32;
/** Where the nonce stands: behind encryption and in front of decryption. */
const nonceAt = { encrypt: aesDrops.encrypt, decrypt: aesFrontBytes } as const;
/** Where what is encrypted begins. */
const bodyAt = { encrypt: aesFrom, decrypt: aesFrontBytes + aesNonceBytes } as const;
/** How far what is encrypted stands from its place in the frame that was encrypted, in blocks. */
const shiftBlocks = { encrypt: 0, decrypt: aesDrops.decrypt / aesBlockBytes } as const;
export type Direction = keyof typeof shiftBlocks;

const common = { payload: "write", interval: 1, latency: 20, holds } as const;
const declared: Readonly<Record<Direction, Declared>> = {
  encrypt: {
    ...common,
    name: "encrypt",
    reads: headerBytesFrom(etherTypeAt, 52),
    writes: headerBytesFrom(aesDrops.encrypt, 64 - aesDrops.encrypt),
    growth: 64,
    leavesOut: aesDrops.encrypt,
    state: "shared",
  },
  decrypt: {
    ...common,
    name: "decrypt",
    reads: ipBytes | headerBytesFrom(34, 30),
    writes: headerBytesFrom(aesDrops.decrypt, 64 - aesDrops.decrypt),
    growth: 0,
    leavesOut: aesDrops.decrypt,
    state: "none",
  },
};

/** A packet with all that its beats of key stream need. */
const Looked = struct({
  tag: uint(taskTagBits),
  good: bit,
  key: uint(keyBits),
  short: bit,
  iv: uint(8 * aesNonceBytes),
  /** Its header; what is encrypted of it is where it was. */
  header: uint(headerBits),
  template: uint(8),
  bytes: uint(7),
  beats: uint(8),
  tail: uint(6),
});
const Said = struct({
  tag: uint(taskTagBits),
  good: bit,
  header: uint(headerBits),
  template: uint(8),
  bytes: uint(7),
});
/** A beat of key stream on its way: for a header, or for a beat of payload. */
const Meant = struct({ isHeader: bit, last: bit, tail: uint(6) });
type Packet = Val<typeof TaskPacket>;

/** Whether a packet can be what this direction takes; of one that is decrypted, that its key has this number. */
function fits(direction: Direction, packet: Packet, number: UInt) {
  if (direction === "encrypt") return wordAt(packet.header, etherTypeAt).eq(snicEtherType.ipv4);
  const ip = ipOf(packet),
    udp = cutFields(udpHeader, packet.header, headerOffsets.transport);
  return ip.hasIp
    .andNot(packet.noL4)
    .and(ip.protocol.eq(ipProtocol.udp))
    .and(udp.dstPort.eq(tunnelPort))
    .and(packet.headBytes.eq(64))
    .and(turned(packet.header.bits(8 * nonceAt.decrypt, 32)).eq(number));
}
/** Bytes of a header from `at` on. */
const from = (value: UInt, at: number): UInt => value.zext(headerBits).shl(8 * at);
/** The Ethernet header of what is decrypted: IPv4 behind its MACs. */
const macsOf = ({ destination, source }: { readonly destination: UInt; readonly source: UInt }): UInt =>
  cat(turned(constant(snicEtherType.ipv4, 16)), turned(source), turned(destination));

/**
 * AES-128 and AES-256 in counter mode (SP 800-38A) as a tunnel: docs/supernic/payload.md. `arg` names one of 64 rows of
 * the packet's user. Latency 20, a beat of 64 bytes a cycle, headers included: a packet of n beats takes n cycles.
 * Reset: nothing is inside, no row is live, and there is no launch.
 */
const CounterTunnel = module(
  "AesCounterTunnel",
  (_: { readonly direction: Direction }) => writingTaskPorts(),
  (io, { direction }) => {
    const rows = keyRows(io.config),
      encrypts = direction === "encrypt",
      numbers = encrypts ? nonces(io.config) : undefined;

    // The row of a packet, and its nonce.
    const first = stage(io.packet, "forward", { name: "first" }),
      packet = first.payload,
      index = packet.arg.trunc(keyBits),
      { row, good: isLive } = rows.look(index),
      some = numbers?.some ?? constant(1, 1);
    const good = node(
      orTree([packet.arg.shr(keyBits).any(), row.user.ne(packet.user), isLive.not(), some.not()])
        .not()
        .and(fits(direction, packet, row.number)),
      { name: "good" },
    );
    const nonce = numbers
      ? cat(numbers.counter, turned(row.number))
      : packet.header.bits(8 * nonceAt.decrypt, 8 * aesNonceBytes);
    // What of the header is exchanged for other bytes, and what is encrypted of it.
    const exchanged = encrypts
        ? from(nonce, nonceAt.encrypt)
        : from(macsOf(macRows(io.config).look(index)), aesDrops.decrypt),
      keeps = from(packet.header.shr(8 * bodyAt[direction]), bodyAt[direction]);
    const looked = stage(
      map(
        first,
        Looked,
        p => ({
          tag: p.tag,
          good,
          key: p.arg.trunc(keyBits),
          short: row.short,
          iv: nonce.is(96),
          header: keeps.or(exchanged).is(headerBits),
          template: row.template,
          bytes: row.bytes,
          beats: p.payloadBytes.zext(15).add(63).shr(6).trunc(8),
          tail: tailOf(p.payloadBytes),
        }),
        { name: "looking" },
      ),
      "forward",
      { name: "looked" },
    );
    numbers?.step(node(first.fire.and(good), { name: "number_is_taken" }));

    // A beat of key stream for the header, and one for each beat of payload.
    const mode = instance("mode", CounterMode()),
      at = reg(uint(8), { init: 0, name: "beat" }),
      isHeader = node(at.eq(0), { name: "is_header" }),
      last = node(at.eq(looked.payload.beats), { name: "is_last" }),
      meant = stream(Meant, { name: "meant" }),
      said = stream(Said, { name: "said" });
    mode.keys.set(rows.roundKeys);
    const asks = node(looked.valid.and(meant.ready).and(isHeader.not().or(said.ready)), { name: "asks" }),
      asked = node(asks.and(mode.ask.ready), { name: "asked" });
    const number = at.zext(blockNumberBits).shl(2),
      skipped = shiftBlocks[direction];
    mode.ask.valid.set(asks);
    mode.ask.payload.set({
      key: looked.payload.key,
      short: looked.payload.short,
      iv: looked.payload.iv,
      block: skipped === 0 ? number : mux(isHeader, constant(0, blockNumberBits), number.sub(skipped)),
    });
    meant.valid.set(asked);
    meant.payload.set({ isHeader, last, tail: looked.payload.tail });
    said.valid.set(asked.and(isHeader));
    const { tag, good: goes, header, template, bytes } = looked.payload;
    said.payload.set({ tag, good: goes, header, template, bytes });
    looked.ready.set(asked.and(last));
    when(asked, () => at.set(mux(last, constant(0, 8), at.add(1))));

    // It meets what it is for. Answers wait by themselves: the packet's payload comes behind its header.
    const what = fifo(meant, holds, { name: "meanings", style: "distributed" }),
      whose = fifo(said, holds, { name: "headers", style: "distributed" }),
      answers = stream(TaskAnswer, { name: "answers" }),
      beats = stream(PayloadBeat, { name: "beats" }),
      word = mode.stream.payload;
    const there = node(mode.stream.valid.and(what.valid), { name: "there" }),
      heads = node(there.and(what.payload.isHeader), { name: "heads" }),
      bodies = node(there.andNot(what.payload.isHeader), { name: "bodies" });
    answers.valid.set(heads.and(whose.valid));
    whose.ready.set(heads.and(answers.ready));
    beats.valid.set(bodies.and(io.payload.valid));
    io.payload.ready.set(bodies.and(beats.ready));
    const meets = node(answers.fire.or(beats.fire), { name: "meets" });
    mode.stream.ready.set(meets);
    what.ready.set(meets);
    // The stream counts from the place that a byte had before it was encrypted.
    const heading = word.shr(8 * aesFrom),
      h = whose.payload;
    answers.payload.set({
      ...noFront,
      tag: h.tag,
      verdict: mux(h.good, TaskVerdict.forward, TaskVerdict.drop),
      header: h.header.xor(heading.shl(8 * bodyAt[direction])).is(headerBits),
      mask: declared[direction].writes,
      prepend: encrypts ? h.template : 0,
      frontBytes: encrypts ? h.bytes : 0,
      dropFront: aesDrops[direction],
    });
    const body = node(io.payload.payload.data.xor(word), { name: "body" });
    beats.payload.set({
      data: mux(what.payload.last, body.and(tailMask(what.payload.tail)), body).is(headerBits),
      last: what.payload.last,
    });
    connect(stage(beats, "full", { name: "out" }), io.back);
    connect(fifo(answers, holds, { name: "answered", style: "distributed" }), io.answer);
    io.quiet.set(orTree([first.valid, looked.valid, what.valid, io.answer.valid]).not());
  },
  { nameOf: ({ direction }) => `AesCounterTunnel_${direction}` },
);
/** Encrypts packets of IPv4 into a tunnel, and takes them out of it. */
export const encrypt: Task = { declared: declared.encrypt, hardware: asTask(CounterTunnel({ direction: "encrypt" })) };
export const decrypt: Task = { declared: declared.decrypt, hardware: asTask(CounterTunnel({ direction: "decrypt" })) };
