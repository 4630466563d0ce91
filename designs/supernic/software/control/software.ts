/** The device's software: ARP, ping and CTRL for its own address. */
import {
  arpReplyFrame,
  decode,
  dissectStack,
  echoReplyFrame,
  etherType,
  headerOffsets,
  icmpHeader,
  internetChecksum,
  ipProtocol,
  udpFrame,
  udpHeader,
} from "../../../shared/wire/index.ts";
import { ctrlPort, endsOf } from "../../wire/index.ts";
import type { DeviceDriver } from "../device/index.ts";
import type { Setup } from "../setup/index.ts";
import { CtrlServer, type CtrlStatistics } from "./ctrl-server.ts";
import type { Requests } from "./requests.ts";
import { TaskRows } from "./rows.ts";

/** A frame that software sends, and the ports by which it leaves. */
export interface Sent {
  readonly frame: Uint8Array;
  readonly ports: readonly number[];
}
export interface SoftwareStatistics extends CtrlStatistics {
  readonly arp: number;
  readonly ping: number;
  /** ARP requests for others, passed on to all ports. */
  readonly passedOn: number;
  /** Frames that mean nothing to it. */
  readonly ignored: number;
}
const broadcast = 2n ** 48n - 1n,
  asks = 1,
  echoRequest = 8;

/** One frame after the other; none stops it. A frame that it cannot read has no answer, and is counted. */
export class SnicSoftware {
  readonly #setup: Setup;
  readonly #ctrl: CtrlServer;
  readonly #counted = { arp: 0, ping: 0, passedOn: 0, ignored: 0 };

  /**
   * @param time nanoseconds since some start
   * @param more of a device whose regions can be reprogrammed: what users may ask of it, and where each chain is
   */
  constructor(
    setup: Setup,
    driver: Pick<DeviceDriver, "write">,
    time: () => number,
    more: { readonly requests?: Requests; readonly rows?: TaskRows } = {},
  ) {
    const { requests, rows = new TaskRows(setup, driver) } = more;
    this.#setup = setup;
    this.#ctrl = new CtrlServer(setup, rows, time, { ...(requests && { requests }) });
  }
  get statistics(): SoftwareStatistics {
    return { ...this.#counted, ...this.#ctrl.statistics };
  }

  /** What is sent for a frame that came in at a port. */
  async receive(frame: Uint8Array, ingress: number): Promise<readonly Sent[]> {
    const { ethernet, arp, ipv4, udp } = dissectStack(frame),
      own = { mac: this.#setup.mac, ip: this.#setup.ip };
    if (ethernet?.etherType === etherType.arp && arp !== undefined) {
      if (arp.operation !== asks) return this.#ignore();
      if (arp.targetIp !== own.ip) return this.#passOn(frame, ethernet.dst, ingress);
      this.#counted.arp++;
      return [{ frame: arpReplyFrame(own, ethernet, arp), ports: [ingress] }];
    }
    if (ipv4?.dst !== own.ip || !isWhole(frame, ipv4)) return this.#ignore();
    if (ipv4.protocol === ipProtocol.icmp) return this.#ping(frame, ipv4.totalLength, ingress);
    if (udp?.dstPort !== ctrlPort || ethernet === undefined) return this.#ignore();
    const { transport } = headerOffsets,
      message = frame.slice(transport + udpHeader.bytes, transport + udp.length);
    const ends = endsOf({ ip: ipv4.src, port: udp.srcPort }, { ip: own.ip, port: ctrlPort });
    const fits = udp.length >= udpHeader.bytes && transport + udp.length <= headerOffsets.network + ipv4.totalLength,
      reply = fits ? await this.#ctrl.reply(message, ends) : undefined;
    if (reply === undefined) return fits ? [] : this.#ignore();
    const to = { mac: ethernet.src, ip: ipv4.src, port: udp.srcPort };
    return [{ frame: udpFrame({ ...own, port: ctrlPort }, to, reply), ports: [ingress] }];
  }

  /** Rules may bring ARP of others here. It goes on to where a switch would have sent it. */
  #passOn(frame: Uint8Array, dst: bigint, ingress: number): readonly Sent[] {
    if (dst !== broadcast) return this.#ignore();
    const ports = this.#setup.ports.flatMap((p, i) => (p.peer || i === ingress ? [] : [i]));
    this.#counted.passedOn++;
    return ports.length === 0 ? [] : [{ frame, ports }];
  }
  #ping(frame: Uint8Array, totalLength: number, ingress: number): readonly Sent[] {
    const { transport, network } = headerOffsets,
      end = network + totalLength;
    if (transport + icmpHeader.bytes > end) return this.#ignore();
    const { type, code } = decode(icmpHeader, frame, transport);
    if (type !== echoRequest || code !== 0 || internetChecksum(frame, transport, end) !== 0) return this.#ignore();
    this.#counted.ping++;
    const own = { mac: this.#setup.mac, ip: this.#setup.ip };
    return [{ frame: echoReplyFrame(own, frame, totalLength), ports: [ingress] }];
  }
  #ignore(): readonly Sent[] {
    this.#counted.ignored++;
    return [];
  }
}

/** An IPv4 packet that is all there, in one piece, without options, its header's checksum right. */
function isWhole(frame: Uint8Array, ip: NonNullable<ReturnType<typeof dissectStack>["ipv4"]>): boolean {
  const { network, transport } = headerOffsets;
  const plain = ip.version === 4 && ip.ihl === 5 && ip.moreFragments === 0 && ip.fragmentOffset === 0;
  return plain && network + ip.totalLength <= frame.length && internetChecksum(frame, network, transport) === 0;
}
