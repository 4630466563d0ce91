/** What goes into the judge, what comes out, and its sizes. */
import { bit, enumOf, struct, uint } from "../../../../hdl-dsl/index.ts";
import { flowHashBits, judgedKinds, refusals } from "../../wire/index.ts";

/** Bytes of a beat: a header is one. */
export const judgeBeatBytes = 64;

export interface JudgeParameters {
  /** Bytes of the longest frame without shims, tag and FCS; of a frame inside a redirect by itself. */
  readonly frameBytes: number;
}

/** Bits of a frame's length in bytes. */
export const judgedLengthBits = 14;
/** What a redirect, of either kind, has in front of its inner frame, and what that one may have of tag and shim. */
const enclosedExtra = 14 + 4 + 8;
/** Beats of the longest frame that is accepted. */
export const judgedBeats = (p: JudgeParameters): number => Math.ceil((p.frameBytes + enclosedExtra) / judgeBeatBytes);
/** Bits of the number of a beat: up to one behind the last. */
export const judgedBeatBits = (p: JudgeParameters): number => Math.ceil(Math.log2(judgedBeats(p) + 1));

/** Why a frame is refused; `none`: it is not. */
export const JudgeReason = enumOf("JudgeReason", ["none", ...refusals]);
export const JudgedKind = enumOf("JudgedKind", [...judgedKinds]);

/** What kind of port it is: it stands still while frames come. */
export const JudgedPort = struct({
  /** Every frame but PFC has a link shim; on other ports none has. */
  reliable: bit,
  /** It leads to a peer: redirects may come. */
  peer: bit,
  /** The class of frames that do not tell theirs. */
  class: uint(3),
});

/** What a frame's first bytes say of it. */
const known = {
  kind: JudgedKind,
  linked: bit,
  link: struct({ sequence: uint(16), ack: uint(16), nack: bit }),
  tagged: bit,
  /** Priority 3, drop eligible 1, VLAN 12. */
  tag: uint(16),
  shimmed: bit,
  snic: struct({ ttl: uint(4), stage: uint(4), uid: uint(16), origin: uint(8), ingress: uint(4), unprocessed: bit }),
  class: uint(3),
  flowHash: uint(flowHashBits),
} as const;
export const Known = struct(known);
/** What is known of a frame at its end. */
export const Verdict = struct({
  ...known,
  reason: JudgeReason,
  /** Bytes of the frame without shims and tag. Of a frame that is refused it means nothing. */
  length: uint(judgedLengthBits),
  /** No whole TCP or UDP header stands at byte 34. */
  noL4: bit,
});

/**
 * A beat of a frame without shims and tag. `first`: the packet's header. Bytes behind the end are 0. `refused` and the
 * verdict count with the last beat: there is a reason, known earlier than which one.
 */
export const JudgedBeat = struct({
  data: uint(judgeBeatBytes * 8),
  first: bit,
  last: bit,
  refused: bit,
  verdict: Verdict,
});

/** A pulse for each refused frame, by reason. */
export const RefusedPulses = struct({
  fcs: bit,
  long: bit,
  short: bit,
  link: bit,
  version: bit,
  shim: bit,
  ttl: bit,
  order: bit,
  enclosed: bit,
  pfc: bit,
  peer: bit,
} satisfies Readonly<Record<(typeof refusals)[number], typeof bit>>);
