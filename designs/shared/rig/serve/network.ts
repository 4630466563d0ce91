import type { Network } from "../../../../sim/index.ts";
import type { Totals } from "./totals.ts";

/** A network that tells more of what it has lost. */
export interface ServedNetwork extends Network {
  /** Datagrams that the system has dropped because a socket was full. */
  readonly overflowed?: number;
  /** Datagrams that were dropped because no frame holds them. */
  readonly tooLong?: number;
}

/** What networks have lost. @param refused frames for which there was no room in front of the design */
export function lossesOf(
  networks: readonly ServedNetwork[],
  refused: number,
): Pick<Totals, "lost" | "overflowed" | "tooLong"> {
  const sum = (of: (n: ServedNetwork) => number): number => networks.reduce((all, n) => all + of(n), 0);
  return {
    lost: refused + sum(n => n.lost),
    overflowed: sum(n => n.overflowed ?? 0),
    tooLong: sum(n => n.tooLong ?? 0),
  };
}
