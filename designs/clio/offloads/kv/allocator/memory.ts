/** What the allocator asks of memory: a line or a summary, or ALLOC and FREE with the rest of their bodies. */
import {
  type Bit,
  cat,
  constant,
  mux,
  node,
  priority,
  reg,
  uint,
  type UInt,
  unpack,
  vec,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { allocBody, opcodeBits, vmFlag } from "../../../wire/index.ts";
import { addressOf } from "../layout.ts";
import { addressBits, blockBits, type KvParameters, unitBytes } from "../parameters.ts";
import { purpose, tagOf } from "../replies.ts";
import type { Parts } from "./parts.ts";
import type { AllocatorIo } from "./ports.ts";
import { unitBitsOfSlab } from "./visit.ts";

/** What is asked for now: one of them. */
interface Asking {
  readonly reading: Bit;
  readonly writing: Bit;
  readonly allocating: Bit;
  readonly freeing: Bit;
}

/** Bytes of ALLOC's and FREE's body behind the address and the low half of the length. */
const restBytes = allocBody.bytes - 12;

/** The beats of the request: a line that is written, or the rest of the body. */
function beatsOf(p: KvParameters, { stock, visit }: Parts, { writing, freeing }: Asking) {
  const lanes = unitBytes / p.beatBytes,
    restBeats = Math.ceil(restBytes / p.beatBytes);
  // The length's high half, the region, the flags.
  const rest = cat(constant(vmFlag.write, 64), stock.region.zext(64), constant(0, 32)).zext(unitBytes * 8);
  const beat = reg(uint(Math.max(1, Math.log2(lanes))), { init: 0 });
  const beats = unpack(
    vec(uint(p.beatBytes * 8), lanes),
    mux(writing, visit.line.line, mux(freeing, constant(0, unitBytes * 8), rest)),
  );
  const lastBeat = mux(writing, constant(lanes - 1, beat.width), constant(restBeats - 1, beat.width));
  return { beat, data: beats.at(lanes === 1 ? 0 : beat), isLast: beat.eq(lastBeat) };
}

/** Where the line lies. The summary comes first, then the groups'; an arena begins with a slab: nothing is carried. */
function lineBlockOf({ visit: { summary, line }, arenas }: Parts): UInt {
  const lineUnit = node(mux(summary, constant(0, 8), line.group.zext(8).add(1)));
  const lineSlab = node(arenas.firstSlab.add(lineUnit.bits(unitBitsOfSlab, 3).zext(arenas.slabNumberBits)));
  return cat(lineSlab, lineUnit.trunc(unitBitsOfSlab)).zext(blockBits);
}

export function askMemory(io: AllocatorIo, p: KvParameters, parts: Parts, asking: Asking): void {
  const { reading, writing, allocating, freeing } = asking,
    { asked, home } = parts.stock;
  const { beat, data, isLast } = beatsOf(p, parts, asking);
  when(io.memory.fire, () => beat.set(mux(io.memory.payload.last, constant(0, beat.width), beat.add(1))));
  io.memory.valid.set(writing.or(allocating).or(reading).or(freeing));
  const bytes = mux(asked.table, constant(p.buckets * unitBytes, 32), constant(p.arenaBytes, 32)),
    lineBlock = lineBlockOf(parts);
  io.memory.payload.set({
    head: {
      tag: tagOf(purpose.allocator, constant(0, 1)),
      opcode: priority(
        [writing, opcodeBits.WRITE],
        [reading, opcodeBits.READ],
        [freeing, opcodeBits.FREE],
        opcodeBits.ALLOC,
      ),
      va: mux(allocating, constant(0, addressBits), addressOf(mux(freeing, home, lineBlock)).trunc(addressBits)),
      length: priority([allocating, bytes], [freeing, constant(p.arenaBytes, 32)], constant(unitBytes, 32)),
      data: priority(
        [writing, constant(unitBytes, 14)],
        [allocating.or(freeing), constant(restBytes, 14)],
        constant(0, 14),
      ),
    },
    bare: reading,
    data,
    last: reading.or(isLast),
  });
}
