/** The steps of a swap, in their order (docs/supernic/reconfigure.md). */
import { clockPeriod } from "../../config/index.ts";
import { mostSlots, tableWrite, type TableWrite } from "../../wire/index.ts";
import { slotTimes, taskWrite } from "../setup/index.ts";
import type { Chain } from "../setup/index.ts";
import type { ConfigWord } from "../../wire/index.ts";

/** A region as the registers tell it. */
export interface RegionState {
  readonly stage: "on" | "cut" | "loading" | "waking";
  readonly off: boolean;
  readonly empty: boolean;
  readonly quiet: boolean;
  readonly wrong: boolean;
  readonly refused: boolean;
  readonly chain: number;
  /** Packets that the scheduler has sent there and that are not back. */
  readonly sent: number;
  readonly inside: number;
  readonly killed: number;
}
/** What a swap needs of the device. */
export interface RegionDriver {
  write(entry: TableWrite): Promise<void>;
  region(region: number): Promise<RegionState>;
}
/** Times in nanoseconds. */
export interface SwapTimes {
  /** Until packets that will not leave are killed, and until tasks that do not become quiet are stopped. */
  readonly drain: number;
  /** Of a reprogramming, at most: then something is broken. */
  readonly reprogram: number;
}
export const defaultTimes: SwapTimes = { drain: 1_000_000, reprogram: 10_000_000 };
export class SwapFailed extends Error {
  readonly kind: "refused" | "wrong" | "late" | "memory";
  constructor(kind: "refused" | "wrong" | "late" | "memory", region: number) {
    super(
      `region ${region}: ${{ refused: "its load was refused", wrong: "its load brought another chain", late: "its load does not end", memory: "its memory does not answer" }[kind]}`,
    );
    this.kind = kind;
  }
}
export interface SwapOptions {
  /** Nanoseconds since some start. */
  readonly time: () => number;
  /** Between two looks at a register. */
  readonly wait?: () => Promise<void>;
  readonly credits: number;
  readonly times?: SwapTimes;
}
interface Ask {
  readonly isolate?: number;
  readonly quiesce?: number;
  readonly load?: number;
  readonly chain?: number;
}

export class Swapper {
  readonly #driver: RegionDriver;
  readonly #o: Required<SwapOptions>;

  constructor(driver: RegionDriver, o: SwapOptions) {
    this.#driver = driver;
    this.#o = { wait: () => Promise.resolve(), times: defaultTimes, ...o };
  }
  /** Until nothing is on its way to the region or inside; nobody new is sent there. @returns whether it came to that */
  async drained(region: number): Promise<boolean> {
    return this.#until(region, s => s.sent === 0, this.#o.times.drain);
  }
  /**
   * The region is cut and empty. What would not leave by itself was killed.
   * @throws SwapFailed `late` when even then packets are on their way for ever
   */
  async cut(region: number): Promise<void> {
    await this.drained(region);
    // A region that is off has no tasks that could be asked.
    if (!(await this.#driver.region(region)).off) {
      await this.#ask(region, { quiesce: 1 });
      await this.#until(region, s => s.off || s.quiet, this.#o.times.drain);
    }
    await this.kill(region);
  }
  /** At once, with what is inside. */
  async kill(region: number): Promise<void> {
    await this.#ask(region, { isolate: 1 });
    if (!(await this.#until(region, s => s.stage === "cut" && s.off && s.empty && s.sent === 0, this.#o.times.drain)))
      throw new SwapFailed("late", region);
  }
  /** No credits for its slots: who is sent there waits in its queue. */
  async hold(region: number, slots: number): Promise<void> {
    for (let slot = 0; slot < slots; slot++)
      await this.#driver.write(tableWrite("slot", region * mostSlots + slot, {}));
  }
  /** Credits for all slots of a region that is cut: who waits for it is dropped. */
  async dropAll(region: number, slots: number): Promise<void> {
    const limit = this.#o.credits;
    for (let slot = 0; slot < slots; slot++)
      await this.#driver.write(tableWrite("slot", region * mostSlots + slot, { limit, busyAt: limit }));
  }
  /** A bitstream into a region that is cut. @throws SwapFailed */
  async load(region: number, bitstream: number): Promise<void> {
    await this.#ask(region, { isolate: 1, load: 1, chain: bitstream });
    if ((await this.#driver.region(region)).refused) throw new SwapFailed("refused", region);
    if (!(await this.#until(region, s => s.stage === "cut", this.#o.times.reprogram)))
      throw new SwapFailed("late", region);
  }
  /** The chain wakes, and its tasks get their rows; its slots have no credits yet. @throws SwapFailed */
  async wake(
    region: number,
    chain: Pick<Chain, "tasks">,
    words: (task: string) => readonly ConfigWord[],
  ): Promise<void> {
    await this.#ask(region, {});
    const on = await this.#until(region, s => s.wrong || (s.stage === "on" && !s.off), this.#o.times.drain);
    const { wrong } = await this.#driver.region(region);
    if (!on || wrong) throw new SwapFailed(wrong ? "wrong" : "late", region);
    for (const [slot, { name }] of chain.tasks.entries())
      for (const word of words(name)) await this.#driver.write(taskWrite(region, slot, word));
    await this.#prepared(chain);
  }
  /** Who comes to a task that expands its key would be dropped: until it is live there are no credits. */
  async #prepared({ tasks }: Pick<Chain, "tasks">): Promise<void> {
    const most = Math.max(0, ...tasks.map(t => t.prepares ?? 0)) * clockPeriod,
      from = this.#o.time();
    while (this.#o.time() - from < most) await this.#o.wait();
  }
  /** Credits for the slots of a chain; they are quiesced no more. */
  async credit(region: number, chain: Pick<Chain, "tasks">): Promise<void> {
    for (const [slot, values] of slotTimes(chain, this.#o.credits).entries())
      await this.#driver.write(tableWrite("slot", region * mostSlots + slot, values));
  }
  async #ask(region: number, ask: Ask): Promise<void> {
    await this.#driver.write(tableWrite("region", region, ask));
  }
  async #until(region: number, holds: (s: RegionState) => boolean, most: number): Promise<boolean> {
    const from = this.#o.time();
    for (;;) {
      if (holds(await this.#driver.region(region))) return true;
      if (this.#o.time() - from > most) return false;
      await this.#o.wait();
    }
  }
}
