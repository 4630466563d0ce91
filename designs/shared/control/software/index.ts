/**
 * Control between nodes, in plain TypeScript: requests done at most once, requests to peers, and the clock for both.
 */
export {
  AtMostOnce,
  type AtMostOnceOptions,
  type AtMostOnceStatistics,
  type Refusals,
  type TrackedRequest,
} from "./at-most-once.ts";
export { type Clock, pause } from "./clock.ts";
export { type PeerCodec, PeerExchange, type PeerExchangeOptions, PeerGone } from "./peer-exchange.ts";
