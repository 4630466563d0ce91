/** POINTER_CHASE: follows a linked list in the client's memory (paper §4.6, radix tree). */
export { PointerChase } from "./pointer_chase.ts";
export { largestNode, type ChaseParameters } from "./types.ts";
