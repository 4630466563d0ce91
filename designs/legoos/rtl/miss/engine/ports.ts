/** The ports of the miss engine. */
import { bit, input, type Inside, output, sink, source, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../../shared/frame/index.ts";
import { beatBytes, derived, type Parameters } from "../../../config/index.ts";
import { Event, NodeWrite, Own, RangeWrite, RegionWrite } from "../../records/miss-records.ts";
import { Finish, Job, LineCommand } from "../../records/records.ts";

/** What goes over the network in a cycle, a bit each. */
export const Traffic = struct({ read: bit, write: bit, compound: bit, repeat: bit, local: bit, ignored: bit });

export const enginePorts = (p: Parameters) => ({
  own: input(Own),
  job: sink(Job(p)),
  finish: source(Finish(p)),
  /** Copies and zeros, and lines from the network. */
  line: source(LineCommand(p)),
  fill: source(LineCommand(p)),
  copied: input(struct({ valid: bit, data: uint(8 * beatBytes), bad: bit })),
  /** A beat of a miss's line stands in the line memory, or has failed there. */
  filled: input(struct({ valid: bit, miss: uint(derived(p).missBits), bad: bit })),
  tx: source(AxisBeat(beatBytes)),
  rx: sink(AxisBeat(beatBytes)),
  event: source(Event(p)),
  regionWrite: input(struct({ valid: bit, entry: RegionWrite(p) })),
  nodeWrite: input(struct({ valid: bit, entry: NodeWrite(p) })),
  rangeWrite: input(struct({ valid: bit, entry: RangeWrite(p) })),
  traffic: output(Traffic),
  busy: output(uint(p.misses)),
  ready: output(bit),
});
/** The ports as the module's body sees them. */
export type EngineIo = Inside<ReturnType<typeof enginePorts>>;
