/** A sNIC as a member of the rack, with the model that judges each of its frames. */
import { type Dut, runBench, type SentFrame, type SimulatedTime } from "../../../../sim/index.ts";
import type { Parameters } from "../../../supernic/config/index.ts";
import { DeviceScoreboard, type TaskModels } from "../../../supernic/model/index.ts";
import {
  type AllCounts,
  type BuildOptions,
  deviceDefinition,
  framesInside,
  isOwn,
  leftAtRest,
  SimulatedSuperNic,
  Stillness,
  type TaskMemoryOptions,
  unaccounted,
} from "../../../supernic/rig/index.ts";
import type { Setup } from "../../../supernic/software/index.ts";
import type { Join, Member } from "./clockwork.ts";
import { Jack } from "./jack.ts";

type Definition = ReturnType<typeof deviceDefinition>;
type DeviceDut = Dut<Definition["ports"]>;
export interface RackDeviceOptions {
  readonly name: string;
  readonly setup: Setup;
  readonly parameters: Parameters;
  readonly seed: number;
  /** For programs of this machine: no model stands beside it, and its software has real time. */
  readonly served?: { readonly time: () => number };
  /** How it is built, where that is not as its parameters say. */
  readonly build?: BuildOptions;
  /** Makes another device of it, such as one with a fault. */
  readonly change?: (device: Definition) => DeviceDut;
  /** Its tasks' memory. */
  readonly memory?: TaskMemoryOptions;
  /** Models of tasks that are told more than a setup says, such as keys. */
  readonly models?: TaskModels;
  /** Its tables change while it runs: no model of them judges its frames, its counters do. */
  readonly isManaged?: boolean;
  /** What software does when the device has been brought up, and before frames come. */
  readonly prepare?: (device: SimulatedSuperNic) => Promise<void>;
}

/** Cycles: the timers of tasks come by more often. */
const silent = 50_000;

/**
 * The cycle-accurate sNIC with a jack at each port. Beside it the reference model follows every frame; what a counter
 * tells and what came out must agree with it at the end. A served one has no model: its ledger alone is looked at.
 */
export class RackDevice implements Member {
  readonly name: string;
  readonly jacks: readonly Jack[];
  readonly setup: Setup;
  readonly scoreboard: DeviceScoreboard;
  /** Of this device. */
  readonly time: SimulatedTime;
  readonly #o: RackDeviceOptions;
  #device: SimulatedSuperNic | undefined;
  /** Of a served device that has begun: whether something is under way. */
  still: Stillness | undefined;
  /** Frames that are going in, by port: a port takes one after the other. */
  readonly #entering: { readonly sent: SentFrame; readonly port: number; readonly damaged: boolean }[][];
  /** By port: frames that the device gave out. */
  readonly left: number[];
  #atWork = 0;
  /** The cycle in which a frame last came in or left. */
  #moved = 0;

  constructor(o: RackDeviceOptions, time: SimulatedTime) {
    this.name = o.name;
    this.time = time;
    this.setup = o.setup;
    this.#o = o;
    const ports = Array.from({ length: o.parameters.ports }, (_, i) => i);
    this.#entering = ports.map(() => []);
    this.left = ports.map(() => 0);
    this.jacks = ports.map(
      port => new Jack(`${o.name}:${port}`, time, (frame, damaged) => this.#take(port, frame, damaged)),
    );
    this.scoreboard = new DeviceScoreboard(o.setup, o.models, () => this.#device?.bench.cycle);
  }
  /** While the rack runs. */
  get device(): SimulatedSuperNic {
    if (this.#device === undefined) throw new RangeError(`${this.name} has not begun`);
    return this.#device;
  }

  async run(join: Join): Promise<void> {
    const { setup, parameters, seed, served, build = {}, memory, change } = this.#o,
      definition = deviceDefinition(setup, parameters, build);
    await runBench(
      this.name,
      change?.(definition) ?? definition,
      // Signals inside: credits and the links' numbers are looked at in the end.
      { seed, wave: false, limitCycles: Infinity, hangCycles: 200_000, signals: served === undefined },
      async bench => {
        const device = new SimulatedSuperNic(bench, setup, parameters, {
          ...build,
          ...served,
          ...(memory && { memory }),
        });
        this.#device = device;
        await join(bench, async () => {
          await device.bringUp();
          await this.#o.prepare?.(device);
          if (served === undefined) this.#judge(device);
          else this.still = new Stillness(device);
          bench.onEdge({ sample: () => this.#watch(device) });
          return () => device.memory?.stop();
        });
      },
    );
  }
  /** A model of its tables judges its frames. */
  get #isJudged(): boolean {
    return this.#o.served === undefined && this.#o.isManaged !== true;
  }
  #judge(device: SimulatedSuperNic): void {
    const { scoreboard } = this;
    if (this.#o.isManaged === true) return;
    device.onSoftware = ({ bytes }) => void scoreboard.toSoftware(bytes);
    device.onSent = ({ frame, ports }) => scoreboard.sent(frame, ports);
  }
  #take(port: number, frame: Uint8Array, damaged: boolean): void {
    if (this.#o.served !== undefined) {
      this.device.send(port, frame, { damaged });
      return;
    }
    this.#atWork++;
    this.#entering[port]?.push({ sent: this.device.send(port, frame, { damaged }), port, damaged });
  }
  #watch(device: SimulatedSuperNic): void {
    for (let left = device.take(); left; left = device.take()) {
      const { port } = left,
        { bytes } = left.frame;
      this.left[port] = (this.left[port] ?? 0) + 1;
      if (!isOwn(bytes)) {
        this.still?.moved();
        this.#moved = device.bench.cycle;
        if (this.#isJudged) this.scoreboard.leave(port, bytes);
      }
      this.jacks[port]?.send(bytes);
    }
    if (this.#atWork > 0) this.#enter(device.bench.cycle);
  }
  /** Tells the model of the frames whose last beat is in, in the order of these. */
  #enter(cycle: number): void {
    const whole = this.#entering.flatMap(queue => {
      const n = queue.findIndex(e => e.sent.end === undefined || e.sent.end > cycle);
      return queue.splice(0, n < 0 ? queue.length : n);
    });
    this.#atWork -= whole.length;
    if (this.#o.isManaged === true) return;
    for (const { port, sent, damaged } of whole.sort((a, b) => (a.sent.end ?? 0) - (b.sent.end ?? 0)))
      this.scoreboard.enter(port, sent.bytes, damaged);
  }

  /** Bytes of frames that its model has compared. */
  get comparedBytes(): number {
    return this.scoreboard.comparedBytes;
  }
  /** Nothing is under way, as far as its registers tell. */
  async isAtRest(): Promise<boolean> {
    if (this.#atWork > 0 || this.device.busy) return false;
    // A task's timers send again what nobody has heard: that comes before it falls silent for long.
    if (this.#isJudged && this.scoreboard.owed > 0 && this.device.bench.cycle - this.#moved < silent) return false;
    const inside = await this.device.inside();
    return framesInside(inside) + inside.cells === 0;
  }
  /** @returns its counters, and all that was wrong with it */
  async finish(): Promise<{ readonly counters: AllCounts; readonly problems: readonly string[] }> {
    const { device } = this,
      inside = await device.inside(),
      counters = await device.counters(),
      { served, isManaged } = this.#o;
    const judged =
        served !== undefined || isManaged === true ? [] : this.scoreboard.finish(await device.counts(counters)),
      left = served === undefined ? leftAtRest(device.bench.sim, device.parameters) : [];
    const problems = [...judged, ...left, ...unaccounted(counters, inside, this.setup)];
    return { counters, problems: problems.map(p => `${this.name}: ${p}`) };
  }
}
