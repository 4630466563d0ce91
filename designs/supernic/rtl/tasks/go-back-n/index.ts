export { goBackN, GoBackN } from "./go-back-n.ts";
export { gbnTaskDefaults, type GbnTaskParameters } from "./records.ts";
