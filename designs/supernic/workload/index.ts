/** Frames to try a device with, the setup that they are made for, and loads that figures are measured with. */
export { constantRate, type Gaps, poisson } from "./arrivals.ts";
export { demoCapture, type DemoFrame } from "./demo.ts";
export { draw, exponential, extremeValue, generalPareto, normal, type Quantile } from "./distributions.ts";
export * from "./frames.ts";
export { keyBytes, kvGaps, type KvRequest, kvRequest, smallValues, valueBytes } from "./memcached.ts";
export { demoSetup, demoSetupText } from "./setup.ts";
export { KvTrace } from "./trace.ts";
export { correlations, type SpikeOptions, spikes } from "./spikes.ts";
