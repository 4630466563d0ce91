export { ago, counter, numberAgo, saturated } from "./arithmetic.ts";
export { DrfDivider, dividerLatency } from "./divider.ts";
export { Drf } from "./drf.ts";
export { type DrfParameters } from "./parameters.ts";
export { Rate } from "./ports.ts";
