/** The fence of a way: pieces of before it that the memory still has. */
import { bit, type Bit, node, reg, when } from "../../../../../hdl-dsl/index.ts";
import type { Access } from "./access.ts";
import { one, sumOf } from "./bounds.ts";
import type { WayIo } from "./ports.ts";

/**
 * Whether all that was looked up before the last fence has left the memory. A piece that was judged before it, and not
 * sent, counts; one that has to look again sees what there is then.
 */
export function fenceOf(io: WayIo, { sent, isWrite, refused, looks, goes, judged, waits }: Access): Bit {
  const readsOut = sumOf("reads_out", 5, 0),
    writesOut = sumOf("writes_out", 5, 0),
    oldReads = sumOf("old_reads", 5, 0),
    oldWrites = sumOf("old_writes", 5, 0),
    oldPiece = reg(bit, { init: 0, name: "old_piece" });
  const cameLast = node(io.r.valid.and(io.r.payload.last), { name: "read_came" });
  readsOut.change(one(sent.andNot(isWrite)), one(cameLast));
  writesOut.change(one(sent.and(isWrite)), one(io.b.valid));
  oldReads.change(one(sent.andNot(isWrite).and(oldPiece)), one(cameLast.and(oldReads.n.any())));
  oldWrites.change(one(sent.and(isWrite).and(oldPiece)), one(io.b.valid.and(oldWrites.n.any())));
  when(sent.or(refused).or(waits).or(looks), () => oldPiece.set(0));
  when(io.fence, () => {
    oldPiece.set(judged.or(goes.andNot(sent)));
    oldReads.n.set(readsOut.n.add(sent.andNot(isWrite).zext(5)).sub(cameLast.zext(5)));
    oldWrites.n.set(writesOut.n.add(sent.and(isWrite).zext(5)).sub(io.b.valid.zext(5)));
  });
  return oldPiece.or(oldReads.n.any()).or(oldWrites.n.any()).not();
}
