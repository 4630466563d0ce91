/** Coverage of benches under the built-in simulator. */
export { lcovOf } from "./lcov.ts";
export { mergeCoverage, type Reached } from "./merge.ts";
export {
  byFile,
  type Figures,
  figuresOf,
  missed,
  missing,
  type Part,
  percent,
  type Sort,
  sortOf,
  SORTS,
} from "./summary.ts";
