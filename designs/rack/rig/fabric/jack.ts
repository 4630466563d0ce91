/** Where lines end: a port of a sNIC or switch, a memory node, an endpoint. */
import type { Delivery, SimulatedTime } from "../../../../sim/index.ts";

/** How fast a line is. */
export interface Pace {
  readonly gbps: number;
  /** When it has nothing more to send, ns. */
  readonly freeAt: () => number;
}
const usualGbps = 100;

/** A place where one end of a line is plugged in. */
export class Jack {
  /** Of its place, with the port where that has several: `snic0:2`. */
  readonly name: string;
  /** Of its place. */
  readonly time: SimulatedTime;
  /** Takes what comes out of the line. */
  receive: Delivery;
  /** Frames that went into the line here, and that came out of it whole and marked damaged. */
  readonly counts = { sent: 0, received: 0, damaged: 0 };
  #line: ((frame: Uint8Array) => void) | undefined;
  #pace: Pace | undefined;

  constructor(name: string, time: SimulatedTime, receive: Delivery) {
    this.name = name;
    this.time = time;
    this.receive = receive;
  }
  /** The other end takes what is sent from now on. */
  plug(line: (frame: Uint8Array) => void, pace?: Pace): void {
    this.#line = line;
    this.#pace = pace;
  }
  /** Rate of the line, Gbit/s. */
  get gbps(): number {
    return this.#pace?.gbps ?? usualGbps;
  }
  /** When the line has sent all that it has, ns; 0 where nobody knows. */
  get freeAt(): number {
    return this.#pace?.freeAt() ?? 0;
  }
  get isPlugged(): boolean {
    return this.#line !== undefined;
  }
  /** Puts a frame on the line; without a line it is lost, as from a real port. */
  send(frame: Uint8Array): void {
    if (this.#line === undefined) return;
    this.counts.sent++;
    this.#line(frame);
  }
  /** A frame has come to this end. */
  arrive(frame: Uint8Array, damaged: boolean): void {
    this.counts.received++;
    if (damaged) this.counts.damaged++;
    this.receive(frame, damaged);
  }
}
