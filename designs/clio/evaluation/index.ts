export { areaPage } from "./area/page.ts";
export { paperTable } from "./area/paper-table.ts";
export { measureElaboration } from "./bench/elaboration.ts";
export { benchFigures } from "./bench/figures.ts";
export { measureFirstTouches } from "./bench/first-touches.ts";
export { measureLatency } from "./bench/latency.ts";
export {
  elaborationReport,
  firstTouchReport,
  latencyReport,
  speedReport,
  stateReport,
  throughputReport,
} from "./bench/report.ts";
export { compareNodeSpeed } from "./bench/speed.ts";
export { measureState } from "./bench/state.ts";
export { measureThroughput } from "./bench/throughput.ts";
export { exploreHook } from "./explore.ts";
export { besides, clioFigures, figureHook } from "./figures/index.ts";
export { checkValue, keyOf, valueOf } from "./measure/key-value.ts";
