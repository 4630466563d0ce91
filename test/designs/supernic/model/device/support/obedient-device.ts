import { deviceConfig, type Setup, taskWords } from "../../../../../../designs/supernic/software/index.ts";
import type { DeviceCounts } from "../../../../../../designs/supernic/model/index.ts";
// The parts that the scoreboard is made of: the tests are the model's own.
import type { matchReasons } from "../../../../../../designs/supernic/model/device/counts.ts";
import { Counting } from "../../../../../../designs/supernic/model/device/counts.ts";
import type { Fate } from "../../../../../../designs/supernic/model/device/fate.ts";
import { chainTasks, matchSettings } from "../../../../../../designs/supernic/model/device/tables.ts";
import { begins, type Surroundings, walk } from "../../../../../../designs/supernic/model/device/walk.ts";
import { natModel } from "../../../../../../designs/supernic/model/index.ts";
import type { refusals } from "../../../../../../designs/supernic/wire/index.ts";
import type { Random } from "../../../../../../sim/index.ts";

export interface Left {
  port: number;
  bytes: Uint8Array;
  readonly flow: string | undefined;
}

/**
 * A device that does what it must, in an order of its own: queues by flow, of which any may be next. Its NAT is the
 * task's model, so who meets it first gets the first binding.
 */
export class ObedientDevice {
  readonly #setup: Setup;
  readonly #random: Random;
  readonly #around: Surroundings;
  /** Tells a frame's flow before it is its turn; with a NAT of its own, which the device's does not feel. */
  readonly #scout: Surroundings;
  readonly #queues = new Map<string, (() => Fate)[]>();
  readonly #counting: Counting;

  constructor(setup: Setup, random: Random) {
    this.#setup = setup;
    this.#random = random;
    this.#around = surroundings(setup);
    this.#scout = surroundings(setup);
    this.#counting = new Counting(setup.sizes.ports + 1);
  }

  enter(port: number, bytes: Uint8Array, damaged = false): void {
    const { order } = walk(bytes, damaged, port, begins, this.#scout),
      key = order ?? `alone ${this.#queues.size}`,
      queue = this.#queues.get(key) ?? [];
    this.#queues.set(key, queue);
    queue.push(() => {
      const fate = walk(bytes, damaged, port, begins, this.#around);
      this.#counting.add(port, fate);
      return fate;
    });
  }
  /** All that leaves. */
  drain(): Left[] {
    const out: Left[] = [],
      all = [...this.#queues.values()];
    while (all.some(q => q.length > 0)) {
      const waiting = all.filter(q => q.length > 0),
        next = waiting[this.#random.below(waiting.length)]?.shift();
      const fate = next?.();
      for (const { port, bytes } of fate?.exits ?? []) {
        this.#counting.out[port] = (this.#counting.out[port] ?? 0) + 1;
        out.push({ port, bytes: bytes.slice(), flow: fate?.order });
      }
    }
    return out;
  }
  counts(): DeviceCounts {
    const c = this.#counting,
      { chains, regions } = this.#setup;
    return {
      ports: c.in.map((n, p) => ({
        in: n,
        out: c.out[p] ?? 0,
        refused: { ...c.refused[p] } as Record<(typeof refusals)[number], number>,
        matched: { ...c.matched[p] } as Record<(typeof matchReasons)[number], number>,
        room: 0,
      })),
      slots: regions.map(chain =>
        (chain?.tasks ?? []).map((_, slot) => ({
          took: c.took.get(`${chains.indexOf(chain!)}.${slot}`) ?? 0,
          dropped: c.dropped.get(`${chains.indexOf(chain!)}.${slot}`) ?? 0,
          ...{ killed: 0, strays: 0, outside: 0, grown: 0 },
        })),
      ),
      egress: { ...c.egress, paused: 0 },
      software: 0,
    };
  }
}

/** A device's tables, and its tasks; its NAT is the task's own model. */
function surroundings(setup: Setup): Surroundings {
  const nat = natModel(),
    { ports } = deviceConfig(setup);
  for (const { at, data } of taskWords("nat", setup)) nat.configure?.(at, data);
  const chains = chainTasks(setup, {}, () => {
    throw new Error("the NAT is a model of its own here");
  });
  return {
    setup,
    kinds: ports,
    matches: ports.map((_, i) => matchSettings(setup, i)),
    chains: chains.map(c => c.map(t => (t.declared.name === "nat" ? { ...t, model: nat } : t))),
  };
}
