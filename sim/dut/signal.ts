import type { Enumeration } from "../../hdl-dsl/index.ts";
import type { PortSlot } from "../backend/backend.ts";
import { SimulationError } from "../errors.ts";

const HIGH = 0x1_0000_0000;

/**
 * A leaf port as bits in the model's memory: `value` as `number` up to 53 bits, else `bigint`. Writes are checked
 * against the width.
 */
export abstract class Signal<V extends number | bigint = number | bigint> {
  /** Flattened Verilog name. */
  readonly name: string;
  readonly width: number;
  readonly signed: boolean;
  readonly slot: PortSlot;
  /** The model's lanes; this port's start at `slot.word`. For per-cycle agents; no checks. */
  readonly words: Uint32Array;
  #bytes: Uint8Array | undefined;

  constructor(words: Uint32Array, slot: PortSlot) {
    this.words = words;
    this.slot = slot;
    this.name = slot.port.name;
    this.width = slot.port.width;
    this.signed = slot.port.signed;
  }

  get dir(): "in" | "out" {
    return this.slot.port.dir;
  }
  abstract get value(): V;
  abstract set value(v: number | bigint);

  /** As a number. @throws SimulationError when the value is no exact number. */
  get num(): number {
    const v = Number(this.value);
    if (!Number.isSafeInteger(v))
      throw new SimulationError(`${this.name}: ${String(this.value)} is no exact number; read \`big\` instead`);
    return v;
  }
  /** As a bigint, whatever the width. */
  get big(): bigint {
    return BigInt(this.value);
  }

  /** The port's bytes in the model's memory, least significant first; for wide ports much faster than `value`. */
  get bytes(): Uint8Array {
    this.alive();
    return (this.#bytes ??= new Uint8Array(this.words.buffer, this.slot.word * 4, Math.ceil(this.width / 8)));
  }

  protected lane(i: number): number {
    const v = this.words[this.slot.word + i];
    if (v === undefined) this.alive();
    return v as number;
  }

  protected alive(): void {
    if (this.words.length === 0)
      throw new SimulationError(`${this.name}: the simulation was freed; read ports before free()`);
  }

  protected writable(v: number | bigint): void {
    this.alive();
    if (this.slot.port.dir === "out")
      throw new SimulationError(`${this.name} is an output of the design: it cannot be written`);
    const low = this.signed ? -(2n ** BigInt(this.width - 1)) : 0n;
    const high = this.signed ? 2n ** BigInt(this.width - 1) - 1n : 2n ** BigInt(this.width) - 1n;
    const whole = typeof v === "bigint" || Number.isInteger(v);
    if (whole && BigInt(v) >= low && BigInt(v) <= high) return;
    const kind = this.signed ? "sint" : "uint";
    throw new SimulationError(
      `${this.name}: ${String(v)} does not fit in ${kind}(${this.width}); give a whole number from ${low} to ${high}`,
    );
  }
}

/** Up to 32 bits: one lane. */
class NarrowSignal extends Signal<number> {
  readonly #word: number;
  readonly #limit: number;
  readonly #shift: number;
  readonly #fast: boolean;
  constructor(words: Uint32Array, slot: PortSlot) {
    super(words, slot);
    this.#word = slot.word;
    this.#limit = 2 ** this.width;
    this.#shift = 32 - this.width;
    this.#fast = !this.signed && slot.port.dir === "in";
  }
  override get value(): number {
    const v = this.words[this.#word];
    if (v === undefined) return this.lane(0);
    return this.signed ? (v << this.#shift) >> this.#shift : v;
  }
  override set value(v: number | bigint) {
    // The usual case checked cheaply; anything else takes the slow path, which knows the message.
    if (!(
      this.#fast &&
      typeof v === "number" &&
      v >= 0 &&
      v < this.#limit &&
      Number.isInteger(v) &&
      this.words.length > 0
    ))
      this.writable(v);
    this.words[this.#word] = this.signed ? (Number(v) << this.#shift) >>> this.#shift : Number(v);
  }
}

/** 33 to 53 bits: two lanes, still an exact number. */
class MiddleSignal extends Signal<number> {
  override get value(): number {
    const v = this.lane(1) * HIGH + this.lane(0);
    return this.signed && v >= 2 ** (this.width - 1) ? v - 2 ** this.width : v;
  }
  override set value(v: number | bigint) {
    this.writable(v);
    const n = Number(v),
      u = n < 0 ? n + 2 ** this.width : n;
    this.words[this.slot.word] = u % HIGH;
    this.words[this.slot.word + 1] = Math.floor(u / HIGH);
  }
}

/** 54 bits and more: bigint. */
class WideSignal extends Signal<bigint> {
  override get value(): bigint {
    let v = 0n;
    for (let i = this.slot.words - 1; i >= 0; i--) v = (v << 32n) | BigInt(this.lane(i));
    return this.signed ? BigInt.asIntN(this.width, v) : v;
  }
  override set value(v: number | bigint) {
    this.writable(v);
    let rest = BigInt.asUintN(this.width, BigInt(v));
    for (let i = 0; i < this.slot.words; i++) {
      this.words[this.slot.word + i] = Number(rest & 0xffff_ffffn);
      rest >>= 32n;
    }
  }
}

/**
 * A port of an enumeration: its values are names. A code without a name reads as `?` and its number, so that an
 * expectation shows it.
 */
class NamedSignal extends Signal {
  readonly #code: Signal;
  readonly #enumeration: Enumeration;
  constructor(words: Uint32Array, slot: PortSlot, enumeration: Enumeration) {
    super(words, slot);
    this.#code = signalOf(words, slot);
    this.#enumeration = enumeration;
  }
  override get num(): number {
    return this.#code.num;
  }
  override get big(): bigint {
    return this.#code.big;
  }
  // The names stand where numbers do in other ports; the type of the port says which (ShapeIo).
  override get value(): never {
    const { num } = this.#code;
    return (Object.entries(this.#enumeration.codes).find(([, c]) => c === num)?.[0] ?? `?${num}`) as never;
  }
  override set value(v: unknown) {
    const { codes, name } = this.#enumeration,
      code = typeof v === "string" && Object.hasOwn(codes, v) ? codes[v] : undefined;
    if (code === undefined)
      throw new SimulationError(
        `${this.name}: ${String(v)} is no value of ${name}; give one of ${Object.keys(codes).join(", ")}`,
      );
    this.#code.value = code;
  }
}

/** The signal of a port; of an enumeration's by names. */
export function namedSignalOf(s: Signal, enumeration: Enumeration | undefined): Signal {
  return enumeration === undefined ? s : new NamedSignal(s.words, s.slot, enumeration);
}
/** The signal of a port. */
export function signalOf(words: Uint32Array, slot: PortSlot): Signal {
  if (slot.port.width <= 32) return new NarrowSignal(words, slot);
  return slot.port.width <= 53 ? new MiddleSignal(words, slot) : new WideSignal(words, slot);
}
