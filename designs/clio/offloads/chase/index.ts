/** POINTER_CHASE: follows a linked list in the client's memory (paper §4.6, radix tree). */
import { opcode } from "../../wire/index.ts";
import type { Offload } from "../../offload/index.ts";
import { PointerChase } from "./pointer-chase.ts";

export { PointerChase } from "./pointer-chase.ts";
export { largestNode, type ChaseParameters } from "./types.ts";
/** As a build names it. */
export const pointerChase: Offload = {
  name: "pointer_chase",
  opcodes: [opcode.POINTER_CHASE],
  build: p => PointerChase(p),
};
