import {
  arbiter,
  type Bit,
  connect,
  constant,
  type Def,
  demux,
  fromBits,
  type Inside,
  instance,
  mergePorts,
  module,
  node,
  orTree,
  type Outside,
  reg,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { mostMemoryTasks, mostPayloadTasks } from "../../wire/index.ts";
import { defaultReprogramCycles, Loader, RegionStateAsk, variantBits } from "../reconfigure/index.ts";
import { firstSaid, keepsState, type statePortsOf, StateSaid } from "../region/index.ts";
import { type Before, staticRegion, swappedRegion, type Within } from "./regions-placed.ts";
import {
  isStatic,
  makeWaysOf,
  memoryWaysOf,
  nameOfContent,
  payloadWaysOf,
  type RegionContent,
  type RegionsParameters,
  regionsPorts,
  type RegionsPorts,
  trailerWaysOf,
  waysPorts,
} from "./regions-ports.ts";

function checkContents(contents: readonly RegionContent[], p: RegionsParameters): void {
  if (contents.length < 1 || contents.length > p.regions)
    throw new RangeError(
      `regions: there are ${contents.length} chains for ${p.regions} regions; give 1 to ${p.regions}`,
    );
  const long = contents.findIndex(c => isStatic(c) && c.length > p.slots),
    found = contents[long];
  if (found !== undefined && isStatic(found))
    throw new RangeError(`regions: chain ${long} has ${found.length} tasks; a region has ${p.slots} slots`);
  const uses = payloadWaysOf(contents).length;
  if (uses > mostPayloadTasks)
    throw new RangeError(
      `regions: ${uses} tasks have payload at once, and the packet store has ${mostPayloadTasks} buses for them; leave some out`,
    );
  const memories = memoryWaysOf(contents);
  if (memories > mostMemoryTasks)
    throw new RangeError(
      `regions: ${memories} tasks have memory, and a device has ${mostMemoryTasks} ways to it; leave some out`,
    );
}

/**
 * The regions of a device, each with its chain, or with one of its bitstreams (paper §5.3, §5.4.3): what is sent to a
 * region enters it, and what leaves the regions is taken in turns. A region without a chain drops what comes. Latency:
 * that of a region, and none at `leave`. Initiation interval 1. Full: `enter` waits for the region that the branch is
 * for; `leave` gives every branch once. Reset: nothing is inside; regions that can be reprogrammed have their first
 * chain. @throws RangeError for more chains than regions, a chain of more tasks than slots, more than two ways to
 * payload or eight to memory
 */
export function regions(contents: readonly RegionContent[]): (p: RegionsParameters) => Def<RegionsPorts> {
  const uses = payloadWaysOf(contents),
    memories = memoryWaysOf(contents),
    makers = makeWaysOf(contents),
    trailers = trailerWaysOf(contents).length;
  return module(
    "Regions",
    (p: RegionsParameters) => mergePorts(regionsPorts(p), waysPorts(p, uses, memories, makers, trailers)),
    (io, p) => {
      checkContents(contents, p);
      const entries = demux(io.enter, io.enter.payload.region, p.regions, { name: "enters" }),
        made = new Map<string, unknown>();
      const within: Within = {
        io,
        p,
        definition: <T>(name: string, make: () => T): T => {
          const known = (made.get(name) as T | undefined) ?? make();
          made.set(name, known);
          return known;
        },
      };
      const swapped = contents.some(c => !isStatic(c)),
        first = Array.from({ length: p.regions }, (_, r) => {
          const content = contents[r] ?? [];
          return isStatic(content) ? 0 : content.first;
        }),
        { reprogramCycles = defaultReprogramCycles } = p,
        loader = swapped ? instance("loader", Loader({ regions: p.regions, reprogramCycles, first })) : undefined;
      loader?.write.set(io.region);
      const states = statesOfRegions(io);
      const placed = entries.map((entry, r) => {
        const content = contents[r] ?? [];
        const front = contents.slice(0, r);
        const before: Before = {
          reads: payloadWaysOf(front).length,
          ...{ memories: memoryWaysOf(front), makers: makeWaysOf(front) },
          trailers: trailerWaysOf(front).length,
        };
        if (loader !== undefined && !isStatic(content)) {
          const swapping = swappedRegion(entry, content, r, before, loader, within);
          if (content.variants.some(keepsState)) states.join(r, swapping.it);
          return swapping;
        }
        loader?.names.at(r).set(constant(0, variantBits));
        // To the loader it is never free: who would load it is refused.
        const chain = isStatic(content) ? content : [];
        const staying = staticRegion(entry, chain, r, before, within);
        if (keepsState(chain) && staying.it !== undefined) states.join(r, staying.it);
        return { ...staying, off: zero(), empty: zero() };
      });
      states.end();
      loader?.off.set(fromBits(placed.map(x => x.off)).is(p.regions));
      loader?.empty.set(fromBits(placed.map(x => x.empty)).is(p.regions));
      if (memories > 0) io.memoryOff.set(fromBits(placed.flatMap(x => x.memoryOff)).is(memories));
      connect(
        arbiter(
          placed.map(x => x.leave),
          { name: "leaves" },
        ),
        io.leave,
      );
      io.accepts.set(fromBits(placed.map(x => x.accepts)).is(p.regions));
    },
    {
      nameOf: p =>
        `Regions_${contents.map(nameOfContent).join("__")}_c${p.contexts}_r${p.regions}_s${p.slots}_b${p.branches}_f${p.credits}`,
    },
  );
}
/**
 * The way to the state of all regions: an ask is behind a register for the region that it is for. One without state,
 * or that there is not, refuses.
 */
function statesOfRegions(io: Pick<Inside<RegionsPorts>, "stateAsk" | "stateSaid">) {
  const { region, ...to } = io.stateAsk,
    asked = reg(RegionStateAsk, { init: 0, name: "state_asked" }),
    joined: { readonly there: Bit; readonly said: Val<typeof StateSaid> }[] = [];
  asked.set({ ...to, region });
  return {
    join: (r: number, it: Outside<ReturnType<typeof statePortsOf>>): void => {
      const { region: of, ...ask } = asked,
        there = node(of.eq(r), { name: `state_of_region_${r}` });
      it.stateAsk.set({ ...ask, valid: ask.valid.and(there) });
      joined.push({ there, said: it.stateSaid });
    },
    end: (): void => {
      const nobody = reg(StateSaid, { init: 0, name: "no_state" });
      const there = joined.map(j => j.there);
      nobody.set({
        valid: there.length === 0 ? asked.valid : asked.valid.andNot(orTree(there)),
        done: 0,
        number: asked.number,
        data: 0,
      });
      io.stateSaid.set(firstSaid([nobody, ...joined.map(j => j.said)], "state_said"));
    },
  };
}
const zero = (): Bit => constant(0, 1);
