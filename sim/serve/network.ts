/** Network of a served design: frames (without check sequence) both ways. */
export interface Network {
  /** Where the design is reached: one line, without the final full stop. */
  readonly place: string;
  /** Frames that could not be passed on to the network; a network may lose frames. */
  readonly lost: number;
  /** Frames from the network go to `receive` from now on; `failed` is called when the network has gone. Called once. */
  attach(receive: (frame: Uint8Array) => void, failed: (error: Error) => void): void;
  send(frame: Uint8Array): void;
  close(): Promise<void>;
}
