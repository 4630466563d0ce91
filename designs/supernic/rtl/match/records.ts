/** What goes into match and action, what comes out, and its tables. */
import { bit, enumOf, struct, uint } from "../../../../hdl-dsl/index.ts";
import { matchActions, matchDrops, matchOutcomes, uidEntries } from "../../wire/index.ts";
import { Verdict } from "../judge/index.ts";

export interface MatchParameters {
  /** Ports of the device, 2 to 9. */
  readonly ports: number;
  /** Ternary rules, a power of two. */
  readonly rules: number;
  /** Known MACs, a power of two. */
  readonly macs: number;
}

/** Bytes of the header that are looked at: up to the destination port. */
export const matchHeadBytes = 38;
/** Bits of the number of a port or peer. */
export const portBits = 4;

export const MatchAction = enumOf("MatchAction", [...matchActions]);
export const MatchOutcome = enumOf("MatchOutcome", [...matchOutcomes]);
export const MatchDrop = enumOf("MatchDrop", [...matchDrops]);

/**
 * A frame that the judge has seen: the first bytes without shims, byte 0 lowest, the verdict, and by itself whether
 * that has a reason to refuse it.
 */
export const MatchKey = struct({ head: uint(matchHeadBytes * 8), refused: bit, verdict: Verdict });

/** Where a frame goes. Which fields count depends on the outcome. */
export const Outcome = (p: MatchParameters) =>
  struct({
    outcome: MatchOutcome,
    /** Of `drop`: why. */
    reason: MatchDrop,
    /** Of `ports`: one bit each, one or more of them; of `onward`: the way to its receiver. */
    ports: uint(p.ports),
    /**
     * Of `redirect`. Of `onward`, bit 0: its receiver is not behind the next link either. Of `ports` at a port of
     * peers, bit 0: it is for the software of a peer.
     */
    peer: uint(portBits),
    /** Of `core`, and of `redirect` by UID. */
    uid: uint(16),
    dag: uint(8),
    user: uint(6),
    unordered: bit,
  });

/** What stands still while frames come. */
export const MatchConfig = (p: MatchParameters) =>
  struct({
    /** The sNIC's own MAC. */
    mac: uint(48),
    /** This port's number. */
    port: uint(portBits),
    /** Frames to the own MAC are for software. */
    control: bit,
    hasUplink: bit,
    uplink: uint(portBits),
    /** Ports that lead to peers: no frame that is only switched goes there. */
    rings: uint(p.ports),
    /** Rules and MACs that count. */
    rules: uint(p.rules),
    macs: uint(p.macs),
  });

/** What a rule does. */
export const Action = struct({ action: MatchAction, port: uint(portBits), uid: uint(16) });
/** What is known of a MAC: its port, that a peer is there, and that another one is on the way to it. */
export const MacEntry = struct({ port: uint(portBits), peer: bit, far: bit });
/** What is known of a UID. */
export const UidEntry = struct({
  valid: bit,
  generation: uint(6),
  dag: uint(8),
  user: uint(6),
  allowed: bit,
  here: bit,
  peer: uint(portBits),
  unordered: bit,
});
/** Bits of an entry's number in the table of UIDs. */
export const uidIndexBits = Math.log2(uidEntries);
