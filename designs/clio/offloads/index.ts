/** The offloads that a build can have (paper §4.6). */
import type { Proof } from "../../../hdl-dsl/index.ts";
import type { OffloadName } from "../config/index.ts";
import { type Offload, requestOrderProof, slotDataProofs, slotProof } from "../offload/index.ts";
import { pointerChase } from "./chase/index.ts";
import { df } from "./df/index.ts";
import { clioKv } from "./kv/index.ts";
import { mv } from "./mv/index.ts";

/** Each by its name in `offloads`. */
export const offloadBuilds: Readonly<Record<OffloadName, Offload>> = { chase: pointerChase, kv: clioKv, mv, df };
/** Proofs of their units. */
export const offloadProofs: readonly Proof[] = [slotProof, ...slotDataProofs, requestOrderProof];
