/** The switch of a rack, as a model: it stores a frame, looks its destination up and forwards it. */
import type { SimulatedTime } from "../../../../sim/index.ts";
import { decodeField, ethernetHeader } from "../../../shared/wire/index.ts";
import { macControlAddress } from "../../../supernic/wire/index.ts";
import { Jack } from "./jack.ts";

export interface RackSwitchOptions {
  readonly name: string;
  readonly ports: number;
  /** From a frame's last bit in to its first bit out, ns. */
  readonly latencyNs: number;
  /** Port by MAC address. */
  readonly table: ReadonlyMap<bigint, number>;
  /** Ports where frames for groups neither come in nor leave: links that would close a ring. */
  readonly blocked: ReadonlySet<number>;
}
const groupBit = 1n << 40n;

/**
 * A top-of-rack switch whose table is configured: it never floods what it does not know. Each port's line has the
 * queue. Frames of MAC control (PFC) end at a switch, as 802.1D says, and damaged ones too.
 */
export class RackSwitch {
  readonly name: string;
  readonly jacks: readonly Jack[];
  /** Frames by what became of them; a frame for a group is forwarded once for each port. */
  readonly counts = { in: 0, forwarded: 0, damaged: 0, unknown: 0, control: 0 };
  readonly #o: RackSwitchOptions;
  readonly #time: SimulatedTime;
  #inside = 0;

  constructor(o: RackSwitchOptions, time: SimulatedTime) {
    this.name = o.name;
    this.#o = o;
    this.#time = time;
    this.jacks = Array.from(
      { length: o.ports },
      (_, port) => new Jack(`${o.name}:${port}`, time, (frame, damaged) => this.#take(port, frame, damaged)),
    );
  }
  /** Frames that wait for their latency. */
  get inside(): number {
    return this.#inside;
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
      return;
    }
    const to = this.#ports(dst, port);
    if (to.length === 0) this.counts.unknown++;
    this.#inside++;
    this.#time.after(this.#o.latencyNs, () => {
      this.#inside--;
      this.counts.forwarded += to.length;
      for (const p of to) this.jacks[p]?.send(frame);
    });
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
