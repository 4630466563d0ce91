/** The inputs of a run since a state: enough to run it again, with a wave. */
import type { EmittedPort } from "../../hdl-dsl/index.ts";
import type { ClockSetting, Evaluated, Model, ModelState, PortSlot } from "../backend/backend.ts";
import { SimulationError, type StopCause } from "../errors.ts";

/** Numbers that come one after the other. */
class Log {
  words = new Uint32Array(1024);
  length = 0;
  add(word: number): void {
    if (this.length === this.words.length) {
      const bigger = new Uint32Array(this.words.length * 2);
      bigger.set(this.words);
      this.words = bigger;
    }
    this.words[this.length++] = word;
  }
}

/** Steps from a state on: edges (0: settled only), how many lanes were written before, each with its value. */
interface Segment {
  readonly from: ModelState;
  readonly log: Log;
  edges: number;
}

/** A model that keeps its inputs. */
export class RecordedModel implements Model {
  readonly slots: ReadonlyMap<string, PortSlot>;
  readonly inner: Model["inner"];
  readonly clocks: readonly EmittedPort[];
  readonly words: Uint32Array;
  /** As the simulation was made. */
  readonly settings: Readonly<Record<string, ClockSetting>>;
  readonly #model: Model;
  readonly #cycles: number;
  readonly #lanes: readonly number[];
  readonly #last: Uint32Array;
  #before: Segment | undefined;
  #now: Segment;

  /** @param cycles edges that are kept at least, at most twice as many */
  constructor(model: Model, cycles: number, settings: Readonly<Record<string, ClockSetting>>) {
    if (!Number.isInteger(cycles) || cycles < 1)
      throw new SimulationError(`history.cycles is ${cycles}; give a whole number of 1 or more`);
    this.#model = model;
    this.#cycles = cycles;
    this.settings = settings;
    this.slots = model.slots;
    this.inner = model.inner;
    this.clocks = model.clocks;
    this.words = model.words;
    this.#lanes = [...model.slots.values()]
      .filter(s => s.port.dir === "in")
      .flatMap(s => Array.from({ length: s.words }, (_, i) => s.word + i));
    this.#last = new Uint32Array(this.#lanes.length);
    this.#now = this.#begin();
    this.#forget();
  }

  /** The first edge that a wave can show. */
  get first(): number {
    return (this.#before ?? this.#now).from.edges;
  }

  /** Runs all that is kept on another model of the design. */
  replay(on: Model): void {
    const segments = [...(this.#before === undefined ? [] : [this.#before]), this.#now];
    on.restore((segments[0] as Segment).from);
    for (const { log } of segments)
      for (let at = 0; at < log.length;) {
        const edges = log.words[at++] as number;
        for (let n = log.words[at++] as number; n > 0; n--) {
          on.words[log.words[at] as number] = log.words[at + 1] as number;
          at += 2;
        }
        if (edges === 0) on.settle();
        else on.step(edges);
      }
  }

  #begin(): Segment {
    return { from: this.#model.save(), log: new Log(), edges: 0 };
  }
  /** What stands at the inputs now is known from the state. */
  #forget(): void {
    this.#lanes.forEach((lane, i) => {
      this.#last[i] = this.words[lane] as number;
    });
  }
  #note(edges: number): void {
    if (this.words.length === 0 || this.stopped() !== undefined) return;
    if (this.#now.edges >= this.#cycles) {
      this.#before = this.#now;
      this.#now = this.#begin();
    }
    const { log } = this.#now,
      words = this.words,
      last = this.#last;
    log.add(edges);
    const count = log.length;
    log.add(0);
    let changed = 0;
    for (let i = 0; i < last.length; i++) {
      const lane = this.#lanes[i] as number,
        now = words[lane] as number;
      if (now === last[i]) continue;
      last[i] = now;
      log.add(lane);
      log.add(now);
      changed++;
    }
    log.words[count] = changed;
    this.#now.edges += edges;
  }

  step(n: number): void {
    this.#note(n);
    this.#model.step(n);
  }
  settle(): void {
    this.#note(0);
    this.#model.settle();
  }
  runUntil(slot: PortSlot, value: bigint, limit: number): boolean {
    const lanes = Array.from({ length: slot.words }, (_, i) => Number((value >> BigInt(32 * i)) & 0xffff_ffffn));
    for (let i = 0; i < limit; i++) {
      this.step(1);
      if (this.words.length === 0 || this.stopped() !== undefined) return false;
      if (lanes.every((l, k) => this.words[slot.word + k] === l)) return true;
    }
    return false;
  }
  restore(state: ModelState): void {
    this.#model.restore(state);
    this.#before = undefined;
    this.#now = this.#begin();
    this.#forget();
  }
  profile(): readonly Evaluated[] | undefined {
    return this.#model.profile?.();
  }
  save(): ModelState {
    return this.#model.save();
  }
  rose(): number {
    return this.#model.rose();
  }
  edges(): number {
    return this.#model.edges();
  }
  timePs(): number {
    return this.#model.timePs();
  }
  stopped(): StopCause | undefined {
    return this.#model.stopped();
  }
  output(): string {
    return this.#model.output();
  }
  free(): void {
    this.#model.free();
  }
}
