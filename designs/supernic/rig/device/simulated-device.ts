/** The device in a cycle-accurate simulation: MACs at its ports, software at its registers and its stream. */
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  type BenchOptions,
  EthernetMac,
  type Frame,
  LiteMaster,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { boardPagesOf, deviceSizes, memoryOf, spillOf, taskNamed } from "../../build/index.ts";
import { clockPeriod, type Parameters } from "../../config/index.ts";
import { driverOf, type SnicDriver } from "../../registers/index.ts";
import {
  type DeviceParameters,
  type MemoryParameters,
  memoryWaysOf,
  type RegionContent,
  superNic,
  type Task,
} from "../../rtl/index.ts";
import {
  defaultTimes,
  periodEpochs,
  type ScalingLoop,
  type Sent,
  type Setup,
  SnicSoftware,
  type SwapTimes,
} from "../../software/index.ts";
import { clearingCycles, configureDevice } from "./bring-up.ts";
import { type AllCounts, deviceCounts, readCounters } from "./counters.ts";
import { type Inside, readInside } from "./ledger.ts";
import { type ManagedRegions, managedRegions } from "./managed.ts";
import { planRegions } from "./region-plan.ts";
import { SpillMemory } from "./spill-memory.ts";
import { memoryTasksOf, TaskMemory, type TaskMemoryOptions } from "./task-memory.ts";
import type { DeviceCounts } from "../../model/index.ts";

/** Bits per second of a port's line. */
const lineGbps = 100;
const beatBytes = 64;
/** Cycles between two looks for frames that wait for a region. */
const lookCycles = 1_000;

type DeviceDefinition = ReturnType<ReturnType<typeof superNic>>;
/**
 * By chains and sizes, the one that was asked for last at the end. What is made of a definition, down to its machine
 * code, is kept with it: hundreds of megabytes, so only a few are.
 */
const KEPT = 4,
  definitions = new Map<string, DeviceDefinition>();

/** How a device is built for a bench, where it is not as its parameters say. */
export interface BuildOptions {
  /** Tasks by their names; the project's, where this is left out. */
  readonly taskOf?: (name: string) => Task;
  /** Sizes that no parameter sets, such as those of the class queues. */
  readonly sizes?: Partial<DeviceParameters>;
  /**
   * Chains that regions can be given, by their tasks: then regions can be reprogrammed. Those of the setup, where this
   * is left out.
   */
  readonly bitstreams?: readonly (readonly string[])[];
  /** Regions that can be given those of them with memory, payload or frames of their own (`planRegions`). */
  readonly ways?: readonly number[];
  /** Fair shares in hardware, with the tables that software keeps for them; as the setup says, where left out. */
  readonly fair?: boolean;
  /** Nanoseconds for which a chain keeps its region; MONITOR_PERIOD where this is left out. */
  readonly hold?: number;
  /** Times until software no longer waits for a region; the project's, where this is left out. */
  readonly times?: SwapTimes;
}
/** The memory of these regions' tasks; undefined: none has any. */
function memorySizesOf(contents: readonly RegionContent[], parameters: Parameters): MemoryParameters | undefined {
  const ways = memoryWaysOf(contents);
  return ways === 0 ? undefined : memoryOf(parameters, ways);
}
/** By who gives a device's tasks: a number for the key. */
const taskSources = new WeakMap<(name: string) => Task, number>();
let sources = 0;
function sourceOf(taskOf: (name: string) => Task): number {
  const known = taskSources.get(taskOf) ?? ++sources;
  taskSources.set(taskOf, known);
  return known;
}
/** The device that a setup wants. Building one takes seconds: the same one of the same tasks is built once. */
export function deviceDefinition(
  setup: Setup,
  parameters: Parameters,
  { taskOf = taskNamed, sizes = {}, bitstreams = setup.bitstreams, ways }: BuildOptions = {},
): DeviceDefinition {
  const chains = setup.regions.map(c => c?.labels ?? []),
    build = (): DeviceDefinition => {
      const { contents } = planRegions(setup, parameters.regions, { taskOf, bitstreams, ways }),
        memory = memorySizesOf(contents, parameters);
      const spill = setup.spill ? spillOf(parameters) : undefined;
      return superNic(contents)({
        ...deviceSizes(parameters),
        ...(memory && { memory }),
        ...(spill && { spill }),
        ...sizes,
      });
    };
  const key = JSON.stringify([sourceOf(taskOf), chains, parameters, sizes, bitstreams, ways, setup.spill]),
    known = definitions.get(key) ?? build();
  definitions.delete(key);
  definitions.set(key, known);
  const [oldest] = definitions.keys();
  if (definitions.size > KEPT && oldest !== undefined) definitions.delete(oldest);
  return known;
}
type DeviceBench = Bench<ReturnType<typeof deviceDefinition>["ports"]>;

/** A frame that came out. */
export interface Left {
  readonly port: number;
  readonly frame: Frame;
}
/** A frame for software, as it came. */
export interface ForSoftware {
  readonly bytes: Uint8Array;
  readonly ingress: number;
}

/** How frames come in at the ports. */
export interface LineOptions {
  /** As fast as the device takes their beats, in place of a line's 100 Gbit/s. */
  readonly backToBack?: boolean;
  /** Back-pressure of a port's MAC; none, where it is left out. */
  readonly pauseTx?: (port: number) => Pause;
  /** The software's time, ns; simulated time, where this is left out. */
  readonly time?: () => number;
  /** Of a device whose tasks have memory. */
  readonly memory?: TaskMemoryOptions;
  /** How the board's memory answers; by default in 50 cycles. */
  readonly ram?: AxiRamOptions;
}

export class SimulatedSuperNic {
  readonly bench: DeviceBench;
  readonly setup: Setup;
  readonly parameters: Parameters;
  readonly driver: SnicDriver;
  readonly software: SnicSoftware;
  /** Of a device whose regions can be reprogrammed. */
  readonly managed: ManagedRegions | undefined;
  /** Of a setup with fair shares: scales its chains out and in. */
  scaling: ScalingLoop | undefined;
  readonly bitstreams: BuildOptions["bitstreams"];
  /** The board's memory, of a device that uses it. */
  readonly ram: AxiRam | undefined;
  /** Of a device whose tasks have memory. */
  readonly memory: TaskMemory | undefined;
  /** Of a device with rings for frames of DAGs that wait. */
  readonly spill: SpillMemory | undefined;
  readonly #macs: readonly EthernetMac[];
  readonly #toSoftware;
  readonly #fromSoftware;
  #beats: Uint8Array[] = [];
  /** Frames that software works on, one after the other. */
  #working = Promise.resolve();
  #atWork = 0;
  /** Told of each frame that comes to software, and of each that it sends. */
  onSoftware: (frame: ForSoftware) => void = () => undefined;
  onSent: (sent: Sent) => void = () => undefined;
  /** Software for peers: takes the frames that are theirs. */
  takesPeers: (frame: ForSoftware) => boolean = () => false;

  constructor(
    bench: DeviceBench,
    setup: Setup,
    parameters: Parameters,
    {
      backToBack = false,
      pauseTx,
      memory,
      bitstreams = setup.bitstreams,
      ways,
      taskOf,
      fair = setup.fair,
      sizes,
      ram,
      hold,
      times = defaultTimes,
      time = () => bench.cycle * clockPeriod,
    }: LineOptions & BuildOptions = {},
  ) {
    this.bench = bench;
    this.setup = setup;
    this.parameters = parameters;
    const { sim, io } = bench;
    // How many ports there are is a parameter, so that the compiler does not know their names.
    const port = (name: string): never => io[name as keyof typeof io] as never;
    this.#macs = Array.from(
      { length: parameters.ports },
      (_, i) =>
        new EthernetMac(sim, port(`rx${i}`), port(`tx${i}`), {
          ...(!backToBack && { gbps: lineGbps }),
          ...(pauseTx && { pauseTx: pauseTx(i) }),
        }),
    );
    this.driver = driverOf(new LiteMaster(sim, io), parameters.ports);
    this.#toSoftware = new StreamSink(sim, io.toSoftware);
    this.#fromSoftware = new StreamSource(sim, io.fromSoftware);
    const plan = planRegions(setup, parameters.regions, { taskOf: taskOf ?? taskNamed, bitstreams, ways }),
      memories = memorySizesOf(plan.contents, parameters);
    this.bitstreams = plan.bitstreams;
    const hasRings = setup.spill || sizes?.spill !== undefined,
      board = () => new AxiRam(sim, { aw: io.mAw, w: io.mW, b: io.mB, ar: io.mAr, r: io.mR }, ram);
    this.ram = memories !== undefined || hasRings ? board() : undefined;
    this.memory =
      memories &&
      this.ram &&
      new TaskMemory(
        bench,
        memories,
        {
          tasks: memoryTasksOf(setup, plan, taskOf ?? taskNamed),
          users: setup.users,
          ...{ boardPages: boardPagesOf(parameters), ram: this.ram },
        },
        memory,
      );
    this.spill = hasRings ? new SpillMemory(bench) : undefined;
    this.managed =
      plan.bitstreams &&
      managedRegions(this.driver, setup, {
        ...{ bitstreams: plan.bitstreams, taskOf, fair },
        // Regions' changes take the device's time, whatever the software's is.
        time: () => bench.cycle * clockPeriod,
        wait: () => bench.cycles(50),
        ...{ stays: region => plan.stays[region] ?? true, fits: plan.fits, memoryWays: plan.memoryWays },
        ...(this.memory && { memory: this.memory.grants }),
        ...(this.spill && { rings: this.spill.rings }),
        sizes: deviceSizes(parameters),
        ...{ hold: hold ?? parameters.monitorPeriod, times },
      });
    this.software = new SnicSoftware(setup, { write: entry => this.driver.write([entry]) }, time, this.managed);
    bench.onEdge({ sample: () => this.#sample() });
  }
  /** Writes the tables and registers of the setup. */
  async bringUp(): Promise<void> {
    await configureDevice(this.driver, this.setup);
    await this.managed?.start();
    await this.memory?.start(this.managed !== undefined);
    await this.bench.cycles(clearingCycles);
    if (this.setup.bitstreams !== undefined) this.#lookForWaiting();
    if (this.setup.fair) this.#scale();
  }
  /** Scales chains by each epoch's load, for as long as the bench runs. */
  #scale(): void {
    const { monitorPeriod } = this.parameters,
      { epoch } = this.setup;
    this.scaling = this.managed?.scaling(periodEpochs({ monitorPeriod, epoch: epoch * clockPeriod }));
    void this.bench.background(async () => {
      for (let due = this.bench.cycle + epoch; ; due += epoch) {
        await this.bench.cycles(Math.max(0, due - this.bench.cycle));
        await this.scaling?.epoch();
      }
    });
  }
  /** Launches chains of a setup's bitstreams whose frames wait, for as long as the bench runs. */
  #lookForWaiting(): void {
    void this.bench.background(async () => {
      for (;;) {
        await this.bench.cycles(lookCycles);
        await this.managed?.look();
      }
    });
  }
  /** A frame comes in at a port. */
  send(port: number, bytes: Uint8Array, o: { readonly at?: number; readonly damaged?: boolean } = {}) {
    const mac = this.#macs[port];
    if (mac === undefined) throw new RangeError(`there is no port ${port}`);
    return mac.send(bytes, o);
  }
  /** The oldest frame that a port has given out. */
  take(): Left | undefined {
    for (const [port, mac] of this.#macs.entries()) {
      const frame = mac.take();
      if (frame !== undefined) return { port, frame };
    }
    return undefined;
  }
  /** Frames that are not wholly in at a port yet. */
  waiting(port: number): number {
    return this.#macs[port]?.pending ?? 0;
  }
  /** Frames that are not wholly in yet, or that software works on; or a region of a setup's bitstreams changes. */
  get busy(): boolean {
    if (this.setup.bitstreams !== undefined && this.managed?.manager.isChanging === true) return true;
    return this.#macs.some(m => m.pending > 0) || this.#atWork > 0 || this.#fromSoftware.pending > 0;
  }
  async counters(): Promise<AllCounts> {
    return readCounters(this.driver, this.parameters.ports, this.spill?.driver);
  }
  async inside(): Promise<Inside> {
    return readInside(this.driver, this.parameters.ports, this.spill?.driver);
  }
  async counts(all: AllCounts): Promise<DeviceCounts> {
    return deviceCounts(this.driver, this.setup, all);
  }

  #sample(): void {
    for (let s = this.#toSoftware.take(); s; s = this.#toSoftware.take()) {
      const { data, keep, last, ingress } = s.value,
        bytes = bytesOf(BigInt(data), BigInt(keep));
      this.#beats.push(bytes);
      if (last === 0) continue;
      const frame = { bytes: new Uint8Array(Buffer.concat(this.#beats.splice(0))), ingress };
      this.onSoftware(frame);
      this.#atWork++;
      this.#working = this.#working.then(() => this.bench.background(() => this.#answer(frame)));
    }
  }
  async #answer({ bytes, ingress }: ForSoftware): Promise<void> {
    const isPeers = this.takesPeers({ bytes, ingress });
    if (!isPeers) for (const sent of await this.software.receive(bytes, ingress)) this.give(sent);
    this.#atWork--;
  }
  /** A frame of software. */
  give(sent: Sent): void {
    const { frame, ports } = sent,
      padded = new Uint8Array(Math.max(60, frame.length));
    padded.set(frame);
    this.onSent({ frame: padded, ports });
    const mask = ports.reduce((m, p) => m | (1 << p), 0),
      beats = Math.ceil(padded.length / beatBytes);
    for (let i = 0; i < beats; i++) {
      const part = padded.slice(i * beatBytes, (i + 1) * beatBytes);
      this.#fromSoftware.send({
        data: BigInt(`0x${Buffer.from(part).reverse().toString("hex")}`),
        keep: (1n << BigInt(part.length)) - 1n,
        last: i === beats - 1 ? 1 : 0,
        user: 0,
        ports: mask,
      });
    }
  }
}

/** The bytes of a beat that count. */
function bytesOf(data: bigint, keep: bigint): Uint8Array {
  const length = keep.toString(2).length,
    out = new Uint8Array(keep === 0n ? 0 : length);
  for (let i = 0; i < out.length; i++) out[i] = Number((data >> BigInt(8 * i)) & 255n);
  return out;
}

/** A device of a setup, brought up, for as long as `body` runs. */
export const withDevice = <T>(
  name: string,
  setup: Setup,
  parameters: Parameters,
  options: BenchOptions & LineOptions & BuildOptions,
  body: (device: SimulatedSuperNic) => Promise<T>,
): Promise<T> =>
  runBench(name, deviceDefinition(setup, parameters, options), options, async bench => {
    const device = new SimulatedSuperNic(bench, setup, parameters, options);
    await device.bringUp();
    return body(device).finally(() => device.memory?.stop());
  });
