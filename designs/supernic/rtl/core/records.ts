/** What is kept of packets, said of them, and sent between scheduler and regions. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { flowHashBits } from "../../wire/index.ts";
import { CameBack, type DeviceSizes, lengthBits, Started, userBits } from "../inside/index.ts";
import { portBits } from "../match/index.ts";
import { type ChainParameters, RegionEnter, RegionLeave } from "../region/index.ts";

export type PathParameters = Pick<DeviceSizes, "contexts" | "regions" | "slots" | "branches">;

/** What tasks are told of a packet, beside its header and what its DAG tells them. */
export const Told = struct({
  uid: uint(16),
  user: uint(userBits),
  ingress: uint(portBits),
  flowHash: uint(flowHashBits),
  headBytes: uint(7),
  payloadBytes: uint(lengthBits),
  noL4: bit,
});
/** What tasks have said of a packet's front, and that it goes back. */
export const Front = struct({ prepend: uint(8), frontBytes: uint(7), dropFront: uint(7), reply: bit });

/** As a chain of all slots would take it; how many places its slots have does not matter here. */
const chain = (p: PathParameters): ChainParameters => ({ contexts: p.contexts, slots: p.slots, places: 1 });
/** A branch of a packet on its way into its region. */
export const BranchEnter = (p: PathParameters) => {
  const { branch, region } = Started(p).fields;
  return struct({ ...RegionEnter(chain(p)).fields, branch, region });
};
/** A branch that has left its region. */
export const BranchLeave = (p: PathParameters) => {
  const { branch, region } = CameBack(p).fields;
  return struct({ ...RegionLeave(chain(p)).fields, branch, region });
};
