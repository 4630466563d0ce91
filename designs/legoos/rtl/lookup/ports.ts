/** The ports of the look-up. */
import { bit, input, type Inside, output, sink, source, struct } from "../../../../hdl-dsl/index.ts";
import type { Parameters } from "../../config/index.ts";
import { Access, Events, Finish, Job, Place, Request } from "../records/records.ts";

/** With lines on chip: `direct` says that a hit of this cycle may pass the queue, and `early` is that hit. */
const directPorts = (p: Parameters) => ({
  direct: input(bit),
  early: output(struct({ valid: bit, access: Access(p) })),
});

export const lookupPorts = (p: Parameters) => ({
  request: sink(Request(p)),
  /** Software's order: what is at the place leaves the cache, written back when it is dirty. */
  evict: sink(Place(p)),
  finish: sink(Finish(p)),
  job: source(Job(p)),
  access: source(Access(p)),
  events: output(Events),
  /** Nothing is under way. */
  idle: output(bit),
  ready: output(bit),
  ...(p.lines === "chip" ? directPorts(p) : ({} as ReturnType<typeof directPorts>)),
});
/** The ports as the module's body sees them. */
export type LookupIo = Inside<ReturnType<typeof lookupPorts>>;
