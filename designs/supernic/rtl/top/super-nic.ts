import { constant, type Def, module } from "../../../../hdl-dsl/index.ts";
import { memoryWaysOf, nameOfContent, type RegionContent, trailerWaysOf } from "../core/index.ts";
import { inlets } from "../inside/index.ts";
import { keptBits } from "../link/index.ts";
import { joinBoard } from "./board.ts";
import { middleBits, middleCounterBits } from "./counts.ts";
import { exitsOf, joinEgress, joinLane, joinPorts } from "./exits.ts";
import { fairness } from "./fairness.ts";
import { countersOf, loopCounts } from "./inlets.ts";
import { middleOf } from "./middle.ts";
import { type Controlled, controlOf, type SuperNicPorts, superNicPorts, type Ways, waysOf } from "./ports.ts";
import { type DeviceParameters, queuedBits } from "./records.ts";
import { spillOf, spillSizes } from "./spill.ts";
import { type Stores, storesOf } from "./stores.ts";
import { waiting } from "./waiting.ts";

/** What is inside, and what is counted. */
function count(
  { control }: Controlled,
  { rx, loop, outlets }: Ways,
  { merge, store }: Stores,
  { egress, lane }: ReturnType<typeof exitsOf>,
  p: DeviceParameters,
): void {
  const n = inlets(p);
  rx.forEach((r, i) =>
    control.inside.at(i).set({
      queued: r.waiting.resize(queuedBits),
      kept: outlets[i]?.tx.kept ?? constant(0, keptBits),
    }),
  );
  control.inside.at(n).set({ queued: lane.held.resize(queuedBits), kept: 0 });
  outlets.forEach((o, i) => control.counts.at(i).set(o.count));
  control.counts.at(p.ports).set(loopCounts(loop, control.counter));
  control.counts
    .at(n)
    .set(
      countersOf(
        "counts_middle",
        middleCounterBits,
        control.counter,
        middleBits({ merge: merge.events, egress: egress.events, lane: lane.events, store: store.events }),
      ),
    );
}

/**
 * The device (paper, chapter 5; docs/supernic/device.md has the picture): ports with their links, merge, stores,
 * scheduler, regions with these chains, egress, switch lane, loop port, and registers. `rx<i>` never waits. `tx<i>`
 * gives a frame's beats without a gap, as far as the MAC takes them. Latency, bounds and what happens when full stand
 * at the blocks. Reset: nothing is inside; tables stay, and software writes all of them before it lets frames come.
 */
export function superNic(chains: readonly RegionContent[]): (p: DeviceParameters) => Def<SuperNicPorts> {
  return module(
    "SuperNic",
    superNicPorts,
    (io, p) => {
      const memories = memoryWaysOf(chains);
      if (memories !== (p.memory?.ways ?? 0))
        throw new RangeError(
          `SuperNic: the regions have ${memories} ways to memory, and it has ${p.memory?.ways ?? 0} of them; give it as many`,
        );
      const controlled = controlOf(io, p),
        { control, users } = controlled,
        { bus } = control,
        ways = waysOf(io, controlled, p),
        { rx } = ways,
        stores = storesOf(chains, ways, controlled, p),
        { merge } = stores,
        middle = middleOf(chains, io, controlled, stores, p),
        exits = exitsOf(chains, p),
        { egress, lane } = exits;
      joinEgress(egress, trailerWaysOf(chains).length, middle, stores, controlled);
      control.shown.set(fairness(p, { set: control.fair, part: control.part, bus, users, rx, merge, egress }));
      const { dagLook: look, dagNext: next } = control;
      const spill = p.spill && spillOf(io, spillSizes(p, p.spill), ways, stores);
      control.gate.set(waiting(p, { bus, rx, merge, egress, look, next, ...(spill && { spill }) }));
      joinBoard(io, p, { memory: middle.memory, spill });
      joinLane(lane, chains, io, ways, middle, controlled, p);
      joinPorts(egress, lane, ways, p);
      count(controlled, ways, stores, exits, p);
    },
    {
      nameOf: p =>
        `SuperNic_p${p.ports}_${chains.map(nameOfContent).join("__")}_c${p.contexts}_k${p.cells}_u${p.users}_r${p.regions}_s${p.slots}_f${p.frameBytes}${p.spill === undefined ? "" : `_n${p.spill.rings}`}`,
    },
  );
}
