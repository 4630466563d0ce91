/** A monitor: it knows the connector's signals and a mode's times, and puts pictures together. */
import type { Agent, Io } from "mnemosyne/sim";
import type { Mode, Timing, Vga } from "../src/vga.ts";
import type { Picture } from "./png.ts";

type Connector = Io<ReturnType<typeof Vga>["ports"]>;

/** Follows one sync signal, and knows from its edges where it is. */
class Sync {
  readonly #t: Timing;
  readonly #name: string;
  /** From the pulse's first tick; none before the first pulse. */
  #since = -1;
  #was: number;

  constructor(t: Timing, name: string) {
    this.#t = t;
    this.#name = name;
    this.#was = t.positive ? 0 : 1;
  }
  /** @returns where the visible part stands, counted from its begin; below 0 before it */
  follow(level: number): number {
    const on = level === (this.#t.positive ? 1 : 0),
      wasOn = this.#was === (this.#t.positive ? 1 : 0),
      { visible, front, pulse, back } = this.#t;
    if (this.#since >= 0) this.#since++;
    if (on && !wasOn) {
      this.#expect(this.#since, visible + front + pulse + back, "from pulse to pulse");
      this.#since = 0;
    }
    if (!on && wasOn) this.#expect(this.#since, pulse, "a pulse");
    this.#was = level;
    return this.#since < 0 ? -Infinity : this.#since - pulse - back;
  }
  #expect(seen: number, wanted: number, what: string): void {
    if (seen >= 0 && seen !== wanted) throw new Error(`${this.#name}: expected ${wanted} for ${what}, got ${seen}`);
  }
}

/** Pictures in their order: each is whole when its last line has been shown. */
export class Monitor implements Agent {
  readonly pictures: Picture[] = [];
  readonly #io: Connector;
  readonly #mode: Mode;
  readonly #across: Sync;
  readonly #down: Sync;
  #x = -Infinity;
  #y = -Infinity;
  #bytes: Uint8Array;

  constructor(io: Connector, mode: Mode) {
    this.#io = io;
    this.#mode = mode;
    this.#across = new Sync(mode.across, "hsync");
    this.#down = new Sync(mode.down, "vsync");
    this.#bytes = this.#blank();
  }

  sample(): void {
    if (this.#io.tick.value === 0) return;
    const { across, down } = this.#mode,
      before = this.#x;
    this.#x = this.#across.follow(this.#io.hsync.value);
    // At its pulse's begin x falls: what is visible next belongs to the next line.
    if (this.#x < before || before === -Infinity) this.#y = this.#down.follow(this.#io.vsync.value) + 1;
    const shown = this.#x >= 0 && this.#x < across.visible && this.#y >= 0 && this.#y < down.visible;
    this.#pixel(shown);
  }

  #pixel(shown: boolean): void {
    const { red, green, blue } = this.#io.colour,
      colour = [red.value, green.value, blue.value],
      { across, down } = this.#mode;
    if (this.#y === -Infinity) return;
    if (!shown) {
      if (this.#io.visible.value !== 0 || colour.some(c => c !== 0))
        throw new Error(`expected black beside the picture, got ${colour.join()} at ${this.#x}, ${this.#y}`);
      return;
    }
    if (this.#io.visible.value !== 1) throw new Error(`expected something visible at ${this.#x}, ${this.#y}`);
    this.#bytes.set(colour, 3 * (this.#y * across.visible + this.#x));
    if (this.#x < across.visible - 1 || this.#y < down.visible - 1) return;
    this.pictures.push({ width: across.visible, height: down.visible, bytes: this.#bytes });
    this.#bytes = this.#blank();
  }
  #blank(): Uint8Array {
    return new Uint8Array(3 * this.#mode.across.visible * this.#mode.down.visible);
  }

  save(): undefined {
    return undefined;
  }
  restore(): void {
    throw new Error("a monitor cannot go back");
  }
}
