import { hostMac, sameHost } from "./same-host.ts";
import type { SessionNetwork } from "./session-network.ts";
import type { Settings } from "../../config/index.ts";
import { frameOffsets } from "../../wire/index.ts";
import { UdpSockets } from "../../../shared/rig/index.ts";
import { decodeField, formatIpv4, udpFrame, udpHeader, udpRoute } from "../../../shared/wire/index.ts";
import { ServeError } from "../../../../sim/index.ts";

/** Bytes of the longest datagram that is given to the node as one frame; the node itself counts those above its MTU. */
const LONGEST_DATAGRAM = 9000;

export interface UdpOptions {
  /**
   * Sessions of the published client, from 0, whose ports are opened at once; others are when the node
   * opens the session.
   */
  readonly sessions: number;
  /** UDP port of the monitor on the node's address, if there is one. */
  readonly monitorPort?: number | undefined;
}

/**
 * The node behind UDP sockets of this machine, all on the setting `ip`. One socket is for the native port, one for each
 * open session of the published client, one for the monitor. Datagrams become the frames that a host with the sender's
 * address would send, and back; nothing needs a right beyond that of opening sockets. ARP and ping have no way through
 * sockets: a TAP device takes those.
 */
export class UdpNetwork implements SessionNetwork {
  readonly #settings: Settings;
  readonly #options: UdpOptions;
  readonly #sockets: UdpSockets;
  /** Frames that are no datagram. */
  #lost = 0;
  #receive: (frame: Uint8Array) => void = () => undefined;

  private constructor(settings: Settings, options: UdpOptions) {
    this.#settings = settings;
    this.#options = options;
    const { mac, ip } = settings.runtime;
    this.#sockets = new UdpSockets(ip, LONGEST_DATAGRAM, (data, from, port) => {
      const seen = from.ip === ip ? sameHost : from.ip;
      this.#receive(udpFrame({ mac: hostMac(seen), ip: seen, port: from.port }, { mac, ip, port }, data));
    });
  }

  /**
   * Opens the sockets.
   * @throws ServeError when an address or a port is not to be had
   */
  static async open(settings: Settings, options: UdpOptions): Promise<UdpNetwork> {
    const { nativePort, clientPort } = settings.runtime,
      network = new UdpNetwork(settings, options);
    const sessions = Math.min(options.sessions, settings.config.clientPorts);
    try {
      await network.#sockets.open(nativePort, { port: "choose another with --port (0: any free one)" });
      for (let n = 0; n < sessions; n++)
        await network.#sockets.open(clientPort + n, {
          port: "choose others with --set clientPort=... or fewer with --sessions",
        });
      const { monitorPort } = options;
      if (monitorPort !== undefined)
        await network.#sockets.open(monitorPort, {
          port: "choose another with --monitor, or none with --monitor off",
        });
    } catch (e) {
      await network.close();
      throw e;
    }
    return network;
  }

  get lost(): number {
    return this.#lost + this.#sockets.lost;
  }
  get tooLong(): number {
    return this.#sockets.tooLong;
  }
  get overflowed(): number {
    return this.#sockets.overflowed;
  }
  get place(): string {
    const { ip, nativePort, clientPort } = this.#settings.runtime,
      { sessions, monitorPort } = this.#options;
    return `UDP on ${formatIpv4(ip)}: native port ${nativePort}; ${
      sessions === 0
        ? "published client's ports as sessions open"
        : `published client's ports ${clientPort} to ${clientPort + sessions - 1}, more as sessions open`
    }${monitorPort === undefined ? "" : `; monitor ${monitorPort}`}`;
  }

  attach(receive: (frame: Uint8Array) => void): void {
    this.#receive = receive;
  }

  send(frame: Uint8Array): void {
    const route = udpRoute(frame);
    if (route === undefined) {
      this.#lost++;
      return;
    }
    const { transport } = frameOffsets,
      length = decodeField(udpHeader, "length", frame, transport),
      data = frame.subarray(transport + udpHeader.bytes, transport + (length ?? 0)),
      ip = route.dst === sameHost ? this.#settings.runtime.ip : route.dst;
    this.#sockets.send(route.srcPort, { ip, port: route.dstPort }, data);
  }

  /** Opens the session's socket, which stays open from then on. False when another program has the port. */
  async openSession(session: number): Promise<boolean> {
    const port = this.#settings.runtime.clientPort + session;
    if (this.#sockets.has(port)) return true;
    try {
      await this.#sockets.open(port, { port: "" });
    } catch (e) {
      if (e instanceof ServeError) return false;
      throw e;
    }
    return true;
  }

  close(): Promise<void> {
    return this.#sockets.close();
  }
}
