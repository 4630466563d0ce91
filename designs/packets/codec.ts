import { placementsOf, type FieldSet, type Layout, type Placement, type Values } from "./layout.ts";

/** Bytes that cannot be decoded or a value that does not fit its field: one sentence naming layout, field and value. */
export class PacketError extends Error { override readonly name = "PacketError"; }

/** A value of at most 32 bits (5 bytes at the widest), without bigint: multiplications keep it exact in a double. */
function getNumber(bytes: Uint8Array, base: number, p: Placement): number {
  let v = 0;
  if (p.bigEndian) for (let i = 0; i < p.byteLength; i++) v = v * 256 + (bytes[base + p.byteOffset + i] ?? 0);
  else for (let i = p.byteLength - 1; i >= 0; i--) v = v * 256 + (bytes[base + p.byteOffset + i] ?? 0);
  return Math.floor(v / 2 ** p.bitOffset) % 2 ** p.width;
}

function getBig(bytes: Uint8Array, base: number, p: Placement): bigint {
  let v = 0n;
  if (p.bigEndian) for (let i = 0; i < p.byteLength; i++) v = (v << 8n) | BigInt(bytes[base + p.byteOffset + i] ?? 0);
  else for (let i = p.byteLength - 1; i >= 0; i--) v = (v << 8n) | BigInt(bytes[base + p.byteOffset + i] ?? 0);
  return (v >> BigInt(p.bitOffset)) & ((1n << BigInt(p.width)) - 1n);
}

/** Replace the field's bits and leave its neighbours' in the shared bytes as they are. */
function put(bytes: Uint8Array, base: number, p: Placement, value: bigint): void {
  const mask = ((1n << BigInt(p.width)) - 1n) << BigInt(p.bitOffset);
  let v = (value << BigInt(p.bitOffset)) & mask, m = mask;
  for (let i = 0; i < p.byteLength; i++) {
    const at = base + p.byteOffset + (p.bigEndian ? p.byteLength - 1 - i : i);
    bytes[at] = ((bytes[at] ?? 0) & ~Number(m & 0xffn)) | Number(v & 0xffn);
    v >>= 8n; m >>= 8n;
  }
}

/**
 * Decode a layout at a byte offset.
 * @throws PacketError when fewer bytes than the layout needs are there.
 */
export function decode<F extends FieldSet>(l: Layout<F>, bytes: Uint8Array, offset = 0): Values<F> {
  if (offset + l.bytes > bytes.length) throw new PacketError(`${l.name}: needs ${l.bytes} bytes at offset ${offset}, got ${Math.max(0, bytes.length - offset)}`);
  const out: Record<string, number | bigint | Uint8Array> = {};
  for (const p of placementsOf(l)) {
    const kind = l.fields[p.name]?.kind;
    out[p.name] = kind === "raw" ? bytes.slice(offset + p.byteOffset, offset + p.byteOffset + p.byteLength)
      : kind === "big" ? getBig(bytes, offset, p) : getNumber(bytes, offset, p);
  }
  return out as Values<F>;
}

/** One field of a layout, without decoding the rest. The caller knows that the bytes are there. */
export function decodeField<F extends FieldSet, K extends keyof F & string>(l: Layout<F>, field: K, bytes: Uint8Array, offset = 0): Values<F>[K] {
  const p = l.at[field], kind = l.fields[field]?.kind;
  const v = kind === "raw" ? bytes.slice(offset + p.byteOffset, offset + p.byteOffset + p.byteLength) : kind === "big" ? getBig(bytes, offset, p) : getNumber(bytes, offset, p);
  return v as Values<F>[K];
}

/**
 * Encode into existing bytes at an offset; fields that are left out keep the bits that are there.
 * @throws PacketError when a value does not fit its field, or the bytes do not have the room.
 */
export function encodeInto<F extends FieldSet>(l: Layout<F>, values: Partial<Values<F>>, bytes: Uint8Array, offset = 0): void {
  if (offset + l.bytes > bytes.length) throw new PacketError(`${l.name}: needs ${l.bytes} bytes at offset ${offset}, got ${Math.max(0, bytes.length - offset)}`);
  for (const [name, value] of Object.entries(values) as [string, number | bigint | Uint8Array | undefined][]) {
    if (value === undefined) continue;
    const p = l.at[name];
    if (!p) throw new PacketError(`${l.name}: there is no field ${name}; the fields are ${Object.keys(l.fields).join(", ")}`);
    if (value instanceof Uint8Array) {
      if (value.length > p.byteLength) throw new PacketError(`${l.name}: ${name} holds ${p.byteLength} bytes, got ${value.length}`);
      bytes.fill(0, offset + p.byteOffset + value.length, offset + p.byteOffset + p.byteLength);
      bytes.set(value, offset + p.byteOffset);
      continue;
    }
    if (typeof value === "number" && !Number.isSafeInteger(value)) throw new PacketError(`${l.name}: ${name} must be a whole number, got ${value}`);
    const v = BigInt(value);
    if (v < 0n || v >> BigInt(p.width) !== 0n) throw new PacketError(`${l.name}: ${name} holds ${p.width} bits, ${value} does not fit`);
    put(bytes, offset, p, v);
  }
}

/** Encode a layout into new bytes; fields that are left out are 0. Errors as for `encodeInto`. */
export function encode<F extends FieldSet>(l: Layout<F>, values: Partial<Values<F>>): Uint8Array {
  const bytes = new Uint8Array(l.bytes);
  encodeInto(l, values, bytes);
  return bytes;
}
