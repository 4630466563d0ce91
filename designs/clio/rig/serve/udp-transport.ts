import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { ClientClock, ClientTransport, NodeAddress, Receiver } from "../../client/index.ts";
import { formatIpv4, parseIpv4 } from "../../../shared/wire/index.ts";
import { ServeError } from "../../../../sim/index.ts";

/**
 * Bytes asked of the system for the receive buffer: replies to a whole window wait there while the application works.
 */
const RECEIVE_BUFFER = 4 << 20;

/**
 * CLib's way to a real network: one UDP socket. A datagram that the system cannot send is lost, which CLib expects of a
 * network. Damaged datagrams never come: the system drops them. Give CLib `realClock` with it.
 */
export class UdpTransport implements ClientTransport {
  readonly #socket: Socket;
  #receiver: Receiver = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer, from: RemoteInfo) => {
      this.#receiver({ ip: parseIpv4(from.address), port: from.port }, new Uint8Array(data), false);
    });
    socket.on("error", () => undefined);
  }

  /**
   * @param address IPv4 address of this machine that the node answers to; default any
   * @param port source port; 0, the default, is any free one
   * @throws ServeError when they are not to be had
   */
  static async open(address = "0.0.0.0", port = 0): Promise<UdpTransport> {
    const socket = createSocket({ type: "udp4", recvBufferSize: RECEIVE_BUFFER });
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once("error", reject);
        socket.bind({ port, address, exclusive: true }, () => {
          socket.off("error", reject);
          resolve();
        });
      });
    } catch (e) {
      socket.close();
      const code = (e as NodeJS.ErrnoException).code ?? String(e);
      throw new ServeError(
        `UDP port ${port} of ${address} cannot be opened (${code}); give another, or 0 for any free one`,
      );
    }
    return new UdpTransport(socket);
  }

  /** The socket's own port. */
  get port(): number {
    return this.#socket.address().port;
  }

  send(to: NodeAddress, payload: Uint8Array): void {
    this.#socket.send(payload, to.port, formatIpv4(to.ip), () => undefined);
  }
  receive(receiver: Receiver): void {
    this.#receiver = receiver;
  }
  close(): Promise<void> {
    return new Promise(resolve => {
      this.#socket.close(resolve);
    });
  }
}

/** The time of this machine for CLib. Its timers are whole milliseconds. */
export const realClock: ClientClock = {
  now: () => performance.now() * 1e6,
  after: (ns, action) => {
    const timer = setTimeout(action, ns / 1e6);
    return { cancel: () => clearTimeout(timer) };
  },
};
