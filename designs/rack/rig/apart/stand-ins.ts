/** What stands in a rack for a sNIC or a node that another thread simulates. */
import type { SimulatedTime } from "../../../../sim/index.ts";
import { RackDevice, type RackDeviceOptions, RackNode, type RackNodeOptions } from "../fabric/index.ts";
import type { DeviceEnd } from "./messages.ts";
import type { Thread } from "./thread.ts";

/** A sNIC elsewhere. */
export class FarDevice extends RackDevice {
  readonly #member: number;
  readonly #thread: Thread;
  #compared = 0;

  constructor(member: number, o: RackDeviceOptions, time: SimulatedTime, thread: Thread) {
    super(o, time);
    this.#member = member;
    this.#thread = thread;
    thread.add(member, this.jacks);
  }
  override get comparedBytes(): number {
    return this.#compared;
  }
  override async isAtRest(): Promise<boolean> {
    return (await this.#thread.ask({ member: this.#member, what: "isAtRest" })) === true;
  }
  override async finish(): ReturnType<RackDevice["finish"]> {
    const end = (await this.#thread.ask({ member: this.#member, what: "finish", strict: true })) as DeviceEnd;
    this.#compared = end.comparedBytes;
    this.left.splice(0, this.left.length, ...end.left);
    return end;
  }
}

/** A memory node elsewhere. */
export class FarNode extends RackNode {
  readonly #member: number;
  readonly #thread: Thread;

  constructor(member: number, o: RackNodeOptions, time: SimulatedTime, thread: Thread) {
    super(o, time);
    this.#member = member;
    this.#thread = thread;
    thread.add(member, [this.jack]);
  }
  override async isAtRest(): Promise<boolean> {
    return (await this.#thread.ask({ member: this.#member, what: "isAtRest" })) === true;
  }
  override async finish(strict: boolean): ReturnType<RackNode["finish"]> {
    return (await this.#thread.ask({ member: this.#member, what: "finish", strict })) as Awaited<
      ReturnType<RackNode["finish"]>
    >;
  }
}
