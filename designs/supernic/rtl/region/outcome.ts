/** What becomes of a packet by its task's answer. Wires only. */
import { type Bit, cat, constant, mux, node, orTree, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { taskHeaderBytes } from "../../wire/index.ts";
import type { TaskAnswer } from "../tasks/index.ts";
import { bytesSeen, type ChainPacket, type SlotParameters } from "./records.ts";

type Packet = Val<ReturnType<typeof ChainPacket>>;
type Answer = Val<typeof TaskAnswer>;

/** The bytes that a task declared, one behind the other. */
export function seenOf(header: UInt, reads: bigint): UInt {
  const bytes = bytesSeen({ reads }).map(i => header.bits(8 * i, 8));
  return bytes.length === 0 ? constant(0, 1) : cat(...bytes.reverse());
}
/** The same where they stand in a header whose other bytes are 0. */
export function headerOf(seen: UInt, reads: bigint): UInt {
  const at = bytesSeen({ reads });
  return cat(
    ...Array.from({ length: taskHeaderBytes }, (_, i) =>
      at.includes(i) ? seen.bits(8 * at.indexOf(i), 8) : constant(0, 8),
    ).reverse(),
  );
}

/** The declared bytes of an answer, where its mask has them, in the header as it was. */
const merged = (before: UInt, answer: Answer, writes: bigint): UInt =>
  cat(
    ...Array.from({ length: taskHeaderBytes }, (_, i) => {
      const old = before.bits(8 * i, 8);
      return ((writes >> BigInt(i)) & 1n) === 1n ? mux(answer.mask.bit(i), answer.header.bits(8 * i, 8), old) : old;
    }).reverse(),
  );

/** The answer wants more in front, or less of the packet, than the task declared or than there is. */
function growsTooFar(packet: Packet, answer: Answer, { declared }: SlotParameters): Bit {
  const prepends = answer.prepend.any(),
    leavesOut = answer.dropFront.any();
  return orTree([
    answer.frontBytes.gt(declared.growth),
    prepends.xor(answer.frontBytes.any()),
    prepends.and(packet.prepend.any()),
    answer.dropFront.gt(declared.leavesOut),
    leavesOut.and(packet.dropFront.any()),
    answer.dropFront.gt(packet.headBytes),
    answer.dropFront.eq(packet.headBytes).andNot(packet.payloadBytes.any()),
  ]);
}

/** The packet as it goes on, and what was wrong with its answer. `killed`: there is no task. */
export function outcomeOf(packet: Packet, answer: Answer, killed: Bit, p: SlotParameters) {
  const goesOn = node(answer.verdict.ne("drop").andNot(killed), { name: "goes_on" }),
    grown = node(goesOn.and(growsTooFar(packet, answer, p)), { name: "grown" }),
    drops = node(goesOn.not().or(grown), { name: "drops" });
  const allowed = answer.mask.and(p.declared.writes),
    outside = answer.mask.and(~p.declared.writes & ((1n << BigInt(taskHeaderBytes)) - 1n)),
    behind = p.slots - 1 - p.slot,
    rest = behind === 0 ? constant(0, p.slots) : packet.run.shr(p.slot + 1).shl(p.slot + 1);
  const prepends = p.declared.growth > 0 ? answer.prepend.any() : constant(0, 1),
    leavesOut = p.declared.leavesOut > 0 ? answer.dropFront.any() : constant(0, 1);
  return {
    packet: {
      ...packet,
      header: merged(packet.header, answer, p.declared.writes),
      mask: packet.mask.or(allowed),
      run: mux(drops, constant(0, p.slots), packet.run),
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
