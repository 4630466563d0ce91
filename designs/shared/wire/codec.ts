import { type Field, type FieldSet, type Layout, type Placement, placementsOf, type Values } from "./layout.ts";

/** Bytes that cannot be decoded or a value that does not fit its field: one sentence naming layout, field and value. */
export class PacketError extends Error {
  override readonly name = "PacketError";
}

/** How a field is read and written, worked out once per layout. */
interface Step {
  readonly name: string;
  /** @param base where the layout begins */
  readonly read: (bytes: Uint8Array, base: number) => number | bigint | Uint8Array;
  /** @throws PacketError when the value does not fit */
  readonly write: (bytes: Uint8Array, base: number, value: number | bigint | Uint8Array) => void;
}
interface Plan {
  readonly steps: readonly Step[];
  readonly byName: ReadonlyMap<string, Step>;
}
const plans = new WeakMap<Layout, Plan>();
function planOf(l: Layout): Plan {
  let plan = plans.get(l);
  if (!plan) {
    const steps = placementsOf(l).map(p => ({
      name: p.name,
      read: readerOf(p, l.fields[p.name]?.kind ?? "number"),
      write: writerOf(l, p),
    }));
    plan = { steps, byName: new Map(steps.map(s => [s.name, s])) };
    plans.set(l, plan);
  }
  return plan;
}

function readerOf(p: Placement, kind: Field["kind"]): Step["read"] {
  const from = p.byteOffset,
    length = p.byteLength;
  if (kind === "raw") return (bytes, base) => bytes.slice(base + from, base + from + length);
  if (kind === "big") return (bytes, base) => getBig(bytes, base, p);
  const whole = p.bitOffset === 0 && length * 8 === p.width;
  if (length === 1)
    return whole
      ? (bytes, base) => bytes[base + from] ?? 0
      : (bytes, base) => ((bytes[base + from] ?? 0) >> p.bitOffset) & (2 ** p.width - 1);
  if (length === 2 && whole) {
    const high = p.bigEndian ? from : from + 1,
      low = p.bigEndian ? from + 1 : from;
    return (bytes, base) => ((bytes[base + high] ?? 0) << 8) | (bytes[base + low] ?? 0);
  }
  const below = 2 ** p.bitOffset,
    range = 2 ** p.width;
  return (bytes, base) => {
    const v = getNumber(bytes, base, p);
    return whole ? v : Math.floor(v / below) % range;
  };
}

function writerOf(l: Layout, p: Placement): Step["write"] {
  const whole = p.bitOffset === 0 && p.byteLength * 8 === p.width,
    range = 2 ** p.width,
    // Of a field inside one byte: what stays.
    kept = p.byteLength === 1 ? 0xff & ~((range - 1) << p.bitOffset) : undefined;
  return (bytes, base, value) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value < range) {
      const at = base + p.byteOffset;
      if (kept !== undefined) bytes[at] = ((bytes[at] ?? 0) & kept) | (value << p.bitOffset);
      else if (whole) putBytes(bytes, base, p, value);
      else writePlacement(bytes, base, p, BigInt(value));
    } else if (value instanceof Uint8Array) putRaw(l, p, bytes, base, value);
    else putWide(l, p, bytes, base, value, whole);
  };
}

function putRaw(l: Layout, p: Placement, bytes: Uint8Array, base: number, value: Uint8Array): void {
  if (value.length > p.byteLength)
    throw new PacketError(`${l.name}: ${p.name} holds ${p.byteLength} bytes, got ${value.length}`);
  const at = base + p.byteOffset;
  bytes.fill(0, at + value.length, at + p.byteLength);
  bytes.set(value, at);
}

/** A bigint, or a number that does not fit. */
function putWide(
  l: Layout,
  p: Placement,
  bytes: Uint8Array,
  base: number,
  value: number | bigint,
  whole: boolean,
): void {
  if (typeof value === "number" && !Number.isSafeInteger(value))
    throw new PacketError(`${l.name}: ${p.name} must be a whole number, got ${value}`);
  const v = BigInt(value);
  if (v < 0n || v >> BigInt(p.width) !== 0n)
    throw new PacketError(`${l.name}: ${p.name} holds ${p.width} bits, ${value} does not fit`);
  if (whole && p.byteLength <= 8) putHalves(bytes, base, p, v);
  else writePlacement(bytes, base, p, v);
}

/** Up to 64 bits that start and end on bytes, as two numbers. */
function putHalves(bytes: Uint8Array, base: number, p: Placement, value: bigint): void {
  let half = Number(BigInt.asUintN(32, value));
  for (let i = 0; i < p.byteLength; i++) {
    if (i === 4) half = Number(value >> 32n);
    bytes[base + p.byteOffset + (p.bigEndian ? p.byteLength - 1 - i : i)] = half % 256;
    half = Math.floor(half / 256);
  }
}

/** The field's bytes, at most 5, as a number, without bigint: multiplications keep it exact in a double. */
function getNumber(bytes: Uint8Array, base: number, p: Placement): number {
  const first = base + p.byteOffset,
    length = p.byteLength;
  let v = 0;
  if (p.bigEndian) for (let i = 0; i < length; i++) v = v * 256 + (bytes[first + i] ?? 0);
  else for (let i = length - 1; i >= 0; i--) v = v * 256 + (bytes[first + i] ?? 0);
  return v;
}

/** Up to 64 bits that start and end on bytes: two halves as numbers, then one bigint. */
function getBig(bytes: Uint8Array, base: number, p: Placement): bigint {
  const first = base + p.byteOffset,
    length = p.byteLength;
  let high = 0,
    low = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[p.bigEndian ? first + i : first + length - 1 - i] ?? 0;
    if (i < length - 4) high = high * 256 + byte;
    else low = low * 256 + byte;
  }
  const v = high === 0 ? BigInt(low) : (BigInt(high) << 32n) | BigInt(low);
  return length * 8 === p.width ? v : (v >> BigInt(p.bitOffset)) & ((1n << BigInt(p.width)) - 1n);
}

/** A number that fills whole bytes. */
function putBytes(bytes: Uint8Array, base: number, p: Placement, value: number): void {
  let v = value;
  for (let i = 0; i < p.byteLength; i++) {
    bytes[base + p.byteOffset + (p.bigEndian ? p.byteLength - 1 - i : i)] = v % 256;
    v = Math.floor(v / 256);
  }
}

/**
 * A field's bits as a number, whatever its kind; bytes that are not there read as 0. For tools that go over all fields
 * of a layout.
 */
export function readPlacement(bytes: Uint8Array, base: number, p: Placement): bigint {
  let v = 0n;
  for (let i = 0; i < p.byteLength; i++)
    v = (v << 8n) | BigInt(bytes[base + p.byteOffset + (p.bigEndian ? i : p.byteLength - 1 - i)] ?? 0);
  return BigInt.asUintN(p.width, v >> BigInt(p.bitOffset));
}

/**
 * Replaces the field's bits and leaves its neighbours' in the shared bytes as they are; a value that is too
 * wide is cut.
 */
export function writePlacement(bytes: Uint8Array, base: number, p: Placement, value: bigint): void {
  const mask = ((1n << BigInt(p.width)) - 1n) << BigInt(p.bitOffset);
  let v = (value << BigInt(p.bitOffset)) & mask,
    m = mask;
  for (let i = 0; i < p.byteLength; i++) {
    const at = base + p.byteOffset + (p.bigEndian ? p.byteLength - 1 - i : i);
    bytes[at] = ((bytes[at] ?? 0) & ~Number(m & 0xffn)) | Number(v & 0xffn);
    v >>= 8n;
    m >>= 8n;
  }
}

/**
 * Decode a layout at a byte offset.
 * @throws PacketError when fewer bytes than the layout needs are there.
 */
export function decode<F extends FieldSet>(l: Layout<F>, bytes: Uint8Array, offset = 0): Values<F> {
  if (offset + l.bytes > bytes.length)
    throw new PacketError(
      `${l.name}: needs ${l.bytes} bytes at offset ${offset}, got ${Math.max(0, bytes.length - offset)}`,
    );
  const out: Record<string, number | bigint | Uint8Array> = {};
  for (const { name, read } of planOf(l).steps) out[name] = read(bytes, offset);
  return out as Values<F>;
}

/** One field of a layout at a byte offset, as `decode` gives it; undefined when the bytes end before the layout. */
export function decodeField<F extends FieldSet, N extends keyof F & string>(
  l: Layout<F>,
  name: N,
  bytes: Uint8Array,
  offset = 0,
): Values<F>[N] | undefined {
  if (offset + l.bytes > bytes.length) return undefined;
  return planOf(l).byName.get(name)?.read(bytes, offset) as Values<F>[N] | undefined;
}

/** `decodeField` of one field, worked out beforehand: for those that look at many frames. */
export function fieldReader<F extends FieldSet, N extends keyof F & string>(
  l: Layout<F>,
  name: N,
): (bytes: Uint8Array, offset?: number) => Values<F>[N] | undefined {
  const read = planOf(l).byName.get(name)?.read;
  return (bytes, offset = 0) =>
    offset + l.bytes > bytes.length ? undefined : (read?.(bytes, offset) as Values<F>[N] | undefined);
}

/**
 * Encode into existing bytes at an offset; fields that are left out keep the bits that are there.
 * @throws PacketError when a value does not fit its field, or the bytes do not have the room.
 */
export function encodeInto<F extends FieldSet>(
  l: Layout<F>,
  values: Partial<Values<F>>,
  bytes: Uint8Array,
  offset = 0,
): void {
  if (offset + l.bytes > bytes.length)
    throw new PacketError(
      `${l.name}: needs ${l.bytes} bytes at offset ${offset}, got ${Math.max(0, bytes.length - offset)}`,
    );
  const { byName } = planOf(l);
  for (const name in values) {
    const value: number | bigint | Uint8Array | undefined = values[name];
    if (value === undefined) continue;
    const step = byName.get(name);
    if (!step)
      throw new PacketError(`${l.name}: there is no field ${name}; the fields are ${Object.keys(l.fields).join(", ")}`);
    step.write(bytes, offset, value);
  }
}

/** Encode a layout into new bytes; fields that are left out are 0. Errors as for `encodeInto`. */
export function encode<F extends FieldSet>(l: Layout<F>, values: Partial<Values<F>>): Uint8Array {
  const bytes = new Uint8Array(l.bytes);
  encodeInto(l, values, bytes);
  return bytes;
}
