/** The ports of the miss table. */
import { bit, input, type Inside, output, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { Faulted } from "../page-fault.ts";
import { Arriving, Walked, WalkResult } from "../table-walk.ts";
import { missOf, type MissTableParameters, Served, slotOf } from "./records.ts";

export const missTablePorts = (p: MissTableParameters) => ({
  key: input(uint(p.keyBits)),
  advance: input(bit),
  /** A miss could be opened. */
  room: output(bit),
  /** A request of the page compared in the cycle before, and whether it writes. */
  add: input(struct({ valid: bit, key: uint(p.keyBits), slot: slotOf(p), write: bit })),
  /** With `add`: whether it hangs on a miss now, and whether a fetch is to be made, for which one. */
  added: output(struct({ taken: bit, fetch: bit, miss: missOf(p) })),
  poison: input(bit),
  poisonLeft: output(bit),
  arriving: input(Arriving(p)),
  walked: input(Walked(p)),
  fault: output(struct({ valid: bit, result: WalkResult(p) })),
  faulted: input(Faulted(p)),
  quick: input(bit),
  written: input(struct({ valid: bit, miss: missOf(p) })),
  next: output(bit),
  take: input(bit),
  served: output(Served(p)),
});
/** The ports as the module's body sees them. */
export type MissTableIo = Inside<ReturnType<typeof missTablePorts>>;
