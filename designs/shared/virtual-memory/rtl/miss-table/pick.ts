/**
 * The list that is served next: of those that wait the lowest one; else of a page that has its frame now, or of a
 * bucket that is arriving.
 */
import {
  assertAlways,
  bit,
  type Bit,
  firstSet,
  fromBits,
  lowestBits,
  mux,
  node,
  orTree,
  priority,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import type { MissTableIo } from "./ports.ts";
import { type Chosen, missOf, type MissTableParameters } from "./records.ts";
import type { State } from "./state.ts";

export interface Picked extends Chosen {
  /** It can be served. */
  readonly next: Bit;
  /** Its verdict, or its frame, comes in this very cycle. */
  readonly early: Bit;
  readonly quick: Bit;
}

/** The page whose verdict comes next, when no list waits. */
interface Settling {
  readonly any: Bit;
  readonly byFault: Bit;
  readonly quick: Bit;
  readonly miss: UInt;
}

/** `quick`: a frame for a fault of this cycle comes in the next one; another fault that ends is slow. */
function settling(io: MissTableIo, faultNow: Bit, quickIsPicked: Bit): Settling {
  const slowFault = node(io.faulted.valid.andNot(quickIsPicked));
  const quickFault = node(faultNow.and(io.quick));
  const settles = node(priority([slowFault, io.faulted.miss], [quickFault, io.walked.result.miss], io.arriving.miss), {
    name: "settling",
  });
  const byFault = slowFault.or(quickFault);
  return {
    any: node(byFault.or(io.arriving.valid), { name: "settles" }),
    byFault,
    quick: quickFault.andNot(slowFault),
    miss: settles,
  };
}

export function pick(
  p: MissTableParameters,
  io: MissTableIo,
  { done, empty }: State,
  { serving, faultNow }: { readonly serving: UInt; readonly faultNow: Bit },
): Picked {
  const picked = reg(uint(p.misses), { init: 0 });
  const pickedMiss = reg(missOf(p));
  const pickedValid = reg(bit, { init: 0 }),
    pickedEarly = reg(bit, { init: 0 }),
    pickedQuick = reg(bit, { init: 0 });
  const takenBack = node(pickedEarly.and(faultNow));
  const next = node(pickedValid.andNot(takenBack));
  io.next.set(next);

  const filled = done.toArray().map((d, i) => d.andNot(empty.at(i)));
  const waits = node(fromBits(filled.map((f, i) => f.andNot(serving.bit(i)).andNot(picked.bit(i)))));
  const { any: waiting, index } = firstSet(waits);
  const any = node(waiting, { name: "any_waits" });
  const settled = settling(io, faultNow, pickedQuick);
  when(orTree([pickedValid.not(), io.take, takenBack]), () => {
    pickedValid.set(any.or(settled.any));
    pickedEarly.set(any.or(settled.byFault).not());
    pickedQuick.set(settled.quick.andNot(any));
    pickedMiss.set(mux(any, index.is(missOf(p).width), settled.miss));
    picked.set(fromBits(lowestBits(waits).map((w, i) => mux(any, w, settled.any.and(settled.miss.eq(i))))));
  }).otherwise(() => {
    pickedEarly.set(0);
    pickedQuick.set(0);
  });
  const promised = io.faulted.valid
    .and(io.faulted.miss.eq(pickedMiss))
    .andNot(io.faulted.outOfMemory.or(io.faulted.error));
  assertAlways(pickedQuick.not().or(promised), "a fault that was told to be quick is");
  return { next, bits: picked, miss: pickedMiss, early: pickedEarly, quick: pickedQuick };
}
