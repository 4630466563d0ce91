import { ageCycles } from "../../../clio/rig/index.ts";
import { clioField, status } from "../../../clio/wire/index.ts";
import { lossesOf, RestingClock, type Totals } from "../../../shared/rig/index.ts";
import type { Rack } from "../../setup/index.ts";
import type { RunningRack } from "../fabric/index.ts";
import type { Gate } from "./gates.ts";

/** Cycles for which the clocks go on when nothing is under way. Members are apart by less than the rest of it. */
const quietCycles = 64,
  /** Epochs in which the meters of a sNIC fill up. */
  agingEpochs = 2;

/** Cycles in which all that is silent has aged: clients at the nodes, meters of the sNICs. */
const agingOf = ({ nodes, devices }: Rack): number =>
  Math.max(...nodes.map(n => ageCycles(n.settings.config)), ...devices.map(d => agingEpochs * d.setup.epoch));

/** A rack and its gates: when its clocks run, and counts of what comes and goes. */
export class RackService {
  readonly #rack: RunningRack;
  readonly #gates: readonly Gate[];
  readonly #clock: RestingClock;
  #framesIn = 0;
  #framesOut = 0;

  constructor(rack: RunningRack, gates: readonly Gate[]) {
    const { clockwork, lookahead, plan } = rack;
    this.#rack = rack;
    this.#gates = gates;
    this.#clock = new RestingClock({
      cycle: () => clockwork.cycle,
      working: () => rack.working,
      quietCycles: quietCycles + 2 * lookahead,
      ageCycles: agingOf(plan),
      rest: until => clockwork.rest(until),
      edgesPerTurn: edges => {
        clockwork.edgesPerTurn = edges;
      },
    });
    for (const node of rack.nodes)
      node.onSent = frame => {
        const said = clioField(frame, "status");
        // Somebody has to be forgotten first, which takes time.
        if (said === status.BUSY || said === status.YIELD) this.#clock.age();
      };
  }

  /** Until `stop` settles or a network fails. @returns what a network fails with */
  async run(stop: Promise<unknown>): Promise<Error | undefined> {
    this.#rack.clockwork.onEdge(() => this.#clock.watch());
    const failure = await new Promise<Error | undefined>(resolve => {
      for (const { name, connect } of this.#gates)
        connect(this.#rack.endpoint(name), {
          arrived: () => {
            this.#framesIn++;
            this.#clock.arrived();
          },
          left: () => void this.#framesOut++,
          failed: resolve,
        });
      const stopped = (): void => resolve(undefined);
      stop.then(stopped, stopped);
    });
    this.#clock.stop();
    return failure;
  }
  totals(): Totals {
    return {
      framesIn: this.#framesIn,
      framesOut: this.#framesOut,
      ...lossesOf(
        this.#gates.map(g => g.network),
        0,
      ),
      cycles: this.#rack.clockwork.cycle,
      ...this.#clock.times,
    };
  }
}
