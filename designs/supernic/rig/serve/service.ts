import { type FrameLog, lossesOf, RestingClock, type ServedNetwork, type Totals } from "../../../shared/rig/index.ts";
import { clockPeriod } from "../../config/index.ts";
import { isOwn, type SimulatedSuperNic } from "../device/index.ts";
import { Stillness } from "./stillness.ts";

/** Cycles for which the clock goes on when nothing is under way: answers to an answer come into a running device. */
const quietCycles = 64,
  /** Epochs in which the meters fill up. */
  agingEpochs = 2;
/** Frames that may wait in front of a port; more are lost, as in front of a switch. */
const mostWaiting = 4096;

/** A device and the networks at its ports: frames in and out, and when the clock runs. */
export class SnicService {
  readonly #device: SimulatedSuperNic;
  readonly #networks: readonly ServedNetwork[];
  readonly #log: FrameLog | undefined;
  readonly #still: Stillness;
  readonly #clock: RestingClock;
  #framesIn = 0;
  #framesOut = 0;
  #refused = 0;
  #stopped = false;

  /** @param networks by port */
  constructor(device: SimulatedSuperNic, networks: readonly ServedNetwork[], log?: FrameLog) {
    const { bench, setup } = device;
    this.#device = device;
    this.#networks = networks;
    this.#log = log;
    this.#still = new Stillness(device);
    this.#clock = new RestingClock({
      cycle: () => bench.cycle,
      working: () => this.#still.working,
      quietCycles,
      ageCycles: agingEpochs * setup.epoch,
      rest: until => bench.scheduler.rest(until),
      edgesPerTurn: edges => {
        bench.scheduler.edgesPerTurn = edges;
      },
    });
  }

  /**
   * Until `stop` settles or a network fails, and then until nothing is under way, or `late` settles.
   * @returns what a network fails with, else whether nothing was under way
   */
  async run(stop: Promise<unknown>, late: Promise<void>): Promise<Error | boolean> {
    const { bench } = this.#device;
    bench.onEdge({ sample: () => this.#watch() });
    // A bench in which nothing waits stands still.
    bench.spawn(() => bench.until(() => false));
    const failure = await new Promise<Error | undefined>(resolve => {
      for (const [port, network] of this.#networks.entries()) network.attach(f => this.#arrived(port, f), resolve);
      const stopped = (): void => resolve(undefined);
      stop.then(stopped, stopped);
    });
    this.#stopped = true;
    this.#clock.stop();
    if (failure !== undefined) return failure;
    const rested = bench.until(() => !this.#still.working).then(() => true);
    return Promise.race([rested, late.then(() => false)]);
  }
  totals(): Totals {
    return {
      framesIn: this.#framesIn,
      framesOut: this.#framesOut,
      ...lossesOf(this.#networks, this.#refused),
      cycles: this.#device.bench.cycle,
      ...this.#clock.times,
    };
  }

  #arrived(port: number, frame: Uint8Array): void {
    if (this.#stopped) return;
    this.#framesIn++;
    if (frame.length === 0 || this.#device.waiting(port) >= mostWaiting) {
      this.#refused++;
      return;
    }
    this.#log?.add(port, this.#device.bench.cycle * clockPeriod, frame);
    this.#device.send(port, frame);
    this.#still.moved();
    this.#clock.arrived();
  }
  #watch(): void {
    for (let left = this.#device.take(); left; left = this.#device.take()) {
      const { port } = left,
        { bytes, end } = left.frame;
      this.#log?.add(port, end * clockPeriod, bytes);
      this.#framesOut++;
      this.#networks[port]?.send(bytes);
      if (!isOwn(bytes)) this.#still.moved();
    }
    this.#clock.watch();
  }
}
