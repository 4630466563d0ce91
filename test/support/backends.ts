/** The simulators and what they give, for tests that compare them. */
export type { Model } from "../../sim/backend/backend.ts";
export { verilatorBackend } from "../../sim/index.ts";
