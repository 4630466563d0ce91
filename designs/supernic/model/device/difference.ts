/** Share of the bytes that are the same in two frames. */
export function likeness(a: Uint8Array, b: Uint8Array): number {
  const length = Math.max(a.length, b.length);
  let same = 0;
  for (let i = 0; i < length; i++) if (a[i] === b[i]) same++;
  return length === 0 ? 1 : same / length;
}
const hex = (byte: number | undefined): string =>
  byte === undefined ? "nothing" : `0x${byte.toString(16).padStart(2, "0")}`;
/** Where a frame differs from what it must be. */
export function difference(must: Uint8Array, is: Uint8Array): string {
  if (must.length !== is.length) return `has ${is.length} bytes; it must have ${must.length}`;
  const at = must.findIndex((b, i) => b !== is[i]);
  return `has ${hex(is[at])} at byte ${at}; it must be ${hex(must[at])}`;
}
