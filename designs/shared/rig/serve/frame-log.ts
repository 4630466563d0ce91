import { closeSync, openSync, writeSync } from "node:fs";
import { writePcapng } from "../../../../sim/index.ts";

/** For a promise that fails: takes back files that were claimed, and fails all the same. */
export const withdrawn =
  (giveUp: () => void) =>
  (e: unknown): never => {
    giveUp();
    throw e;
  };

/** Bytes of a capture without interfaces and frames: what stands in front of them. */
const front = writePcapng([], []).length;

/**
 * A capture (pcapng) that grows as frames come: whoever reads it beside the service sees all that has passed. Its times
 * are simulated, from the moment of the start on: they tell the hardware's latencies, and leave out all time in which
 * the clock stood still.
 */
export class FrameLog {
  readonly #file: number;
  readonly #begun = BigInt(Date.now()) * 1_000_000n;

  /** @param names of the interfaces @throws the system's error for a file that cannot be written */
  constructor(path: string, names: readonly string[]) {
    this.#file = openSync(path, "w");
    writeSync(this.#file, writePcapng([], names));
  }
  /** @param at its interface @param ns simulated time */
  add(at: number, ns: number, bytes: Uint8Array): void {
    const timeNs = this.#begun + BigInt(Math.round(ns));
    writeSync(this.#file, writePcapng([{ timeNs, bytes, interface: at }], []).subarray(front));
  }
  close(): void {
    closeSync(this.#file);
  }
}
