/** Software for peers: who is there, whose DAGs run where. Page: docs/supernic/peers.md. */
export { Away, mostAway, type Placed } from "./away.ts";
export { peersFor } from "./choose.ts";
export { type Guest, Guests, mostGuests } from "./guests.ts";
export { chainDigest, pairKey } from "./keys.ts";
export { peerFrame, type PeerPlace } from "./messages.ts";
export { Neighbour, type PeerCounts, type Presence, type Said } from "./neighbour.ts";
export { PagesAway } from "./pages-away.ts";
export { PagesKept, type Piece } from "./pages-kept.ts";
export { PeerSoftware, type PeersOptions } from "./service.ts";
export { type ChainState, type Site, stateOf } from "./site.ts";
export { Ways } from "./ways.ts";
