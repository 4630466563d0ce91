import { bitsFor, node, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";
import type { EngineParameters } from "../../config/index.ts";

/** Accesses under way, and whether there may be one more. */
export function accessCount(p: EngineParameters, begins: UInt<1>, ends: UInt<1>) {
  const count = reg(uint(bitsFor(p.maxInFlight)), { init: 0, name: "in_flight" });
  when(begins.and(ends.not()), () => count.set(count.add(1)));
  when(ends.and(begins.not()), () => count.set(count.sub(1)));
  return { count, room: node(count.lt(p.maxInFlight), { name: "room" }) };
}
