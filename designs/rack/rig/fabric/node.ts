/** A memory node as a member of the rack. */
import { runBench, type SimulatedTime } from "../../../../sim/index.ts";
import { clioNode } from "../../../clio/build/index.ts";
import type { CounterName, Settings } from "../../../clio/config/index.ts";
import { type NodeOptions, SimulatedNode } from "../../../clio/rig/index.ts";
import type { Rack } from "../../setup/index.ts";
import type { Join, Member } from "./clockwork.ts";
import { Jack } from "./jack.ts";
import { pausesOf, SendQueue } from "./send-queue.ts";

export interface RackNodeOptions {
  readonly name: string;
  readonly settings: Settings;
  readonly seed: number;
  /** Rate of its line, Gbit/s: how long a quantum of a pause is. */
  readonly gbps: number;
  /** What differs from a node in a bench. */
  readonly options?: NodeOptions;
}
/** Rate of the line of a place that has one, Gbit/s. */
export const gbpsOf = ({ links }: Rack, name: string): number =>
  links.find(l => l.between.some(p => p.place === name))?.gbps ?? 100;
/** Frames that wait in its MAC for a pause to end. With so many the node cannot send, and holds what comes after. */
const mostWaiting = 4;
/** Its frames may have any class: what is paused at its port can only be these. */
const anyClass = (): number => 255;
type Counters = Readonly<Record<CounterName, bigint>>;

/**
 * The cycle-accurate node with its DRAM and slow path, and a jack at its MAC. That obeys the sNIC's pauses (PFC, IEEE
 * 802.1Qbb), and keeps them to itself as MACs do: the node sees none of them. A paused MAC has few frames, and then
 * takes none from the node: what the node holds is bounded by its slots.
 */
export class RackNode implements Member {
  readonly name: string;
  readonly jack: Jack;
  readonly settings: Settings;
  readonly #seed: number;
  readonly #options: NodeOptions;
  readonly #queue: SendQueue;
  /** Pauses that came. */
  readonly counts = { pauses: 0 };
  /** Told of each frame that the node sends. */
  onSent: ((frame: Uint8Array) => void) | undefined;
  #node: SimulatedNode | undefined;

  constructor({ name, settings, seed, gbps, options = {} }: RackNodeOptions, time: SimulatedTime) {
    this.name = name;
    this.settings = settings;
    this.#seed = seed;
    // Another pause of the line's would be part of checkpoints; a rack has none.
    this.#options = { ...options, mac: { ...options.mac, pauseTx: () => this.waiting >= mostWaiting } };
    this.jack = new Jack(name, time, (frame, damaged) => this.#arrive(frame, damaged));
    // The line gets each frame as the node has sent it, but for pauses.
    const line = { send: (frame: Uint8Array) => this.jack.send(frame), gbps, freeAt: 0 };
    this.#queue = new SendQueue(line, time, anyClass, { obeys: true });
  }
  #arrive(frame: Uint8Array, damaged: boolean): void {
    const pauses = damaged ? undefined : pausesOf(frame);
    if (pauses === undefined) void this.node.send(frame, { damaged });
    else {
      this.counts.pauses++;
      this.#queue.pause(pauses);
    }
  }
  /** Frames that wait for a pause to end. */
  get waiting(): number {
    return this.#queue.waiting;
  }
  /** While the rack runs. */
  get node(): SimulatedNode {
    if (this.#node === undefined) throw new RangeError(`${this.name} has not begun`);
    return this.#node;
  }

  async run(join: Join): Promise<void> {
    const { settings } = this;
    await runBench(
      this.name,
      definitionOf(settings),
      { seed: this.#seed, wave: false, limitCycles: Infinity, hangCycles: 200_000 },
      bench =>
        join(bench, async () => {
          const node = await SimulatedNode.start(bench, settings, this.#options);
          this.#node = node;
          bench.onEdge({
            sample: () => {
              for (let f = node.take(); f !== undefined; f = node.take()) {
                this.onSent?.(f.bytes);
                this.#queue.send(f.bytes);
              }
            },
          });
          return () => node.transport.close();
        }),
    );
  }

  /** No request is under way, and no reply. */
  isAtRest(): Promise<boolean> {
    return Promise.resolve(this.node.idle && this.waiting === 0);
  }
  /**
   * @param strict programs alone send: then a frame that the node drops is a fault
   * @returns its counters, and all that was wrong with it: what it still holds, frames that it should not have got
   */
  async finish(strict: boolean): Promise<{ readonly counters: Counters; readonly problems: readonly string[] }> {
    const counters = await this.node.counters();
    // A line may damage what it carries: the node drops it, or answers with NACK where it can still say whose it is.
    const dropped = (Object.keys(counters) as CounterName[]).filter(
      c => c.startsWith("drop") && c !== "dropFcs" && counters[c] > 0n,
    );
    const problems = [
      ...(this.node.idle ? [] : [`it is not at rest: units ${this.node.bench.io.busy.big.toString(2)} are busy`]),
      ...(strict ? dropped : []).map(c => `${counters[c]} frames came that are none of its (${c})`),
      ...this.#unlike("frames came to it", this.jack.counts.received - this.counts.pauses, counters.rxFrames),
      ...this.#unlike("damaged frames came to it", this.jack.counts.damaged, counters.dropFcs + counters.nacks),
      ...this.#unlike("frames left it", this.jack.counts.sent, counters.txFrames),
    ];
    return { counters, problems: problems.map(p => `${this.name}: ${p}`) };
  }
  #unlike(what: string, onLine: number, counted: bigint): readonly string[] {
    return BigInt(onLine) === counted ? [] : [`${onLine} ${what} by its line, ${counted} by its counters`];
  }
}

type NodeDesign = ReturnType<typeof clioNode>;
/** Addresses are run-time settings: nodes that are built alike are one design. */
const definitions = new Map<string, NodeDesign>();
export function definitionOf({ config }: Settings): NodeDesign {
  const key = JSON.stringify(config, (_, v: unknown) => (typeof v === "bigint" ? String(v) : v)),
    known = definitions.get(key) ?? clioNode(config);
  definitions.set(key, known);
  return known;
}
