/**
 * Judges whether what concurrent clients saw of a word or a key could have come from one that does one
 * operation after another.
 */
export { checkLinearizable, type Verdict } from "./checker.ts";
export { History, type Operation, type Specification } from "./history.ts";
export { wordSpecification, type WordInput, type WordOutput } from "./word.ts";
export { keySpecification, type KeyInput, type KeyOutput } from "./key-value.ts";
