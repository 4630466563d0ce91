import type { ClientTransport, NodeAddress, Receiver } from "../../client/index.ts";
import { dissect, frameOffsets } from "../../wire/index.ts";
import { type Endpoint, formatIpv4, udpFrame, udpHeader } from "../../../shared/wire/index.ts";
import { type Attachment, type LinkOptions, type NetworkModel, SimulationError } from "../../../../sim/index.ts";

export interface ClientStationOptions {
  /** Differences from the network's links. */
  readonly out?: LinkOptions;
  readonly in?: LinkOptions;
}

/**
 * A compute node's network card on a simulated network: CLib's transport. The station wraps payloads in frames with
 * its own MAC, IP and port, and passes the frames for these to the client. Damaged frames come too, marked, as from a
 * raw Ethernet interface.
 */
export class ClientStation implements ClientTransport {
  readonly #own: Endpoint;
  readonly #macs: ReadonlyMap<number, bigint>;
  readonly #attachment: Attachment;
  #receiver: Receiver = () => undefined;

  /** @param macs MAC by IPv4 address of the stations that it can reach (its ARP table) */
  constructor(
    network: NetworkModel,
    name: string,
    own: Endpoint,
    macs: ReadonlyMap<number, bigint>,
    o: ClientStationOptions = {},
  ) {
    this.#own = own;
    this.#macs = macs;
    this.#attachment = network.attach(name, {
      mac: own.mac,
      ...o,
      receive: (frame, damaged) => this.#arrive(frame, damaged),
    });
  }

  get statistics(): Attachment["statistics"] {
    return this.#attachment.statistics;
  }

  send(to: NodeAddress, payload: Uint8Array): void {
    const mac = this.#macs.get(to.ip);
    if (mac === undefined) {
      throw new SimulationError(
        `no station of the network has the address ${formatIpv4(to.ip)}; attach a node with it`,
      );
    }
    this.#attachment.send(udpFrame(this.#own, { mac, ip: to.ip, port: to.port }, payload));
  }
  receive(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  #arrive(frame: Uint8Array, damaged: boolean): void {
    const { ipv4, udp } = dissect(frame);
    if (udp === undefined || ipv4?.dst !== this.#own.ip || udp.dstPort !== this.#own.port) return;
    const end = Math.min(frame.length, frameOffsets.transport + udp.length);
    this.#receiver(
      { ip: ipv4.src, port: udp.srcPort },
      frame.slice(frameOffsets.transport + udpHeader.bytes, end),
      damaged,
    );
  }
}
