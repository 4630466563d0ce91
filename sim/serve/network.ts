/**
 * What a served node hangs on: frames (without check sequence) both ways, and the sessions' ports where those have to be opened one by
 * one.
 */
export interface Network {
  /** Where the node and its monitor are reached: one line, without the final full stop. */
  readonly place: string;
  /** Frames that could not be passed on to the network; a network may lose frames. */
  readonly lost: number;
  /** Frames from the network go to `receive` from now on; `failed` is told when the network has gone. Called once. */
  attach(receive: (frame: Uint8Array) => void, failed: (error: Error) => void): void;
  send(frame: Uint8Array): void;
  /** Makes a session of the published client reachable; false when that cannot be. Without it every session is reachable. */
  openSession?(session: number): Promise<boolean>;
  close(): Promise<void>;
}
