/** Rules, and what the first one that matches says of a header. */
import { bit, fromBits, lowestSet, mux, pipeline, stream, type StreamIn, struct, uint, type Val } from "mnemosyne";
import type { Header } from "./header.ts";

/** A header matches when each part does: addresses in the bits of their masks, the port from `low` to `high`. */
export const Rule = struct({
  enabled: bit,
  drop: bit,
  source: uint(32),
  sourceMask: uint(32),
  destination: uint(32),
  destinationMask: uint(32),
  anyProtocol: bit,
  protocol: uint(8),
  low: uint(16),
  high: uint(16),
});
export const Verdict = struct({ drop: bit });

/**
 * A verdict for each header, in order: of the first rule that matches, or `otherwise`. A header that is not known
 * matches none. Latency 3, initiation interval 1.
 */
export function judge(
  from: StreamIn<typeof Header>,
  rules: readonly Val<typeof Rule>[],
  otherwise: "pass" | "drop",
): StreamIn<typeof Verdict> {
  const verdicts = stream(Verdict);
  pipeline(from)
    .stage(h => ({
      sources: fromBits(rules.map(r => h.source.xor(r.source).and(r.sourceMask).any().not())),
      destinations: fromBits(rules.map(r => h.destination.xor(r.destination).and(r.destinationMask).any().not())),
      protocols: fromBits(rules.map(r => r.anyProtocol.or(h.protocol.eq(r.protocol)))),
      ports: fromBits(rules.map(r => h.port.ge(r.low).and(h.port.le(r.high)))),
      applies: fromBits(rules.map(r => r.enabled.and(h.known))),
      // Taken with the rest of its rule: the rule may be another one in the next cycle.
      drops: fromBits(rules.map(r => r.drop)),
    }))
    .stage(v => ({
      first: lowestSet(v.sources.and(v.destinations).and(v.protocols).and(v.ports).and(v.applies)),
    }))
    .stage(v => ({ drop: mux(v.first.any(), v.first.and(v.drops).any(), otherwise === "drop" ? 1 : 0) }))
    .into(verdicts);
  return verdicts;
}
