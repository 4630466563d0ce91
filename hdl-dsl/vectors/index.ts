/** Vectors as sets of bits: one-hot codes, bits side by side, and the choice of one of them. */
export { priority, priorityTree, type Choice } from "./choice.ts";
export { valueAt } from "./chosen.ts";
export { decode, encodeOnehot, fromBits, orTree, toBits } from "./onehot.ts";
export {
  atMostOne,
  bitsAbove,
  encodePriority,
  firstSet,
  lowestBits,
  lowestFlat,
  lowestOfFirst,
  lowestSet,
  several,
} from "./priority.ts";
