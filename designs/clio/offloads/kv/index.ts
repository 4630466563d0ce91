/** Clio-KV (paper §4.6): a key-value store in the node. */
import { opcode } from "../../wire/index.ts";
import type { Offload } from "../../offload/index.ts";
import { ClioKv } from "./kv.ts";
import { kvDefaults } from "./parameters.ts";

export { ClioKv } from "./kv.ts";
export { kvDefaults, largestValue, type KvParameters, unitShift } from "./parameters.ts";
export { KvReplies, purpose, purposeBits } from "./replies.ts";
/** As a build names it: 2^17 buckets, memory in arenas of 4 MB. */
export const clioKv: Offload = {
  name: "kv",
  opcodes: [opcode.KV_READ, opcode.KV_CREATE, opcode.KV_UPDATE, opcode.KV_DELETE],
  owned: true,
  once: [opcode.KV_CREATE, opcode.KV_UPDATE, opcode.KV_DELETE],
  build: p => ClioKv({ ...p, ...kvDefaults }),
};
