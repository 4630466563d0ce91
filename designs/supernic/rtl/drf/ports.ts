/** What goes into the unit and comes out. Page: docs/supernic/drf.md. */
import { addressBits, bit, input, output, sink, source, struct, uint, vec } from "../../../../hdl-dsl/index.ts";
import { drfFormat } from "../../config/index.ts";
import { type DrfParameters, userBitsOf } from "./parameters.ts";

/** A user's vector for the resources of one group. Users come in their order, and the groups of each in theirs. */
export const VectorBeat = (p: DrfParameters) =>
  struct({
    /** The same in all beats of a user. */
    weight: uint(drfFormat.weightBits),
    demand: uint(drfFormat.rateBits),
    uses: vec(uint(drfFormat.vectorBits), p.lanes),
  });
/** Bytes in an epoch of one user, for the meter. */
export const Rate = (p: DrfParameters) => struct({ user: uint(userBitsOf(p)), bytes: uint(drfFormat.rateBits) });

export const drfPorts = (p: DrfParameters) => ({
  /** Software writes a resource's units in an epoch; 0: there is none. Read once a run, behind its beats. */
  capacities: input(struct({ en: bit, index: uint(addressBits(p.resources)), value: uint(drfFormat.capacityBits) })),
  vectors: sink(VectorBeat(p)),
  rates: source(Rate(p)),
  /** From the last beat of a run to its last rate. */
  busy: output(bit),
});
