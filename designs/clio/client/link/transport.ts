/** Where a node listens: its IPv4 address as a 32-bit number, and its native UDP port. */
export interface NodeAddress {
  readonly ip: number;
  readonly port: number;
}

/**
 * Called for every datagram that comes in. `damaged`: its frame's check sequence was wrong (a raw Ethernet card says
 * so; a socket drops it).
 */
export type Receiver = (from: NodeAddress, payload: Uint8Array, damaged: boolean) => void;

/**
 * Services of the network that CLib needs: UDP payloads out and in, in any order, any of them lost or doubled. A
 * simulation or a socket stands behind it.
 */
export interface ClientTransport {
  /** Sends one datagram; never waits, and may lose it. */
  send(to: NodeAddress, payload: Uint8Array): void;
  /** Sets the receiver of incoming payloads; called once, by the client. */
  receive(receiver: Receiver): void;
}

export interface Timer {
  cancel(): void;
}
/** Time as CLib sees it, ns from any origin: simulated or real. */
export interface ClientClock {
  now(): number;
  /** Calls `action` once, `ns` from now. */
  after(ns: number, action: () => void): Timer;
}
