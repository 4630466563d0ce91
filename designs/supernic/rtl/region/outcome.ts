/** What becomes of a packet by its task's answer. Wires only. */
import { type Bit, cat, constant, mux, node, orTree, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { type Declared, taskHeaderBytes, trailerBytes } from "../../wire/index.ts";
import { headerBits, type TaskAnswer } from "../tasks/index.ts";
import { bitsOfBytes, bytesAt } from "./carried.ts";
import { type ChainPacket, declaredOf, type SlotParameters } from "./records.ts";

type Packet = Val<ReturnType<typeof ChainPacket>>;
type Answer = Val<typeof TaskAnswer>;

const has = (bytes: bigint, i: number): boolean => ((bytes >> BigInt(i)) & 1n) === 1n;

/**
 * The declared bytes of an answer, where its mask has them, in the header as it was. Of a byte that nobody in front
 * wrote, and nobody behind reads, it does not matter what it is where the mask does not have it.
 */
function merged(before: UInt, answer: Answer, p: SlotParameters): UInt {
  const { writes } = declaredOf(p),
    carried = bytesAt(p.chain, p.slot);
  return cat(
    ...Array.from({ length: taskHeaderBytes }, (_, i) => {
      const old = before.bits(8 * i, 8),
        said = answer.header.bits(8 * i, 8);
      if (!has(writes, i)) return old;
      return has(carried, i) ? mux(answer.mask.bit(i), said, old) : said;
    }).reverse(),
  );
}
/** The header of a packet that goes past: the same bytes do not matter, and need no choice behind the slot. */
export function besideAnswer(before: UInt, answer: Answer, p: SlotParameters): UInt {
  const free = declaredOf(p).writes & ~bytesAt(p.chain, p.slot);
  return free === 0n ? before : before.or(answer.header.and(constant(bitsOfBytes(free), headerBits)));
}

/** The answer wants more in front than the task declared, or a second time. */
const growsInFront = (packet: Packet, { prepend, frontBytes }: Answer, { growth }: Declared): readonly Bit[] =>
  growth === 0
    ? [prepend.any(), frontBytes.any()]
    : [frontBytes.gt(growth), prepend.any().xor(frontBytes.any()), prepend.any().and(packet.prepend.any())];
/** It wants less of the packet than the task declared or than there is, or a second time. */
const leavesOutTooMuch = (packet: Packet, { dropFront }: Answer, { leavesOut }: Declared): readonly Bit[] =>
  leavesOut === 0
    ? [dropFront.any()]
    : [
        dropFront.gt(leavesOut),
        dropFront.any().and(packet.dropFront.any()),
        dropFront.gt(packet.headBytes),
        dropFront.eq(packet.headBytes).andNot(packet.payloadBytes.any()),
      ];

/** It cuts a trailer off a payload that has no more than that. */
const cutsTooMuch = (packet: Packet, cuts: Bit): Bit => cuts.and(packet.payloadBytes.le(trailerBytes));

/**
 * The packet as it goes on, and what was wrong with its answer. `killed`: there is no task. `uneven`: beats came back
 * for it that are no payload of its length. `cuts`: the end of its payload is a trailer that is left out.
 */
export function outcomeOf(packet: Packet, answer: Answer, killed: Bit, p: SlotParameters, uneven?: Bit, cuts?: Bit) {
  const declared = declaredOf(p),
    slots = p.chain.length;
  const tooFar = orTree([
    ...growsInFront(packet, answer, declared),
    ...leavesOutTooMuch(packet, answer, declared),
    ...(uneven === undefined ? [] : [uneven]),
    ...(cuts === undefined ? [] : [cutsTooMuch(packet, cuts)]),
  ]);
  const goesOn = node(answer.verdict.ne("drop").andNot(killed), { name: "goes_on" }),
    grown = node(goesOn.and(tooFar), { name: "grown" }),
    drops = node(goesOn.not().or(grown), { name: "drops" });
  const allowed = answer.mask.and(declared.writes),
    outside = answer.mask.and(~declared.writes & ((1n << BigInt(taskHeaderBytes)) - 1n)),
    behind = slots - 1 - p.slot,
    rest = behind === 0 ? constant(0, slots) : packet.run.shr(p.slot + 1).shl(p.slot + 1);
  const prepends = declared.growth > 0 ? answer.prepend.any() : constant(0, 1),
    leavesOut = declared.leavesOut > 0 ? answer.dropFront.any() : constant(0, 1);
  return {
    packet: {
      ...packet,
      header: merged(packet.header, answer, p),
      mask: packet.mask.or(allowed),
      run: mux(drops, constant(0, slots), packet.run),
      refund: mux(drops, rest, packet.refund),
      prepend: mux(prepends, answer.prepend, packet.prepend),
      frontBytes: mux(prepends, answer.frontBytes, packet.frontBytes),
      dropFront: mux(leavesOut, answer.dropFront, packet.dropFront),
      reply: packet.reply.or(answer.verdict.eq("reply")),
      dropped: drops,
      killed,
    },
    drops,
    grown,
    outside: node(outside.any().andNot(killed), { name: "outside" }),
  };
}
