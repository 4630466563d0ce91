/** The sending half's parameters and ports. */
import { bit, input, type Inside, output, sink, source, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { Acknowledgement, sessionBits, SessionControl, type SessionParameters } from "../types.ts";

export interface GbnSenderParameters extends SessionParameters {
  /**
   * Cycles in which every session is looked at once: one that has heard nothing between two looks sends again. A
   * multiple of `sessions`, twice as many or more.
   */
  readonly timeoutCycles: number;
  /** Times that a session sends again on a timeout without hearing anything new; then it is given up. */
  readonly tries: number;
  readonly first: number;
}

/** @throws RangeError when the timer cannot look at every session once in `timeoutCycles` */
export function checkTimer({ timeoutCycles, sessions }: GbnSenderParameters): void {
  if (timeoutCycles % sessions === 0 && timeoutCycles >= 2 * sessions) return;
  throw new RangeError(
    `GbnSender: timeoutCycles is ${timeoutCycles} for ${sessions} sessions; choose a multiple of ${sessions}, ${2 * sessions} or more`,
  );
}

export const senderPorts = (p: GbnSenderParameters) => {
  const index = uint(sessionBits(p)),
    sequence = uint(p.sequenceBits);
  return {
    control: sink(SessionControl(p)),
    heard: sink(Acknowledgement(p)),
    request: sink(index),
    granted: output(struct({ valid: bit, granted: bit, closed: bit, now: bit, sequence })),
    step: sink(struct({ session: index, sequence, fresh: bit })),
    stepped: output(struct({ valid: bit, more: bit, sequence })),
    reading: input(struct({ valid: bit, session: index, sequence })),
    again: source(index),
    failed: source(index),
    /** One went back because of a NACK, because of a timeout. */
    events: output(struct({ nacked: bit, timeouts: bit })),
  };
};
/** The ports as the module's body sees them. */
export type SenderIo = Inside<ReturnType<typeof senderPorts>>;
