/** Arithmetic: comparisons with a shape of their own. */
export { atLeast, carryEqual, isAfter, without } from "./compare.ts";
