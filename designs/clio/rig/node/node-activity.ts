import type { NodeConfig } from "../../config/index.ts";
import { activityOp, type ActivityPorts, type NodePorts } from "../../rtl/index.ts";
import type { ActivityHardware } from "../../software/index.ts";
import { type Bench, StreamSink, StreamSource } from "../../../../sim/index.ts";

/** The slow path's way to the table of written regions of a simulated node: one order after another. */
export class NodeActivity implements ActivityHardware {
  readonly entries: number;
  /** Cycles that the last scan took, from its order to its result. */
  lastScan = 0;
  readonly #bench: Bench<NodePorts>;
  readonly #commands: StreamSource<ActivityPorts["activityCommand"]["shape"]>;
  readonly #results: StreamSink<ActivityPorts["activityResult"]["shape"]>;
  #turns: Promise<unknown> = Promise.resolve();

  constructor(bench: Bench<NodePorts>, config: NodeConfig) {
    // A cast, for the settings are known only now: the type is that of the ports which all builds have.
    const { sim, io } = bench as unknown as Bench<NodePorts & ActivityPorts>;
    this.#bench = bench;
    this.entries = config.activityRegions;
    this.#commands = new StreamSource(sim, io.activityCommand);
    this.#results = new StreamSink(sim, io.activityResult);
  }

  enroll(entry: number): Promise<void> {
    return this.#turn(() => this.#order(activityOp.enroll, entry));
  }
  withdraw(entry: number): Promise<void> {
    return this.#turn(() => this.#order(activityOp.withdraw, entry));
  }
  scan(): Promise<number | undefined> {
    return this.#turn(async () => {
      const from = this.#bench.cycle;
      await this.#order(activityOp.scan, 0);
      const { found, region } = await this.#results.recv();
      this.lastScan = this.#bench.cycle - from;
      return found === 1 ? Number(region) : undefined;
    });
  }

  async #order(op: number, region: number): Promise<void> {
    this.#commands.send({ op, region });
    await this.#commands.drained();
  }
  #turn<T>(body: () => Promise<T>): Promise<T> {
    const mine = this.#turns.then(body);
    this.#turns = mine.catch(() => undefined);
    return mine;
  }
}
