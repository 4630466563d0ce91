import type { RemoteInfo, Socket } from "node:dgram";
import { formatIpv4, parseIpv4 } from "../../wire/index.ts";
import { openUdp, socketDrops, type SocketRemedies } from "../../../../sim/index.ts";
import type { SocketAddress } from "./options.ts";

/** Takes a datagram. @param from its sender @param port at which it came */
export type DatagramReceiver = (data: Uint8Array, from: SocketAddress, port: number) => void;

/**
 * UDP sockets of one address of this machine, and counts of all that they lose. A datagram that no frame holds never
 * comes, as on a line, where it would come in fragments.
 */
export class UdpSockets {
  readonly #ip: number;
  /** Bytes of the longest datagram that is taken. */
  readonly #longest: number;
  readonly #receive: DatagramReceiver;
  readonly #sockets = new Map<number, Socket>();
  #lost = 0;
  #tooLong = 0;
  /** Of sockets that have been closed. */
  #overflowed = 0;

  constructor(ip: number, longest: number, receive: DatagramReceiver) {
    this.#ip = ip;
    this.#longest = longest;
    this.#receive = receive;
  }

  /** Datagrams that could not be sent. */
  get lost(): number {
    return this.#lost;
  }
  /** Datagrams that no frame holds. */
  get tooLong(): number {
    return this.#tooLong;
  }
  /** Datagrams that the system has dropped because a socket was full. */
  get overflowed(): number {
    return this.#overflowed + socketDrops(formatIpv4(this.#ip), this.#sockets.keys());
  }
  has(port: number): boolean {
    return this.#sockets.has(port);
  }

  /**
   * Opens a port.
   * @param remedies what to do when it is not to be had, for the error's sentence
   * @throws ServeError
   */
  async open(port: number, remedies: SocketRemedies): Promise<void> {
    const socket = await openUdp(formatIpv4(this.#ip), port, remedies);
    socket.on("message", (data: Buffer, from: RemoteInfo) => {
      if (data.length > this.#longest) this.#tooLong++;
      else this.#receive(data, { ip: parseIpv4(from.address), port: from.port }, port);
    });
    // The system reports that the network has lost a datagram sent before.
    socket.on("error", () => {
      this.#lost++;
    });
    this.#sockets.set(port, socket);
  }

  /** Sends from a port of this address; a datagram that has no socket or no receiver is lost. */
  send(port: number, to: SocketAddress, data: Uint8Array): void {
    const socket = this.#sockets.get(port);
    if (!socket || to.port === 0) {
      this.#lost++;
      return;
    }
    socket.send(data, to.port, formatIpv4(to.ip), e => {
      if (e) this.#lost++;
    });
  }

  async close(): Promise<void> {
    this.#overflowed = this.overflowed;
    const open = [...this.#sockets.values()];
    this.#sockets.clear();
    await Promise.all(
      open.map(
        s =>
          new Promise<void>(resolve => {
            s.close(resolve);
          }),
      ),
    );
  }
}
