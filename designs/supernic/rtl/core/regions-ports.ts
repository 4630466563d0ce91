/** What goes into the regions of a device and comes out, and what each of them holds. */
import { input, mergePorts, output, portArray, sink, source, struct, uint, vec } from "../../../../hdl-dsl/index.ts";
import type { PayloadUse, TrailerUse } from "../../wire/index.ts";
import { ctxBits, type DeviceSizes, EntryWrite } from "../inside/index.ts";
import {
  mostMakers,
  mostPayloads,
  mostTrailers,
  mostWays,
  nameOfChain,
  nameOfVariants,
  RegionStateAsk,
  RegionStatus,
} from "../reconfigure/index.ts";
import {
  makePortsOf,
  makersOf,
  memoryPortsOf,
  memoryWays,
  ofWriters,
  payloadUses,
  SlotControl,
  SlotState,
  StateSaid,
  TrailerSaid,
  trailerUses,
} from "../region/index.ts";
import { PayloadBeat, type Task, TaskConfig } from "../tasks/index.ts";
import { BranchEnter, BranchLeave, type PathParameters } from "./records.ts";

export type RegionsParameters = PathParameters &
  Pick<DeviceSizes, "credits"> & {
    /** Cycles in which a region is reprogrammed; 5 ms, where this is left out. */
    readonly reprogramCycles?: number;
  };
/** A region that can be reprogrammed: its bitstreams, and which of them, from 1, is there after a reset; 0: none. */
export interface Bitstreams {
  readonly variants: readonly (readonly Task[])[];
  readonly first: number;
}
/** What a region holds: a chain for ever, or one of several. */
export type RegionContent = readonly Task[] | Bitstreams;
export const isStatic = (content: RegionContent): content is readonly Task[] => "length" in content;
export const nameOfContent = (content: RegionContent): string =>
  isStatic(content) ? nameOfChain(content) : `${content.first}_of_${nameOfVariants(content.variants)}`;

/** A word of configuration for a task, by region and slot. */
export const SlotConfig = struct({ ...TaskConfig.fields, region: uint(3), slot: uint(3) });

export const slotsOf = (p: RegionsParameters) => ({ ...p, places: p.credits });
/** A region keeps the branch above the context. */
export const branchesOf = (p: RegionsParameters) => ({
  contexts: 2 ** (ctxBits(p) + BranchEnter(p).fields.branch.width),
});
export const regionsPorts = (p: RegionsParameters) => ({
  enter: sink(BranchEnter(p)),
  leave: source(BranchLeave(p)),
  /** Regions that take what is sent to them now, and some more. */
  accepts: output(uint(p.regions)),
  /** By region: slots that are busy, and slots whose task has taken a packet. */
  busy: output(vec(uint(p.slots), p.regions)),
  give: output(vec(uint(p.slots), p.regions)),
  // A build without some of the slots does not look at theirs. By region, then slot.
  control: input(vec(SlotControl(slotsOf(p)), p.regions * p.slots), { unused: true }),
  state: output(vec(SlotState(slotsOf(p)), p.regions * p.slots)),
  // A build without tasks looks at none.
  config: input(SlotConfig, { unused: true }),
  // A build whose chains stay does not look at it.
  region: input(EntryWrite("region"), { unused: true }),
  status: output(vec(RegionStatus(branchesOf(p)), p.regions)),
  // A build whose tasks keep no state refuses all of them.
  stateAsk: input(RegionStateAsk, { unused: true }),
  stateSaid: output(StateSaid),
});
/** Every chain that a region has or may get. */
export const chainsOf = (contents: readonly RegionContent[]): readonly (readonly Task[])[] =>
  contents.flatMap(c => (isStatic(c) ? [c] : c.variants));
/** Ways to memory that a region needs: as many as any chain of its has. */
export const regionMemoryWays = (content: RegionContent): number =>
  isStatic(content) ? memoryWays(content) : mostWays(content.variants);
/** Those that all of these regions need. */
export const memoryWaysOf = (contents: readonly RegionContent[]): number =>
  contents.map(regionMemoryWays).reduce((a, b) => a + b, 0);
/** What the ways to payloads of these regions do, in the order of regions and slots. */
export const payloadWaysOf = (contents: readonly RegionContent[]): readonly PayloadUse[] =>
  contents.flatMap(c => (isStatic(c) ? payloadUses(c) : mostPayloads(c.variants)));
/** What those of trailers do, in the same order. */
export const trailerWaysOf = (contents: readonly RegionContent[]): readonly TrailerUse[] =>
  contents.flatMap(c => (isStatic(c) ? trailerUses(c) : mostTrailers(c.variants)));
/** Ways out of these regions for frames of their tasks. */
export const makeWaysOf = (contents: readonly RegionContent[]): number =>
  contents.map(c => (isStatic(c) ? makersOf(c) : mostMakers(c.variants))).reduce((a, b) => a + b, 0);
/** A packet's trailer, as its task says. */
export const TrailerOf = (p: RegionsParameters) => struct({ ...TrailerSaid(slotsOf(p)).fields, ctx: uint(ctxBits(p)) });
export const JobOf = (p: RegionsParameters) => struct({ ctx: uint(ctxBits(p)) });
/** Their ways to payloads and memory, for those that declare one. */
export const waysPorts = (
  p: RegionsParameters,
  uses: readonly PayloadUse[],
  memories: number,
  makers: number,
  trailers: number,
) =>
  mergePorts(
    memoryPortsOf(memories),
    makePortsOf(makers),
    portArray("job", uses.length, source(JobOf(p))),
    portArray("payload", uses.length, sink(PayloadBeat)),
    ofWriters("back", uses, source(PayloadBeat)),
    portArray("trailer", trailers, output(TrailerOf(p))),
  );
export type RegionsPorts = ReturnType<typeof regionsPorts> & ReturnType<typeof waysPorts>;
