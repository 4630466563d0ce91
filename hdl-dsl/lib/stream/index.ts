/** Modules that join and part streams. */
export {
  RoundRobinArbiter,
  type RoundRobinArbiterParameters,
  type RoundRobinArbiterPorts,
} from "./round-robin-arbiter.ts";
