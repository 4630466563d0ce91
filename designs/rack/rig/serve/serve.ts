import { servedNode } from "../../../clio/rig/index.ts";
import { type FrameLog, lingered, type Totals, untilStopped } from "../../../shared/rig/index.ts";
import type { Rack, RackLink } from "../../setup/index.ts";
import { type Finished, type RunningRack, type Tap, withRack } from "../fabric/index.ts";
import type { Gate } from "./gates.ts";
import { RackService } from "./service.ts";

export interface RackServeOptions {
  /** Ends the service when it settles. */
  readonly stop: Promise<unknown>;
  /** Called once the rack takes frames. */
  readonly ready?: (rack: RunningRack) => void;
  readonly seed: number;
  readonly log?: FrameLog | undefined;
  /** At the end, before the benches go. `rested`: nothing was under way any more. */
  readonly report: (rack: RunningRack, finished: Finished, totals: Totals, rested: boolean) => void;
}

/**
 * Serves a rack to the gates of its endpoints until `stop`. Simulated time passes only while something is under way.
 * @returns whether it took frames: not, when `stop` came before
 * @throws HangError and the like when a design fails; the error of a network that fails
 */
export async function serveRack(plan: Rack, gates: readonly Gate[], o: RackServeOptions): Promise<boolean> {
  const { log } = o,
    served = { node: servedNode(), time: () => performance.now() * 1e6 },
    options = { seed: o.seed, served, ...(log && { tap: (line: number) => tapOf(plan, line, log) }) };
  const result = await untilStopped(o.stop, ended =>
    withRack(plan, options, async (rack): Promise<Error | boolean> => {
      if (ended.aborted) return false;
      const service = new RackService(rack, gates),
        run = service.run(o.stop);
      o.ready?.(rack);
      const failure = await run;
      if (failure !== undefined) return failure;
      const totals = service.totals(),
        rested = await Promise.race([rack.settle(), lingered(o.stop).then(() => false)]);
      o.report(rack, await rack.finish(Promise.resolve(rested)), totals, rested);
      return true;
    }),
  );
  if (result instanceof Error) throw result;
  return result === true;
}

/** Writes what is on an endpoint's line at the endpoint's end. */
function tapOf({ endpoints, links }: Rack, line: number, log: FrameLog): Tap {
  const [first, second] = (links[line] as RackLink).between.map(p => endpoints.findIndex(e => e.name === p.place)),
    // By `tapPoints`: the first end sends, the second receives, the second sends, the first receives.
    ends = [first, second, second, first];
  return (point, ns, frame) => {
    const at = ends[point] ?? -1;
    if (at >= 0) log.add(at, ns, frame);
  };
}
