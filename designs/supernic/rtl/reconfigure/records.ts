/** What stands between a region that can be reprogrammed and all others. Page: docs/supernic/reconfigure.md. */
import { bit, bitsFor, enumOf, input, output, sink, source, struct, uint, vec } from "../../../../hdl-dsl/index.ts";
import {
  type ChainParameters,
  RegionConfig,
  RegionEnter,
  RegionLeave,
  SlotControl,
  SlotState,
} from "../region/index.ts";

/** Bits of a chain's number among the bitstreams of a region; 0 is none. */
export const variantBits = 6;
export const mostVariants = 2 ** variantBits - 1;
/** Cycles for which a chain runs before anybody may come: its region accepts packets by then. */
export const wakingCycles = 16;
/** Default time of reprogramming: 5 ms (paper §5.4.3) in cycles of 4 ns. */
export const defaultReprogramCycles = 1_250_000;

export const RegionStage = enumOf("RegionStage", ["on", "cut", "loading", "waking"]);
/** What the loader says of a region. */
export const LoaderStatus = struct({
  stage: RegionStage,
  /** The chain that was asked for last. */
  chain: uint(variantBits),
  /** It was loaded, and named another chain, or none. */
  wrong: bit,
  /** The last load was refused. */
  refused: bit,
});
/** Bits of a count of packets; it wraps. */
export const countBits = 32;
/** What a decoupler has seen: packets inside now, and counts. */
export const DecouplerStatus = (p: Pick<ChainParameters, "contexts">) =>
  struct({
    /** Nothing of the partition counts. */
    off: bit,
    /** No packet is inside, and no credit is out. */
    empty: bit,
    inside: uint(bitsFor(p.contexts)),
    killed: uint(countBits),
    strays: uint(countBits),
  });
/** What software sees of a region; `contexts` counts branches, too. */
export const RegionStatus = (p: Pick<ChainParameters, "contexts">) =>
  struct({ ...LoaderStatus.fields, ...DecouplerStatus(p).fields, quiet: bit });

/** The way of packets through a region, as it is on both sides of a decoupler. */
export const regionWay = (p: ChainParameters) => ({
  enter: sink(RegionEnter(p)),
  leave: source(RegionLeave(p)),
  give: output(uint(p.slots)),
  accepts: output(bit),
});
/** What software may ask of a region's slots and see of them; a chain with fewer slots leaves the others out. */
export const regionSide = (p: ChainParameters) => ({
  control: input(vec(SlotControl(p), p.slots), { unused: true }),
  config: input(RegionConfig(p), { unused: true }),
  state: output(vec(SlotState(p), p.slots)),
});
