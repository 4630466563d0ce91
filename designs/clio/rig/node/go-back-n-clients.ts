import type { Settings } from "../../config/index.ts";
import { classify, type FilterSettings } from "../../model/index.ts";
import { gbnFrame, gbnHeader, managementSlot, withGbn, withoutGbn } from "../../../shared/go-back-n/wire/index.ts";
import { GbnSession } from "../../../shared/go-back-n/software/index.ts";
import { decode, type Endpoint, ethernetHeader } from "../../../shared/wire/index.ts";
import { dissect, frameOffsets } from "../../wire/index.ts";
import {
  type Bench,
  type EthernetMac,
  Fifo,
  type Frame,
  type SentFrame,
  SimulationError,
} from "../../../../sim/index.ts";
import type { NodePorts } from "./node-ports.ts";

/** Cycles: longer than any reply takes that comes at all; an ACK is not worth waiting for. */
const timeoutCycles = 8000,
  ackCycles = 200,
  ackEvery = 16;
/** Cycles without anything in the node or on its line after which all that it had taken in is where it belongs. */
const quietCycles = 64;

/** A frame that waits for its session, and then is the one on the line. */
class Waiting implements SentFrame {
  readonly bytes: Uint8Array;
  readonly damaged: boolean;
  readonly at: number;
  sent: SentFrame | undefined;
  constructor(bytes: Uint8Array, o: { readonly at?: number; readonly damaged?: boolean }) {
    this.bytes = bytes;
    this.damaged = o.damaged ?? false;
    this.at = o.at ?? 0;
  }
  get start(): number | undefined {
    return this.sent?.start;
  }
  get end(): number | undefined {
    return this.sent?.end;
  }
}

/**
 * Clients of a node with Go-Back-N, for frames without its header. Each request goes over a session of its client (IPv4
 * address and UDP port), opened at the first request. Replies come out without the header. A frame that is no request
 * is sent unchanged, when the node is quiet. Go-Back-N does not repeat such a frame, and a node without room drops it.
 * Frames enter in the order in which they were given: one that waits for its session's window holds up those behind.
 * Sessions are taken from the highest number down, those that the slow path gives from the lowest up.
 */
export class GoBackNClients {
  readonly #bench: Bench<NodePorts>;
  readonly #mac: EthernetMac;
  readonly #filter: FilterSettings;
  readonly #sessions: number;
  readonly #clients = new Map<string, GbnSession>();
  readonly #waiting = new Fifo<Waiting>();
  readonly #out = new Fifo<Frame>();
  /** The frame that a session is just sending or taking. */
  #sending: Waiting | undefined;
  #arriving: Frame | undefined;
  #busyAt = 0;

  /** @param inside the settings of the node behind the transport @param sessions of the node */
  constructor(bench: Bench<NodePorts>, mac: EthernetMac, inside: Settings, sessions: number) {
    this.#bench = bench;
    this.#mac = mac;
    this.#sessions = sessions;
    this.#filter = { ...inside.runtime, mtuFrame: inside.config.mtuFrame, clientPorts: inside.config.clientPorts };
    bench.onEdge({ sample: () => this.#edge() });
  }

  /** Nothing waits, nothing is unacknowledged on this side. */
  get idle(): boolean {
    return this.#waiting.length === 0 && [...this.#clients.values()].every(s => s.idle);
  }
  send(frame: Uint8Array, o: { readonly at?: number; readonly damaged?: boolean } = {}): SentFrame {
    const waiting = new Waiting(frame, o);
    this.#waiting.push(waiting);
    return waiting;
  }
  /** The oldest frame from the node that has not been taken. */
  take(): Frame | undefined {
    this.#drain();
    return this.#out.shift();
  }

  #edge(): void {
    this.#drain();
    if (this.#mac.pending > 0 || this.#bench.io.busy.big !== 0n) this.#busyAt = this.#bench.cycle;
    for (const session of this.#clients.values()) session.tick(this.#bench.cycle);
    this.#enter();
  }

  #enter(): void {
    for (let w = this.#waiting.first; w !== undefined; w = this.#waiting.first) {
      const { ethernet, ipv4, udp, clio } = dissect(w.bytes);
      if (
        clio === undefined ||
        ethernet === undefined ||
        ipv4 === undefined ||
        udp === undefined ||
        classify(w.bytes, this.#filter).kind !== "request"
      ) {
        if (this.#bench.cycle - this.#busyAt < quietCycles) return;
        this.#busyAt = this.#bench.cycle;
        w.sent = this.#mac.send(w.bytes, { at: w.at, damaged: w.damaged });
      } else {
        const session = this.#session({ mac: ethernet.src, ip: ipv4.src, port: udp.srcPort });
        if (!session.room) return;
        this.#sending = w;
        session.put(w.bytes, this.#bench.cycle);
        this.#sending = undefined;
      }
      this.#waiting.shift();
    }
  }

  #session(self: Endpoint): GbnSession {
    const key = keyOf(self),
      known = this.#clients.get(key);
    if (known !== undefined) return known;
    const slot = this.#clients.size + 1,
      number = this.#sessions - slot;
    if (number < 1)
      throw new SimulationError(
        `the node has ${this.#sessions - 1} Go-Back-N sessions (gbnSessions = ${this.#sessions}) and there are more clients; set gbnSessions higher`,
      );
    const session = new GbnSession({
      slot,
      session: number,
      timeout: timeoutCycles,
      ackDelay: ackCycles,
      ackEvery,
      // A request is kept as its whole frame; an ACK has no payload.
      send: (header, frame) => {
        const { mac, ip, nativePort: port } = this.#filter,
          first = this.#sending;
        const packet =
          frame.length === 0
            ? gbnFrame(self, { mac, ip, port }, header)
            : withGbn(frame, header, decode(ethernetHeader, frame).dst);
        const sent = this.#mac.send(packet, { at: first?.at ?? 0, damaged: first?.damaged ?? false });
        if (first !== undefined) first.sent = sent;
      },
      deliver: () => this.#give(this.#arriving),
    });
    this.#clients.set(key, session);
    return session;
  }

  #drain(): void {
    for (let f = this.#mac.take(); f !== undefined; f = this.#mac.take()) {
      const { ethernet, ipv4, udp } = dissect(f.bytes);
      if (ethernet === undefined || ipv4 === undefined || udp === undefined) {
        this.#out.push(f);
        continue;
      }
      const header = decode(gbnHeader, f.bytes, frameOffsets.clio);
      const session = this.#clients.get(keyOf({ ip: ipv4.dst, port: udp.dstPort }));
      // Management, and what the slow path sends by itself.
      if (header.srcSlot === managementSlot || session === undefined) {
        this.#give(f);
        continue;
      }
      this.#arriving = f;
      session.take(header, f.bytes, this.#bench.cycle);
    }
  }

  #give(f: Frame | undefined): void {
    if (f !== undefined) this.#out.push({ ...f, bytes: withoutGbn(f.bytes, decode(ethernetHeader, f.bytes).src) });
  }
}

const keyOf = ({ ip, port }: Pick<Endpoint, "ip" | "port">): string => `${ip}:${port}`;
