import { decodeField, ethernetHeader, formatIpv4 } from "../../wire/index.ts";
import type { SocketRemedies } from "../../../../sim/index.ts";
import type { ServedNetwork } from "./network.ts";
import type { SocketAddress } from "./options.ts";
import { UdpSockets } from "./udp-sockets.ts";

/** Bytes of the longest frame that a datagram may carry; the hardware counts those above its MTU. */
const LONGEST_FRAME = 9018;
/** Programs, and MACs behind them, that are known; the one that has been silent longest goes for a new one. */
const MOST_PROGRAMS = 64,
  MOST_MACS = 256;
const groupBit = 1n << 40n;

/** A map of limited size whose oldest entry makes room; to set an entry makes it the youngest. */
function renew<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

/**
 * An Ethernet port as a UDP port: each datagram is a whole frame without its check sequence, as virtual machines send
 * them (QEMU's `-netdev dgram`). Several programs may be there, as behind a switch that learns: a frame leaves for the
 * program that has sent from its destination, else for all that are known. Nothing needs a right.
 */
export class FramePort implements ServedNetwork {
  readonly #at: SocketAddress;
  readonly #sockets: UdpSockets;
  readonly #programs = new Map<string, SocketAddress>();
  readonly #macs = new Map<bigint, SocketAddress>();
  /** Frames for which no program was there. */
  #nobody = 0;
  #receive: (frame: Uint8Array) => void = () => undefined;

  private constructor(at: SocketAddress) {
    this.#at = at;
    this.#sockets = new UdpSockets(at.ip, LONGEST_FRAME, (frame, from) => this.#arrived(frame, from));
  }
  /** @param remedies for the sentence about one that is not to be had @throws ServeError */
  static async open(at: SocketAddress, remedies: SocketRemedies): Promise<FramePort> {
    const port = new FramePort(at);
    await port.#sockets.open(at.port, remedies);
    return port;
  }

  get place(): string {
    return `UDP ${formatIpv4(this.#at.ip)}:${this.#at.port}`;
  }
  get lost(): number {
    return this.#nobody + this.#sockets.lost;
  }
  get tooLong(): number {
    return this.#sockets.tooLong;
  }
  get overflowed(): number {
    return this.#sockets.overflowed;
  }
  attach(receive: (frame: Uint8Array) => void): void {
    this.#receive = receive;
  }

  send(frame: Uint8Array): void {
    const to = this.#macs.get(decodeField(ethernetHeader, "dst", frame) ?? 0n),
      programs = to === undefined ? [...this.#programs.values()] : [to];
    if (programs.length === 0) this.#nobody++;
    for (const program of programs) this.#sockets.send(this.#at.port, program, frame);
  }
  close(): Promise<void> {
    return this.#sockets.close();
  }

  #arrived(frame: Uint8Array, from: SocketAddress): void {
    renew(this.#programs, `${from.ip}:${from.port}`, from, MOST_PROGRAMS);
    if (frame.length >= ethernetHeader.bytes) {
      const src = decodeField(ethernetHeader, "src", frame) ?? 0n;
      if ((src & groupBit) === 0n) renew(this.#macs, src, from, MOST_MACS);
    }
    this.#receive(frame);
  }
}
