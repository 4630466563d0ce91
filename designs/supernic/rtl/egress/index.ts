/** The egress: packets that are finished leave, or are dropped. */
export { Egress } from "./egress.ts";
export { Lists } from "./lists.ts";
export { EgressConfig, EgressEvents, type EgressParameters } from "./ports.ts";
export { Releases } from "./releases.ts";
