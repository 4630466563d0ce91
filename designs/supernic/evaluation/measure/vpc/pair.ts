/** Two sNICs in one simulated time, with a line of 100 Gbit/s between them and a host at each. */
import { decode, ethernetHeader } from "../../../../shared/wire/index.ts";
import { clockPeriod } from "../../../config/index.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { deviceDefinition, SimulatedSuperNic } from "../../../rig/index.ts";
import { macControlAddress, pfcQuantumBits, readPfc } from "../../../wire/index.ts";
import { bringVpcKeys, type Chain, type End, toHost, toPeer, vpcParameters, vpcSetup } from "./setup.ts";

const gbps = 100,
  /** Bytes of a frame on the line that it has not inside: check sequence, preamble and gap. */
  onLine = 24,
  /** Cycles of the line, and as many that one device is ahead of the other: what it sends is due after that. */
  lineCycles = 25;
const cyclesOf = (bytes: number): number => ((bytes + onLine) * 8) / gbps / clockPeriod;
/** A device at one end, in the common time. */
interface Place {
  readonly device: SimulatedSuperNic;
  readonly now: () => number;
  /** In the device's own time. */
  readonly at: (cycle: number) => number;
}
function placeOf(device: SimulatedSuperNic): Place {
  const from = device.bench.cycle;
  return { device, now: () => device.bench.cycle - from, at: cycle => cycle + from };
}

/** One way of the line: frames one behind the other, each taken when it is whole. */
class Line {
  #free = 0;
  readonly #to: Place;
  /** Told of each frame that is on it. */
  readonly #tap: (frame: Uint8Array) => void;
  constructor(to: Place, tap: (frame: Uint8Array) => void) {
    this.#to = to;
    this.#tap = tap;
  }
  /** It has a frame ahead: the device must hold the next one. */
  isFull(now: number, longest: number): boolean {
    return this.#free - now > cyclesOf(longest);
  }
  take(frame: Uint8Array, now: number): void {
    const start = Math.max(this.#free, now);
    this.#free = start + cyclesOf(frame.length);
    this.#tap(frame);
    this.#to.device.send(toPeer, frame, { at: this.#to.at(Math.ceil(start) + lineCycles) });
  }
}

/** A host that sends at the rate of its software, and obeys the pauses of its sNIC. */
export class Host {
  readonly #place: Place;
  readonly #class: number;
  readonly #waiting: Uint8Array[] = [];
  #interval = 0;
  #next = 0;
  #paused = 0;
  /** Told of each frame that comes, when it is whole. */
  onFrame: (frame: Uint8Array) => void = () => undefined;

  constructor(place: Place) {
    this.#place = place;
    this.#class = place.device.setup.users[0]?.class ?? 0;
  }
  /** Frames from now on. @param interval cycles from one to the next that its software takes */
  send(frames: readonly Uint8Array[], interval: number): void {
    this.#waiting.push(...frames);
    this.#interval = interval;
    this.#next = Math.max(this.#next, this.#place.now());
  }
  take(frame: Uint8Array): void {
    if (decode(ethernetHeader, frame).dst !== macControlAddress) {
      this.onFrame(frame);
      return;
    }
    const quanta = readPfc(frame)[this.#class];
    if (quanta !== undefined) this.#paused = this.#place.now() + (quanta * pfcQuantumBits) / gbps / clockPeriod;
  }
  /** At each edge. Two frames at its MAC keep its line full. */
  step(): void {
    const now = this.#place.now(),
      { device } = this.#place;
    while (this.#waiting.length > 0 && this.#next <= now && this.#paused <= now && device.waiting(toHost) < 3) {
      device.send(toHost, this.#waiting.shift() ?? new Uint8Array());
      this.#next = Math.max(this.#next, now - this.#interval) + this.#interval;
    }
  }
  get waiting(): number {
    return this.#waiting.length + this.#place.device.waiting(toHost);
  }
}
export interface Pair {
  readonly client: Host;
  readonly server: Host;
  /** Lets time pass, in steps of the line. */
  readonly until: (isOver: () => boolean) => Promise<void>;
  readonly now: () => number;
}
export interface PairOptions {
  readonly seed: number;
  readonly chain: Chain;
  /** Bytes of the longest frame on the line between. */
  readonly longest: number;
  /** Told of each frame between the two. */
  readonly tap: (frame: Uint8Array) => void;
  readonly change?: Change | undefined;
}
type Definition = ReturnType<typeof deviceDefinition>;
/** Makes another device of one, such as one with a fault. */
export type Change = (end: End, device: Definition) => Dut<Definition["ports"]>;
export function withPair<T>(
  { seed, chain, longest, tap, change = (_, device) => device }: PairOptions,
  body: (pair: Pair) => Promise<T>,
): Promise<T> {
  const setups = [vpcSetup(0, chain), vpcSetup(1, chain)] as const,
    definitionOf = (end: End): Definition => deviceDefinition(setups[end], vpcParameters);
  const lines: { line: Line; from: Place }[] = [];
  const options = (end: End) => ({
    ...{ seed, signals: false, wave: false, limitCycles: Infinity, hangCycles: 0 },
    pauseTx: (port: number) => () => {
      const way = lines[end];
      return port === toPeer && way?.line.isFull(way.from.now(), longest) === true;
    },
  });
  const device = (end: End, inside: (d: SimulatedSuperNic) => Promise<T>): Promise<T> =>
    runBench(`VPC ${end}`, change(end, definitionOf(end)), options(end), async bench => {
      const d = new SimulatedSuperNic(bench, setups[end], vpcParameters, options(end));
      await d.bringUp();
      await bringVpcKeys(d, end);
      return inside(d);
    });
  return device(0, a =>
    device(1, b => {
      const places = [placeOf(a), placeOf(b)] as const,
        hosts = [new Host(places[0]), new Host(places[1])] as const;
      for (const end of [0, 1] as const) {
        const from = places[end],
          line = new Line(places[end === 0 ? 1 : 0], tap);
        lines.push({ line, from });
        from.device.bench.onEdge({
          sample: () => {
            for (let left = from.device.take(); left; left = from.device.take()) {
              if (left.port === toPeer) line.take(left.frame.bytes, from.now());
              else hosts[end].take(left.frame.bytes);
            }
            hosts[end].step();
          },
        });
      }
      return body({
        ...{ client: hosts[0], server: hosts[1] },
        // When a frame comes is told in the receiver's time.
        now: places[1].now,
        until: async isOver => {
          while (!isOver()) for (const { device: d } of places) await d.bench.cycles(lineCycles);
        },
      });
    }),
  );
}
