/** A rack that runs: its members in one time, and the lines between them. */
import { Random, type SimulatedTime } from "../../../../sim/index.ts";
import type { CounterName } from "../../../clio/config/index.ts";
import type { NodeOptions } from "../../../clio/rig/index.ts";
import type { AllCounts, BuildOptions } from "../../../supernic/rig/index.ts";
import { isServed, type Plug, type Rack } from "../../setup/index.ts";
import { classesAt } from "./classes.ts";
import { clockPeriod, Clockwork } from "./clockwork.ts";
import { RackDevice, type RackDeviceOptions } from "./device.ts";
import type { Elsewhere } from "./elsewhere.ts";
import { RackEndpoint } from "./endpoint.ts";
import type { Jack } from "./jack.ts";
import { joints } from "./joints.ts";
import { Line, type Tap } from "./line.ts";
import { gbpsOf, RackNode, type RackNodeOptions } from "./node.ts";
import { RackSwitch } from "./switch.ts";

export interface RackOptions {
  readonly seed: number;
  /** Told of each frame of a line, by the line's place in the setup. */
  readonly tap?: (line: number) => Tap;
  /** For programs of this machine: nobody judges the frames, and nodes are as this says. */
  readonly served?: { readonly node: NodeOptions; readonly time: () => number };
  /** How its sNICs are built, where that is not as their parameters say. */
  readonly build?: BuildOptions;
  /** Threads of their own for some of the sNICs and nodes. */
  readonly apart?: Apart;
  /** Of a sNIC by its name: models of its tasks, and what its software does at first. */
  readonly device?: (name: string) => Pick<RackDeviceOptions, "change" | "models" | "prepare" | "isManaged" | "memory">;
}
/** What another thread simulates has a stand-in here. */
export interface Apart {
  readonly elsewhere: readonly Elsewhere[];
  /** The stand-in; undefined for a sNIC that is simulated here. @param member its place among all */
  readonly device: (member: number, o: RackDeviceOptions, time: SimulatedTime) => RackDevice | undefined;
  /** The same of a node. */
  readonly node: (member: number, o: RackNodeOptions, time: SimulatedTime) => RackNode | undefined;
}
/** What the hardware counted, by name of the device or node. */
export interface Finished {
  readonly devices: ReadonlyMap<string, AllCounts>;
  readonly nodes: ReadonlyMap<string, Readonly<Record<CounterName, bigint>>>;
  readonly problems: readonly string[];
}

/** Between two looks whether all is at rest, ns; and how many looks. */
const look = 2000,
  looks = 500,
  /** No member is further ahead, however long the lines are, ns. */
  farAhead = 4000;

export class RunningRack {
  readonly plan: Rack;
  readonly clockwork: Clockwork;
  readonly devices: readonly RackDevice[];
  readonly nodes: readonly RackNode[];
  readonly switches: readonly RackSwitch[];
  readonly endpoints: readonly RackEndpoint[];
  readonly lines: readonly Line[];

  constructor(plan: Rack, clockwork: Clockwork, o: RackOptions) {
    const { seed } = o,
      { time } = clockwork,
      timeOf = (member: number): SimulatedTime => clockwork.times[member] ?? time,
      random = new Random(seed);
    this.plan = plan;
    this.clockwork = clockwork;
    const { served, build } = o,
      deviceOptions = { seed, ...(served && { served: { time: served.time } }), ...(build && { build }) },
      nodeOptions = { seed, ...(served && { options: served.node }) };
    this.devices = plan.devices.map((d, i) => {
      const options = { ...d, ...deviceOptions, ...o.device?.(d.name) };
      return o.apart?.device(i, options, timeOf(i)) ?? new RackDevice(options, timeOf(i));
    });
    this.nodes = plan.nodes.map((n, k) => {
      const options = { ...n, ...nodeOptions, gbps: gbpsOf(plan, n.name) },
        i = plan.devices.length + k;
      return o.apart?.node(i, options, timeOf(i)) ?? new RackNode(options, timeOf(i));
    });
    this.switches = plan.switches.map(s => {
      const ports = Array.from({ length: s.ports }, (_, port) => port),
        far = ports.map(port => this.#farFrom({ place: s.name, port })),
        classesOf = new Map(
          ports.flatMap(port => {
            const of = this.#classesAt(far[port]);
            return of === undefined ? [] : [[port, of] as const];
          }),
        ),
        hosts = new Set(ports.filter(port => plan.endpoints.some(e => e.name === far[port]?.place)));
      return new RackSwitch({ ...s, classesOf, hosts }, time);
    });
    this.endpoints = plan.endpoints.map(e => {
      const classesOf = this.#classesOf(e.name);
      return new RackEndpoint({ ...e, neighbours: plan.neighbours, ...(classesOf && { classesOf }) }, time);
    });
    this.lines = plan.links.map(({ between: [a, b], ...options }, i) => {
      const tap = o.tap?.(i);
      return new Line([this.#jack(a), this.#jack(b)], { random, ...(tap && { tap }) }, options);
    });
  }
  /** The other end of the line that is plugged in there. */
  #farFrom(plug: Plug): Plug | undefined {
    const isHere = (p: Plug): boolean => p.place === plug.place && p.port === plug.port,
      ends = this.plan.links.map(l => l.between).find(([a, b]) => isHere(a) || isHere(b));
    return ends?.find(e => !isHere(e));
  }
  /** Classes of frames at a port of a sNIC. */
  #classesAt(plug: Plug | undefined): ((frame: Uint8Array) => number) | undefined {
    const device = this.plan.devices.find(d => d.name === plug?.place);
    return device && plug && classesAt(device.setup, plug.port);
  }
  /** Classes at the sNIC behind an endpoint's line, or behind the switch that has it. */
  #classesOf(endpoint: string): ((frame: Uint8Array) => number) | undefined {
    const far = this.#farFrom({ place: endpoint, port: 0 });
    return this.#classesAt(far) ?? this.switches.find(s => s.name === far?.place)?.classesOf;
  }
  #jack({ place, port }: Plug): Jack {
    const of = <T extends { readonly name: string }>(all: readonly T[]): T | undefined =>
      all.find(x => x.name === place);
    const jack =
      of(this.devices)?.jacks[port] ??
      of(this.switches)?.jacks[port] ??
      of(this.nodes)?.jack ??
      of(this.endpoints)?.jack;
    if (jack === undefined) throw new RangeError(`the rack has no ${place}:${port}`);
    return jack;
  }

  /** Cycles of the shortest line between two places that have times of their own. */
  get lookahead(): number {
    const apart = this.lines.filter(({ ends: [a, b] }) => a.time !== b.time).map(l => l.latencyNs);
    return Math.max(1, Math.floor(Math.min(...apart, farAhead) / clockPeriod));
  }
  /** The endpoint of this name. */
  endpoint(name: string): RackEndpoint {
    const found = this.endpoints.find(e => e.name === name);
    if (found === undefined) throw new RangeError(`there is no endpoint ${name}`);
    return found;
  }
  /** The memory node of this name. */
  node(name: string): RackNode {
    const found = this.nodes.find(n => n.name === name);
    if (found === undefined) throw new RangeError(`there is no node ${name}`);
    return found;
  }
  /** Waits until nothing is under way anywhere, at two looks one after the other. @returns whether that came */
  async settle(): Promise<boolean> {
    for (let quiet = 0, i = 0; i < looks && quiet < 2; i++) {
      await this.clockwork.pause(look);
      quiet = (await this.#isAtRest()) ? quiet + 1 : 0;
      if (quiet === 2) return true;
    }
    return false;
  }
  async #isAtRest(): Promise<boolean> {
    const under =
      this.endpoints.some(e => e.waiting > 0) ||
      this.lines.some(l => l.inside > 0) ||
      this.switches.some(s => s.inside > 0);
    if (under) return false;
    for (const place of [...this.nodes, ...this.devices]) if (!(await place.isAtRest())) return false;
    return true;
  }
  /** Something may be under way: asked at each edge of a served rack. */
  get working(): boolean {
    return (
      this.endpoints.some(e => e.waiting > 0) ||
      this.lines.some(l => l.inside > 0) ||
      this.switches.some(s => s.inside > 0) ||
      this.nodes.some(n => !n.node.idle || n.waiting > 0) ||
      this.devices.some(d => d.still?.working !== false)
    );
  }
  /** Waits for the rest, and reads what was counted. @param settled whether all has come to rest */
  async finish(settled: Promise<boolean> = this.settle()): Promise<Finished> {
    const rested = await settled,
      problems: string[] = rested ? [] : [`frames are under way ${(look * looks) / 1000} us after the last operation`];
    const devices = new Map<string, AllCounts>(),
      nodes = new Map<string, Readonly<Record<CounterName, bigint>>>();
    for (const d of this.devices) {
      const { counters, problems: own } = await d.finish();
      devices.set(d.name, counters);
      problems.push(...own);
    }
    // A capture, or a program of this machine, may send a node what it likes.
    const strict = this.plan.endpoints.every(({ program: p }) =>
      p.kind === "capture" ? p.in === undefined : !isServed(p),
    );
    for (const n of this.nodes) {
      const { counters, problems: own } = await n.finish(strict);
      nodes.set(n.name, counters);
      problems.push(...own);
    }
    return { devices, nodes, problems: [...problems, ...joints(this, devices)] };
  }
}

/** Runs a rack for as long as `body` does. */
export const withRack = <T>(plan: Rack, o: RackOptions, body: (rack: RunningRack) => Promise<T>): Promise<T> => {
  let rack: RunningRack | undefined;
  return Clockwork.run(
    plan.devices.length + plan.nodes.length,
    clockwork => {
      rack = new RunningRack(plan, clockwork, o);
      return {
        members: [...rack.devices, ...rack.nodes],
        lookahead: rack.lookahead,
        ...(o.apart && { elsewhere: o.apart.elsewhere }),
      };
    },
    () => body(rack as RunningRack),
  );
};
