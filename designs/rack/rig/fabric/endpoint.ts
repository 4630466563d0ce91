/** A machine of the rack: its link layer, with UDP above it for programs. */
import { type SimulatedTime, SimulationError } from "../../../../sim/index.ts";
import type { ClientTransport, NodeAddress, Receiver } from "../../../clio/client/index.ts";
import {
  type Endpoint as Address,
  decodeField,
  dissectStack,
  ethernetHeader,
  formatIpv4,
  headerOffsets,
  udpFrame,
} from "../../../shared/wire/index.ts";
import { putShims, snicKind, snicVersion, takeApart } from "../../../supernic/wire/index.ts";
import { Jack } from "./jack.ts";
import { pausesOf, SendQueue } from "./send-queue.ts";

export interface RackEndpointOptions {
  readonly name: string;
  readonly mac: bigint;
  readonly ip: number;
  /** UID of the DAG that its datagrams go through; undefined: they are only switched. */
  readonly uid?: number | undefined;
  /** MAC by IPv4 address of the machines that it knows: its ARP table. */
  readonly neighbours: ReadonlyMap<number, bigint>;
  /** Bits of the classes that a frame may have at the sNIC's port; class 4 of all, where this is left out. */
  readonly classesOf?: (frame: Uint8Array) => number;
  /** A hostile one: it sends whatever its neighbour says. */
  readonly ignoresPause?: boolean;
}
const groupBit = 1n << 40n,
  /** sNICs and passes that a frame may take. */
  ttl = 4,
  /** Class of frames that are only switched. */
  switched = 1 << 4;
const shimOf = (uid: number) =>
  ({
    snic: {
      version: snicVersion,
      kind: snicKind.data,
      ttl,
      stage: 0,
      uid,
      origin: 0,
      ingress: 0,
      unused: 0,
      unprocessed: 0,
    },
  }) as const;

/**
 * An endpoint keeps only its link layer (paper §5.1). That puts a sNIC shim with the UID on each datagram, where the
 * endpoint has a DAG, and takes off a shim that a DAG has left on.
 */
export class RackEndpoint {
  readonly name: string;
  readonly jack: Jack;
  readonly mac: bigint;
  readonly ip: number;
  /** Frames that came: for a program, a port where none listens, another station; damaged for nobody; and pauses. */
  readonly counts = { taken: 0, unclaimed: 0, foreign: 0, damaged: 0, pauses: 0 };
  readonly #queue: SendQueue;
  readonly #o: RackEndpointOptions;
  readonly #receivers = new Map<number, Receiver>();
  /** Told of each frame that comes, as it came. */
  onFrame: ((frame: Uint8Array, damaged: boolean) => void) | undefined;

  constructor(o: RackEndpointOptions, time: SimulatedTime) {
    this.name = o.name;
    this.mac = o.mac;
    this.ip = o.ip;
    this.#o = o;
    this.jack = new Jack(o.name, time, (frame, damaged) => this.#arrive(frame, damaged));
    const { classesOf = () => switched, ignoresPause = false } = o;
    this.#queue = new SendQueue(this.jack, time, classesOf, { obeys: !ignoresPause });
  }
  /** Frames that wait for the line, or for a pause to end. */
  get waiting(): number {
    return this.#queue.waiting;
  }
  /** Sends a frame as it is, when the line and its neighbour's pauses let it go. */
  send(frame: Uint8Array): void {
    this.#queue.send(frame);
  }

  /** The transport of a program that has this UDP port. */
  transport(port: number): ClientTransport {
    const own: Address = { mac: this.mac, ip: this.ip, port };
    return {
      send: (to, payload) => this.#send(own, to, payload),
      receive: receiver => void this.#receivers.set(port, receiver),
    };
  }
  /** The program with this UDP port is gone. */
  release(port: number): void {
    this.#receivers.delete(port);
  }
  #send(own: Address, to: NodeAddress, payload: Uint8Array): void {
    const mac = this.#o.neighbours.get(to.ip),
      { uid } = this.#o;
    if (mac === undefined)
      throw new SimulationError(`${this.name}: the rack has no station with the address ${formatIpv4(to.ip)}; add it`);
    const frame = udpFrame(own, { mac, ip: to.ip, port: to.port }, payload);
    this.send(uid === undefined ? frame : putShims(frame, shimOf(uid)));
  }

  #arrive(frame: Uint8Array, damaged: boolean): void {
    this.onFrame?.(frame, damaged);
    const dst = decodeField(ethernetHeader, "dst", frame, 0) ?? 0n,
      pauses = damaged ? undefined : pausesOf(frame);
    if (pauses !== undefined) {
      this.counts.pauses++;
      this.#queue.pause(pauses);
      return;
    }
    if (dst !== this.mac && (dst & groupBit) === 0n) {
      // A damaged frame may say anything.
      this.counts[damaged ? "damaged" : "foreign"]++;
      return;
    }
    const plain = withoutShims(frame),
      { ipv4, udp } = dissectStack(plain),
      receiver = ipv4?.dst === this.ip && udp !== undefined ? this.#receivers.get(udp.dstPort) : undefined;
    if (receiver === undefined || ipv4 === undefined || udp === undefined) {
      this.counts[damaged ? "damaged" : "unclaimed"]++;
      return;
    }
    this.counts.taken++;
    const { payload, transport } = headerOffsets;
    receiver({ ip: ipv4.src, port: udp.srcPort }, plain.slice(payload, transport + udp.length), damaged);
  }
}
/** The frame as the network stack above sees it; one whose shims are broken stays as it is. */
function withoutShims(frame: Uint8Array): Uint8Array {
  try {
    return takeApart(frame).frame;
  } catch {
    return frame;
  }
}
