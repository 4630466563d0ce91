/** What the device tells the monitors, and what these hand on. Page: docs/supernic/monitors.md. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { drfFormat } from "../../config/index.ts";
import { ctxBits, dagBits, lengthBits, userBits } from "../inside/index.ts";
import { type FairParameters, fairUserBits, resourceBits, tallyBits } from "./parameters.ts";

/** A packet that has arrived: of its record, what is counted. */
export const Admitted = (p: FairParameters) =>
  struct({
    valid: bit,
    ctx: uint(ctxBits(p)),
    dag: uint(dagBits),
    user: uint(userBits),
    headBytes: uint(7),
    payloadBytes: uint(lengthBits),
  });
/** The egress has decided on a packet: a bit for its port, the loop port last; none when it is dropped. */
export const Decided = (p: FairParameters) =>
  struct({ valid: bit, ctx: uint(ctxBits(p)), dropped: bit, ports: uint(p.ports + 1) });
/** A frame for the core at an inlet; `kept`: it is in its class queue. */
export const Offered = struct({ valid: bit, kept: bit, user: uint(userBits), bytes: uint(lengthBits) });
/** A frame that the merge has taken. */
export const TakenFrame = struct({ valid: bit, user: uint(userBits), bytes: uint(lengthBits) });

/** A resource of a user. */
export const Place = (p: FairParameters) => struct({ user: uint(fairUserBits(p)), resource: uint(resourceBits(p)) });
/** What was counted of a place in the epoch that is over, and the user's bytes that belong to it. */
export const Counted = struct({ use: uint(tallyBits), bytes: uint(tallyBits) });
/** Bytes that a user asks for. */
export const Demand = (p: FairParameters) =>
  struct({ valid: bit, user: uint(fairUserBits(p)), bytes: uint(drfFormat.rateBits), taken: uint(tallyBits) });
/** What software looks at. */
export const Shown = struct({
  /** Use by bytes in the last epoch that had bytes. */
  use: uint(drfFormat.vectorBits),
  demand: uint(drfFormat.rateBits),
  taken: uint(tallyBits),
  rate: uint(drfFormat.rateBits),
});
