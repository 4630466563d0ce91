import type { Network } from "../../../../sim/index.ts";
import type { Totals } from "./totals.ts";

/** What a network has lost. */
export interface Losses {
  /** Frames or datagrams that could not be passed on. */
  readonly lost: number;
  /** Datagrams that the system has dropped because a socket was full. */
  readonly overflowed?: number;
  /** Datagrams that were dropped because no frame holds them. */
  readonly tooLong?: number;
}
/** A network that tells more of what it has lost. */
export type ServedNetwork = Network & Losses;

/** What networks have lost. @param refused frames for which there was no room in front of the design */
export function lossesOf(
  networks: readonly Losses[],
  refused: number,
): Pick<Totals, "lost" | "overflowed" | "tooLong"> {
  const sum = (of: (n: Losses) => number): number => networks.reduce((all, n) => all + of(n), 0);
  return {
    lost: refused + sum(n => n.lost),
    overflowed: sum(n => n.overflowed ?? 0),
    tooLong: sum(n => n.tooLong ?? 0),
  };
}
