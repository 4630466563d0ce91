import type { Network } from "../../../../sim/index.ts";

/** A network on which the sessions' ports may have to be opened one by one. */
export interface SessionNetwork extends Network {
  /** Datagrams that the system has dropped because a socket was full. */
  readonly overflowed?: number;
  /** Datagrams that were dropped because no frame holds them. */
  readonly tooLong?: number;
  /**
   * Makes a session of the published client reachable; false when that cannot be. Without it every
   * session is reachable.
   */
  openSession?(session: number): Promise<boolean>;
}
