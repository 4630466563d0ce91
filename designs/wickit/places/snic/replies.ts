/** Replies as frames: the headers of the newest request turned round, and the words behind them. */
import {
  bit,
  type Bit,
  cat,
  constant,
  fsm,
  mux,
  node,
  reg,
  scope,
  stream,
  type StreamIn,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import {
  clioHeader,
  frameOffsets,
  opcode,
  opcodeBits,
  replyCode,
  statusBits,
  udpPorts,
} from "../../../clio/wire/index.ts";
import { ipv4Constants, ipv4ConstantSum, joinBytes, joinFields } from "../../../shared/frame/index.ts";
import { ethernetHeader, etherType, ipv4Header, minimumFrame, udpHeader } from "../../../shared/wire/index.ts";
import { MadeBeat } from "../../../supernic/rtl/index.ts";
import { mostWords } from "../../wire/index.ts";
import type { Configuration } from "./configuration.ts";
import type { Refusal } from "./packets.ts";
import { Asked } from "./records.ts";
import type { Slots } from "./slots.ts";

const ipOverhead = ipv4Header.bytes + udpHeader.bytes,
  /** Bits of the headers, and bytes of a beat. */
  front = 8 * frameOffsets.body,
  beat = 64;

interface Known {
  readonly asked: Val<typeof Asked>;
  readonly status: UInt;
  readonly words: UInt;
  readonly checksum: UInt;
}
/** The headers of a reply, byte 0 lowest; a refused request comes back with its own opcode. */
function headerOf({ client }: Configuration, { asked, status, words, checksum }: Known): UInt {
  const size = node(words.zext(16).shl(3).add(clioHeader.bytes), { name: "size" }),
    refused = node(status.eq(statusBits.MALFORMED).or(status.eq(statusBits.BUSY)), { name: "is_refused" });
  return joinBytes(
    joinFields(ethernetHeader, { dst: asked.mac, src: asked.to, etherType: constant(etherType.ipv4, 16) }),
    joinFields(ipv4Header, {
      ...ipv4Constants,
      checksum: checksum.is(16),
      totalLength: size.add(ipOverhead).is(16),
      src: client.nodeIp,
      dst: asked.ip,
    }),
    joinFields(udpHeader, {
      srcPort: udpPorts.native,
      dstPort: asked.port,
      length: size.add(udpHeader.bytes).is(16),
      checksum: 0,
    }),
    joinFields(clioHeader, {
      pid: client.pid,
      tag: asked.tag,
      opcode: mux(refused, opcodeBits.WIC, constant(replyCode(opcode.WIC), 8)),
      status: status.is(4),
      flagRoute: asked.flagRoute,
      flagRepl: asked.flagRepl,
      flagTracked: asked.flagTracked,
      flagRetry: asked.flagRetry,
      seqId: asked.seqId,
      size: size.is(16),
      requestId: asked.requestId,
      retryOf: asked.retryOf,
    }),
  );
}

/** The first beat of a reply, or its second: what the first has no room for. */
function beatOf(config: Configuration, kept: Known, data: UInt, more: Bit, second: Bit) {
  const header = headerOf(config, kept),
    body = mux(more, data, constant(0, 64 * mostWords)),
    lane = 8 * beat - front;
  return {
    data: mux(second, data.shr(lane), cat(body.trunc(lane), header).is(8 * beat)),
    count: mux(
      second,
      kept.words
        .zext(7)
        .shl(3)
        .sub(lane / 8),
      mux(more, constant(beat, 7), constant(minimumFrame, 7)),
    ).is(7),
    last: second.or(more.not()),
    bad: 0,
    port: kept.asked.ingress,
  };
}

/**
 * Sends a refusal, or the oldest slot whose reply is to be sent. A refusal that comes while another one waits is
 * forgotten. Latency from a slot of n words to its first beat 8 + n cycles, of a refusal 5; initiation interval one
 * more, and a second beat with words.
 */
export function sendReplies(
  config: Configuration,
  slots: Slots,
  io: { readonly refusal: StreamIn<typeof Refusal> },
): { readonly frames: StreamIn<typeof MadeBeat>; readonly idle: Bit } {
  return scope("replies", () => {
    const waits = reg(bit, { init: 0, name: "refusal_waits" }),
      refusal = reg(io.refusal.shape, { name: "refused" });
    io.refusal.ready.set(1);

    const asked = reg(Asked, { name: "asked" }),
      status = reg(uint(4), { name: "status" }),
      words = reg(uint(4), { name: "words" }),
      index = reg(uint(4), { name: "index" }),
      data = reg(uint(64 * mostWords), { name: "data" }),
      sums = reg(uint(20), { name: "ip_sum" }),
      folded = reg(uint(17), { name: "ip_folded" }),
      checksum = reg(uint(16), { name: "ip_checksum" });
    const { toSend, loadAt } = slots,
      known = slots.askeds.readSync(loadAt, { name: "known_asked" }),
      outcome = slots.outcomes.readAsync(loadAt),
      word = slots.words.readSync(cat(loadAt, index.trunc(3)), { name: "known_word" }),
      halves = (ip: UInt): UInt => ip.bits(0, 16).zext(20).add(ip.bits(16, 16).zext(20)),
      more = node(words.any(), { name: "has_words" }),
      frames = stream(MadeBeat, { name: "frame" });
    const phase = fsm(
      ["Idle", "Read", "Keep", "Ask", "Word", "Sum", "Fold", "Fold2", "First", "Second"],
      "Idle",
      s => ({
        Idle: () => {
          index.set(0);
          when(waits, () => {
            waits.set(0);
            asked.set(refusal.asked);
            status.set(refusal.status);
            words.set(0);
            s.go("Sum");
          }).elseWhen(toSend.fire, () => s.go("Read"));
        },
        Read: () => s.go("Keep"),
        Keep: () => {
          asked.set(known);
          status.set(outcome.status);
          words.set(outcome.words);
          s.go("Sum");
          when(outcome.words.any(), () => s.go("Ask"));
        },
        Ask: () => {
          index.set(index.add(1));
          s.go("Word");
        },
        // The word that comes is the one before `index`.
        Word: () => {
          for (let i = 0; i < mostWords; i++) when(index.eq(i + 1), () => data.setBits(64 * i, word));
          index.set(index.add(1));
          when(index.eq(words), () => s.go("Sum"));
        },
        Sum: () => {
          const length = words
            .zext(20)
            .shl(3)
            .add(ipv4ConstantSum + ipOverhead + clioHeader.bytes);
          sums.set(halves(config.client.nodeIp).add(halves(asked.ip)).add(length).is(20));
          s.go("Fold");
        },
        Fold: () => {
          folded.set(sums.trunc(16).zext(17).add(sums.shr(16).resize(17)));
          s.go("Fold2");
        },
        Fold2: () => {
          checksum.set(folded.trunc(16).add(folded.bit(16).zext(16)).not().is(16));
          s.go("First");
        },
        First: () => {
          when(frames.ready, () => {
            s.go("Idle");
            when(more, () => s.go("Second"));
          });
        },
        Second: () => when(frames.ready, () => s.go("Idle")),
      }),
      { name: "state" },
    );
    when(io.refusal.valid.andNot(waits), () => {
      waits.set(1);
      refusal.set(io.refusal.payload);
    });
    toSend.ready.set(phase.is("Idle").andNot(waits));
    // All of the slot is here: it may be another request's.
    when(phase.is("Sum"), () => slots.loading.set(0));

    frames.valid.set(phase.is("First").or(phase.is("Second")));
    frames.payload.set(beatOf(config, { asked, status, words, checksum }, data, more, phase.is("Second")));
    return { frames, idle: node(phase.is("Idle").andNot(waits), { name: "idle" }) };
  });
}
