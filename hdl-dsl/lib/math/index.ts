/** Arithmetic: comparisons with a shape of their own, division, fixed-point numbers, filters. */
export { atLeast, carryEqual, isAfter, without } from "./compare.ts";
export {
  Divider,
  dividerRequest,
  dividerResult,
  type DividerParameters,
  type DividerRequest,
  type DividerResult,
} from "./divider.ts";
export { Fir, firResultBits, type FirParameters } from "./fir.ts";
export {
  MultiplyAdd,
  multiplyAddRequest,
  type MultiplyAddParameters,
  type MultiplyAddRequest,
  type MultiplyAddResult,
} from "./multiply-add.ts";
export { roundOff, saturate } from "./rounding.ts";
