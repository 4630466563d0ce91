/** Dominant resource fairness: as it is meant, and in the arithmetic of the hardware unit. */
export { drfExact, type ExactAnswer, type ExactShare } from "./exact.ts";
export { drfFixed, type FixedAnswer } from "./fixed.ts";
export { checkProblem, type DrfProblem, type DrfUser } from "./problem.ts";
export * from "./rational.ts";
