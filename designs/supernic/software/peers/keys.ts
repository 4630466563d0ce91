/** Keys of peers, and names that are the same in all of them. */
import { createHash, createHmac } from "node:crypto";

/**
 * The key of two sNICs, of the rack's key. Who sets a rack up makes them, and gives each sNIC those of its own pairs
 * only: with the rack's key one could speak for all.
 */
export function pairKey(rackKey: Uint8Array, a: number, b: number): Uint8Array {
  const pair = Uint8Array.of(Math.min(a, b), Math.max(a, b));
  return new Uint8Array(createHmac("sha256", rackKey).update("peers").update(pair).digest());
}
/** A chain's tasks as a number that is the same at all sNICs. */
export const chainDigest = (labels: readonly string[]): number =>
  createHash("sha256").update(labels.join("+")).digest().readUInt32LE();
