/** The units of the miss engine, its table and its jobs. */
import { type Bit, fromBits, instance, ram, type UInt } from "../../../../../hdl-dsl/index.ts";
import type { Parameters } from "../../../config/index.ts";
import { Job } from "../../records/records.ts";
import { Ranges } from "../ranges.ts";
import { Receiver } from "../receive.ts";
import { VRegionRouter } from "../router.ts";
import { Sender } from "../send.ts";
import { missTable } from "../table.ts";
import type { EngineIo } from "./ports.ts";

export function partsOf(io: EngineIo, p: Parameters) {
  const ranges = instance("ranges", Ranges(p)),
    router = instance("router", VRegionRouter(p)),
    sender = instance("sender", Sender(p)),
    receiver = instance("receiver", Receiver(p));
  const table = missTable(p);
  const jobs = ram(Job(p), { depth: p.misses, collision: "undefined", style: "distributed", name: "jobs" });
  const each = (f: (m: number) => Bit): UInt => fromBits(Array.from({ length: p.misses }, (_, m) => f(m)));
  return {
    io,
    p,
    ranges,
    router,
    sender,
    receiver,
    table,
    jobs,
    /** A bit of each miss. */
    each,
  };
}
export type Parts = ReturnType<typeof partsOf>;
