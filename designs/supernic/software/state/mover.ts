/** Reads and writes the state of a chain in a region, word by word (docs/supernic/state.md). */
import {
  type ConfigWord,
  type Declared,
  keptOf,
  mostSlots,
  type StateWord,
  tableWrite,
  type TableWrite,
} from "../../wire/index.ts";
import { taskWrite } from "../setup/index.ts";
import { type ChainWord, decodeState, encodeState, StateFault } from "./image.ts";

type Outcome = "done" | "refused" | "late";
/** What moving state needs of the device. */
export interface StateDriver {
  write(entry: TableWrite): Promise<void>;
  slot(region: number, slot: number): Promise<{ readonly quiet: boolean; readonly off: boolean }>;
  readState(
    region: number,
    slot: number,
    at: number,
    last: number,
  ): Promise<{ readonly outcome: Outcome; readonly word: StateWord | undefined }>;
  writeState(region: number, slot: number, word: StateWord): Promise<Outcome>;
}
export interface MoverOptions {
  readonly time: () => number;
  /** Between two looks at a register. */
  readonly wait: () => Promise<void>;
  /** Rows of a fresh task. */
  readonly words: (task: string) => readonly ConfigWord[];
  /** Nanoseconds until a slot that does not become quiet, or fresh, is given up; 1 ms where this is left out. */
  readonly patience?: number;
}
type Tasks = readonly Declared[];
/** Places that are looked at in one call: others of the software want the registers, too. */
const chunk = 256;
const millisecond = 1_000_000;

export class StateMover {
  readonly #driver: StateDriver;
  readonly #o: Required<MoverOptions>;

  constructor(driver: StateDriver, o: MoverOptions) {
    this.#driver = driver;
    this.#o = { patience: millisecond, ...o };
  }
  /**
   * All that the chain keeps. Its slots have no credits and are quiesced from here on; nobody may be on his way to
   * them. @throws StateFault
   */
  async save(region: number, tasks: Tasks): Promise<Uint8Array> {
    await this.#hold(region, tasks, { quiesce: 1 });
    await this.#until(region, tasks, s => s.quiet && !s.off, "quiet");
    const words: ChainWord[] = [];
    for (const [slot, task] of tasks.entries())
      for (const part of keptOf(task)?.parts ?? [])
        for (let at = part.first; at < part.first + part.words;) {
          const last = Math.min(at + chunk, part.first + part.words) - 1,
            { outcome, word } = await this.#driver.readState(region, slot, at, last);
          if (outcome !== "done") throw faultOf(outcome, region, slot, task);
          if (word !== undefined) words.push({ slot, ...word });
          at = word === undefined ? last + 1 : word.at + 1;
        }
    return encodeState(tasks, words);
  }
  /**
   * The state into a chain that is fresh and has its rows; before the first word is written all of it is looked at.
   * The slots are quiesced and without credits, and stay so. @throws StateFault; then the chain may have a part of it
   */
  async restore(region: number, tasks: Tasks, image: Uint8Array): Promise<void> {
    const words = decodeState(tasks, image);
    await this.#hold(region, tasks, { quiesce: 1 });
    await this.#until(region, tasks, s => s.quiet && !s.off, "quiet");
    for (const { slot, ...word } of words) {
      const outcome = await this.#driver.writeState(region, slot, word);
      if (outcome !== "done") throw faultOf(outcome, region, slot, tasks[slot]);
    }
  }
  /**
   * The chain's tasks are reset one and all, and get their rows: they are as configured. What is inside is dropped.
   * Their slots are quiesced and have no credits. @throws StateFault `late`
   */
  async fresh(region: number, tasks: Tasks): Promise<void> {
    await this.#hold(region, tasks, { quiesce: 1, isolate: 1 });
    await this.#until(region, tasks, s => s.off, "off");
    await this.#hold(region, tasks, { quiesce: 1 });
    await this.#until(region, tasks, s => !s.off, "on");
    for (const [slot, { name }] of tasks.entries())
      for (const word of this.#o.words(name)) await this.#driver.write(taskWrite(region, slot, word));
  }

  async #hold(region: number, tasks: Tasks, how: { readonly quiesce: number; readonly isolate?: number }) {
    for (const slot of tasks.keys()) await this.#driver.write(tableWrite("slot", region * mostSlots + slot, how));
  }
  async #until(
    region: number,
    tasks: Tasks,
    holds: (s: { readonly quiet: boolean; readonly off: boolean }) => boolean,
    what: string,
  ): Promise<void> {
    const from = this.#o.time();
    for (const slot of tasks.keys())
      while (!holds(await this.#driver.slot(region, slot))) {
        if (this.#o.time() - from > this.#o.patience)
          throw new StateFault("late", `region ${region}, slot ${slot}: it does not become ${what}`);
        await this.#o.wait();
      }
  }
}
const faultOf = (outcome: "refused" | "late", region: number, slot: number, task: Declared | undefined): StateFault =>
  new StateFault(
    outcome,
    `region ${region}, slot ${slot}: ${task?.name ?? "no task"} ${
      outcome === "late" ? "does not answer for its state" : "is not asked for its state: the slot refuses"
    }`,
  );
