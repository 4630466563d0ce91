/** The egress: packets that are finished leave, or are dropped. */
export { Egress } from "./egress.ts";
export { EgressConfig, EgressEvents, type EgressParameters } from "./ports.ts";
