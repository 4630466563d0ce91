/** A program behind a port of a served device: a station with a MAC that sends and takes whole frames over UDP. */
import { createSocket, type Socket } from "node:dgram";
import {
  arpFrame,
  type Endpoint,
  formatIpv4,
  icmpEchoFrame,
  udpFrame,
} from "../../../../../designs/shared/wire/index.ts";

export class FrameProgram {
  readonly socket: Socket;
  readonly own: Omit<Endpoint, "port">;
  readonly #port: { readonly ip: string; readonly port: number };
  readonly received: Uint8Array[] = [];
  #wake: () => void = () => undefined;

  private constructor(
    socket: Socket,
    own: Omit<Endpoint, "port">,
    port: { readonly ip: string; readonly port: number },
  ) {
    this.socket = socket;
    this.own = own;
    this.#port = port;
    socket.on("message", data => {
      this.received.push(new Uint8Array(data));
      this.#wake();
    });
  }
  static async open(
    own: Omit<Endpoint, "port">,
    port: { readonly ip: string; readonly port: number },
  ): Promise<FrameProgram> {
    const socket = createSocket("udp4");
    await new Promise<void>(resolve => {
      socket.bind(0, "127.0.0.1", resolve);
    });
    return new FrameProgram(socket, own, port);
  }

  send(frame: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.send(frame, this.#port.port, this.#port.ip, e => (e ? reject(e) : resolve()));
    });
  }
  /** Takes the next frame of which `is` holds; others are passed over. */
  async next(is: (frame: Uint8Array) => boolean = () => true): Promise<Uint8Array> {
    for (;;) {
      for (let f = this.received.shift(); f !== undefined; f = this.received.shift()) if (is(f)) return f;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }
  sendDatagram(to: Omit<Endpoint, "port">, port: number, data: Uint8Array, from = 4000): Promise<void> {
    return this.send(udpFrame({ ...this.own, port: from }, { ...to, port }, data));
  }
  askWhoHas(ip: number): Promise<void> {
    const ask = { operation: 1, senderMac: this.own.mac, senderIp: this.own.ip, targetMac: 0n, targetIp: ip };
    return this.send(arpFrame(2n ** 48n - 1n, ask));
  }
  ping(to: Omit<Endpoint, "port">, sequence: number): Promise<void> {
    return this.send(icmpEchoFrame(this.own, to, 7, sequence, Uint8Array.of(1, 2, 3, 4)));
  }
  close(): Promise<void> {
    return new Promise(resolve => {
      this.socket.close(resolve);
    });
  }
  toString(): string {
    return formatIpv4(this.own.ip);
  }
}
