/** The switch of a rack, as a model: it stores a frame, looks its destination up and forwards it. */
import type { SimulatedTime } from "../../../../sim/index.ts";
import { decodeField, ethernetHeader } from "../../../shared/wire/index.ts";
import { macControlAddress } from "../../../supernic/wire/index.ts";
import { Held } from "./held.ts";
import { Jack } from "./jack.ts";
import { pausesOf, SendQueue } from "./send-queue.ts";

export interface RackSwitchOptions {
  readonly name: string;
  readonly ports: number;
  /** From a frame's last bit in to its first bit out, ns. */
  readonly latencyNs: number;
  /** Port by MAC address. */
  readonly table: ReadonlyMap<bigint, number>;
  /** Ports where frames for groups neither come in nor leave: links that would close a ring. */
  readonly blocked: ReadonlySet<number>;
  /** By port that leads to a sNIC, bits of the classes that a frame may have there; other ports are never paused. */
  readonly classesOf?: ReadonlyMap<number, (frame: Uint8Array) => number>;
  /** Ports with an endpoint. */
  readonly hosts?: ReadonlySet<number>;
}
const groupBit = 1n << 40n;

/**
 * A top-of-rack switch whose table is configured: it never floods what it does not know. Each port's line has the
 * queue, but for ports of sNICs: what these have paused waits here. A host whose frames wait so is paused in its turn,
 * and no other: a sNIC keeps contexts for what it sends, so pauses between sNICs could close a circle. What of sNICs
 * waits here has the room of a host, and is dropped beyond that. Frames of MAC control (PFC) end at a switch, as 802.1D
 * says, and damaged ones too.
 */
export class RackSwitch {
  readonly name: string;
  readonly jacks: readonly Jack[];
  /** Frames by what became of them; a frame for a group is forwarded once for each port. */
  readonly counts = { in: 0, forwarded: 0, damaged: 0, unknown: 0, control: 0, full: 0, pauses: 0 };
  readonly #o: RackSwitchOptions;
  readonly #time: SimulatedTime;
  #inside = 0;
  /** By port that leads to a sNIC. */
  readonly #queues: ReadonlyMap<number, SendQueue>;
  /** By port that a frame came in at. */
  readonly #held: readonly Held[];

  constructor(o: RackSwitchOptions, time: SimulatedTime) {
    this.name = o.name;
    this.#o = o;
    this.#time = time;
    this.jacks = Array.from(
      { length: o.ports },
      (_, port) => new Jack(`${o.name}:${port}`, time, (frame, damaged) => this.#take(port, frame, damaged)),
    );
    this.#queues = new Map(
      [...(o.classesOf ?? [])].map(([port, of]) => [
        port,
        new SendQueue(this.#jack(port), time, of, { obeys: true, turns: true }),
      ]),
    );
    this.#held = this.jacks.map((jack, port) => {
      const isHost = o.hosts?.has(port) === true;
      return new Held(time, frame => {
        if (!isHost) return 0;
        this.counts.pauses++;
        jack.send(frame);
        return jack.gbps;
      });
    });
  }
  /** Bits of the classes that a frame may have where it goes to; what nobody pauses has none. */
  readonly classesOf = (frame: Uint8Array): number => {
    const dst = decodeField(ethernetHeader, "dst", frame, 0) ?? 0n,
      ports = (dst & groupBit) === 0n ? [this.#o.table.get(dst)] : [...this.#queues.keys()];
    return ports.reduce<number>((m, p) => m | (p === undefined ? 0 : (this.#o.classesOf?.get(p)?.(frame) ?? 0)), 0);
  };
  #jack(port: number): Jack {
    const jack = this.jacks[port];
    if (jack === undefined) throw new RangeError(`${this.name} has no port ${port}`);
    return jack;
  }
  /** Frames that wait for their latency, or for a pause of a sNIC to end. */
  get inside(): number {
    return this.#inside + [...this.#queues.values()].reduce((n, q) => n + q.waiting, 0);
  }

  #take(port: number, frame: Uint8Array, damaged: boolean): void {
    this.counts.in++;
    if (damaged) {
      this.counts.damaged++;
      return;
    }
    const dst = decodeField(ethernetHeader, "dst", frame, 0) ?? 0n;
    if (dst === macControlAddress) {
      this.counts.control++;
      this.#pause(port, frame);
      return;
    }
    const to = this.#ports(dst, port);
    if (to.length === 0) this.counts.unknown++;
    this.#inside++;
    this.#time.after(this.#o.latencyNs, () => {
      this.#inside--;
      for (const p of to) this.#send(port, p, frame);
    });
  }
  #send(from: number, to: number, frame: Uint8Array): void {
    const queue = this.#queues.get(to),
      held = this.#held[from],
      classes = this.#o.classesOf?.get(to)?.(frame) ?? 0;
    if (queue === undefined || held === undefined) {
      this.counts.forwarded++;
      this.jacks[to]?.send(frame);
      return;
    }
    if (!held.add(frame.length, classes)) {
      this.counts.full++;
      return;
    }
    queue.send(frame, () => {
      this.counts.forwarded++;
      held.remove(frame.length, classes);
    });
  }
  #pause(port: number, frame: Uint8Array): void {
    // Another frame of MAC control ends here as well.
    const pauses = pausesOf(frame);
    if (pauses !== undefined) this.#queues.get(port)?.pause(pauses);
  }
  #ports(dst: bigint, from: number): readonly number[] {
    const { table, blocked } = this.#o;
    if ((dst & groupBit) === 0n) {
      const port = table.get(dst);
      return port === undefined || port === from ? [] : [port];
    }
    if (blocked.has(from)) return [];
    return this.jacks.flatMap((j, p) => (p === from || blocked.has(p) || !j.isPlugged ? [] : [p]));
  }
}
