/** Which peer is asked first to run a DAG. */
import type { Neighbour } from "./neighbour.ts";

/** Load of a chain from which on it has no room for another DAG, in percent. */
const full = 90;

/**
 * Peers that may have room, in the order in which they are asked.
 * @param digests of the DAG's chains
 */
export function peersFor(peers: readonly Neighbour[], digests: readonly number[]): readonly Neighbour[] {
  const rated = peers.flatMap(peer => {
    const { said } = peer;
    if (said === undefined || !peer.isTrusted) return [];
    const lacks = digests.filter(d => (said.chains.get(d)?.load ?? 100) >= full).length;
    return lacks > said.free ? [] : [{ peer, lacks, free: said.free }];
  });
  // Those that have all of it at once come first; then the nearest, then the emptiest.
  return rated
    .sort(
      (a, b) =>
        Math.sign(a.lacks) - Math.sign(b.lacks) ||
        a.peer.place.hops - b.peer.place.hops ||
        b.free - a.free ||
        a.peer.place.number - b.peer.place.number,
    )
    .map(r => r.peer);
}
