/**
 * The entry of a region of a process in a table of 2^bits regions (docs/valet.md), as the hardware has it
 * (rtl/activity/region-index.ts).
 */
export function regionEntry({ pid, region }: { readonly pid: number; readonly region: number }, bits: number): number {
  const mask = 2 ** bits - 1;
  let entry = 0;
  for (let i = 0; i < bits; i++) if ((pid >> i) & 1) entry |= 1 << (bits - 1 - i);
  for (let rest = pid >> bits; rest > 0; rest >>= bits) entry ^= rest & mask;
  for (let rest = region; rest > 0; rest >>= bits) entry ^= rest & mask;
  return entry;
}
