/** The parameters and ports of the order of replies. */
import { bit, type Inside, output, sink, source, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../frame/index.ts";
import { Named, SessionControl, Turn } from "../types.ts";
import type { GbnWaitingParameters } from "../waiting.ts";

export interface GbnReorderParameters extends GbnWaitingParameters {
  readonly sessions: number;
  /** Bits of what goes with a frame. */
  readonly metaBits: number;
  /** Ticket of a session's first request. */
  readonly first: number;
  /**
   * A reply that has waited for so many cycles (and up to as many again) does not wait any longer; a power of two,
   * `waiting` or more.
   */
  readonly patience: number;
  /** Bits of a ticket; default those of the tag. A proof has fewer. */
  readonly ticketBits?: number;
  /**
   * For a ticket so far ahead nobody waits, a power of two; default 1,024: fewer requests of a session can be in the
   * node and wait here.
   */
  readonly reach?: number;
}
/**
 * The frame with its beats behind: the reply to request `ticket` of `session`, or (`ordered` 0) one that
 * stands by itself.
 */
export const Reply = (p: Pick<GbnReorderParameters, "sessions" | "metaBits" | "ticketBits">) =>
  struct({ ordered: bit, turn: Turn(p), meta: uint(p.metaBits) });
export const GbnReorderEvents = struct({
  /**
   * Replies that waited; requests whose replies were not waited for any longer (those of a leap count once); replies to
   * an earlier life of their session.
   */
  waited: bit,
  skipped: bit,
  stale: bit,
});

export const reorderPorts = (p: GbnReorderParameters) => ({
  reply: sink(Reply(p)),
  beats: sink(AxisBeat(p.beatBytes)),
  named: sink(Named(p)),
  control: sink(SessionControl(p)),
  out: source(uint(p.metaBits)),
  outBeats: source(AxisBeat(p.beatBytes)),
  crowded: output(bit),
  events: output(GbnReorderEvents),
});
/** The ports as the module's body sees them. */
export type ReorderIo = Inside<ReturnType<typeof reorderPorts>>;
