/** How many of the free blocks are kept: no more than the taken ones and their requests are worth. */
import { constant, node, priority, reg, uint } from "../../../../../hdl-dsl/index.ts";
import type { KvParameters } from "../parameters.ts";
import type { AllocatorIo } from "./ports.ts";
import type { Stock } from "./stock.ts";

/** Two to this are twice the cycles without a request after which free blocks go back to their arenas. */
const quietBits = 6;
/** Free blocks that are kept then: a quarter of those that are taken. */
const restShift = 2;

export function balanceOf(io: AllocatorIo, p: KvParameters, { live, cached, flushing }: Stock) {
  const bits = live.width + 7,
    taken = live.zext(bits),
    atHand = cached.zext(bits);
  const spareRoom = node(taken.sub(atHand));
  const over = node(taken.lt(atHand));
  const busyRoom = constant(2 * p.contexts, bits);
  const farOver = node(taken.add(busyRoom).lt(atHand));
  const quiet = reg(uint(quietBits), { init: 0 }),
    isQuiet = quiet.bit(quietBits - 1);
  const overAtRest = node(live.shr(restShift).zext(bits).lt(atHand));
  const atRest = node(isQuiet.and(io.give.valid.or(io.take.valid).not()));
  return {
    /** Blocks that may still be kept; more are kept than are taken. */
    spareRoom,
    over,
    quiet,
    isQuiet,
    overAtRest,
    tooMany: node(priority([flushing, cached.any()], [atRest, overAtRest], farOver), { name: "too_many" }),
  };
}
