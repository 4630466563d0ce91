import { SimulationError } from "../errors.ts";
import { type Delivery, Link, type LinkOptions, type LinkStatistics } from "./link.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import { Random } from "../../hdl-dsl/index.ts";

/** Seed of a network, and what its lines are like. */
export interface NetworkOptions {
  /** Of losses, copies and delays. */
  readonly seed: number;
  /** Of every direction of every station that does not say otherwise. */
  readonly link?: LinkOptions;
}
/** Address and lines of a station, and what takes its frames. */
export interface StationOptions {
  /** The station's address, 48 bits. */
  readonly mac: bigint;
  /** Differences from the network's `link`: to the network, and from it. */
  readonly out?: LinkOptions;
  /** From the network. */
  readonly in?: LinkOptions;
  /** Takes what arrives; `damaged`: the MAC marks its check sequence wrong. */
  readonly receive: Delivery;
}
/** A station's way into the network. */
export interface Attachment {
  send(frame: Uint8Array): void;
  readonly statistics: { readonly out: Readonly<LinkStatistics>; readonly in: Readonly<LinkStatistics> };
}
interface Port {
  readonly name: string;
  readonly mac: bigint;
  readonly in: Link;
  readonly receive: Delivery;
}

const broadcast = 0xffff_ffff_ffffn;

/**
 * An Ethernet switch and its lines, with any number of stations. Each has a link to the switch and one from it
 * (bandwidth, bounded queue, latency, faults). The switch passes a frame on by the destination MAC that it was sent
 * with, damaged or not (cut-through), and adds no time. All chance comes from one seed, and each link has numbers of
 * its own: a station more changes nothing for the others.
 */
export class NetworkModel {
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #link: LinkOptions;
  readonly #ports: Port[] = [];
  readonly #attachments = new Map<string, Attachment>();
  #unknown = 0;

  constructor(time: SimulatedTime, { seed, link = {} }: NetworkOptions) {
    this.#time = time;
    this.#random = new Random(seed);
    this.#link = link;
  }

  get time(): SimulatedTime {
    return this.#time;
  }
  /** Frames for a MAC that no station has. */
  get unknown(): number {
    return this.#unknown;
  }
  /** Counts of each station's links, by name. */
  get statistics(): ReadonlyMap<string, Attachment["statistics"]> {
    return new Map([...this.#attachments].map(([n, a]) => [n, a.statistics]));
  }
  /** Sums over all links. */
  get totals(): Readonly<LinkStatistics> {
    const all = [...this.#attachments.values()].flatMap(a => [a.statistics.out, a.statistics.in]);
    const first = all[0];
    if (first === undefined) throw new SimulationError("the network has no station; attach one");
    return all.slice(1).reduce(
      (sum, s) =>
        Object.fromEntries(
          Object.entries(sum).map(([k, v]) => {
            const other = s[k as keyof LinkStatistics];
            return [k, k === "longestQueueNs" ? Math.max(v, other) : v + other];
          }),
        ) as LinkStatistics,
      { ...first },
    );
  }

  /** Joins a station. @throws SimulationError when its name or MAC is taken, or its links cannot be */
  attach(name: string, o: StationOptions): Attachment {
    const taken = this.#ports.find(p => p.name === name || p.mac === o.mac);
    if (taken) {
      const what = taken.name === name ? "name" : "MAC";
      throw new SimulationError(`station ${name}: the network has ${taken.name} with that ${what}; give another`);
    }
    const out = new Link(`${name}, out`, this.#time, this.#random.fork(`${name} out`), { ...this.#link, ...o.out });
    const back = new Link(`${name}, in`, this.#time, this.#random.fork(`${name} in`), { ...this.#link, ...o.in });
    this.#ports.push({ name, mac: o.mac, in: back, receive: o.receive });
    const attachment: Attachment = {
      send: frame => this.#enter(name, out, frame),
      get statistics() {
        return { out: out.statistics, in: back.statistics };
      },
    };
    this.#attachments.set(name, attachment);
    return attachment;
  }

  #enter(from: string, link: Link, frame: Uint8Array): void {
    const to = this.#destinations(from, frame);
    if (to.length === 0) this.#unknown++;
    link.send(frame, false, (bytes, damaged) => {
      for (const p of to) p.in.send(bytes, damaged, p.receive);
    });
  }
  #destinations(from: string, frame: Uint8Array): readonly Port[] {
    let mac = 0n;
    for (let i = 0; i < 6; i++) mac = (mac << 8n) | BigInt(frame[i] ?? 0);
    return this.#ports.filter(p => p.name !== from && (mac === broadcast || p.mac === mac));
  }
}
