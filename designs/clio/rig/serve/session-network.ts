import type { ServedNetwork } from "../../../shared/rig/index.ts";

/** A network on which the sessions' ports may have to be opened one by one. */
export interface SessionNetwork extends ServedNetwork {
  /**
   * Makes a session of the published client reachable; false when that cannot be. Without it every
   * session is reachable.
   */
  openSession?(session: number): Promise<boolean>;
}
