/** Captures of a run: those that endpoints play, and those that are written. */
import { join } from "node:path";
import { type CapturedFrame, readCapture, writePcap, writePcapng } from "../../../../sim/index.ts";
import { UsageError } from "../../../shared/command-line/index.ts";
import { readNamed } from "../../../shared/rig/index.ts";
import { isServed, type Rack, type RackLink } from "../../setup/index.ts";
import { tapPoints } from "../fabric/index.ts";

/** A frame with its time in the run, ns. */
export interface Recorded {
  readonly ns: number;
  readonly bytes: Uint8Array;
  /** Of a link's capture: the place of `tapPoints`. */
  readonly interface?: number;
}
/** A capture that an endpoint plays. */
export interface Input {
  readonly endpoint: string;
  readonly path: string;
  readonly frames: readonly CapturedFrame[];
}
/** A run's clock begins here where no capture tells a time: 2026-01-01, in nanoseconds since 1970. */
const startOfTime = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;

/** A group that is not everybody: a ring of sNICs would send its frames round for ever. */
const isMulticast = (b: Uint8Array): boolean => ((b[0] ?? 0) & 1) === 1 && !b.subarray(0, 6).every(x => x === 0xff);

/**
 * Reads what endpoints play.
 * @param setup the file, for sentences
 * @throws UsageError, CaptureError in one sentence for what cannot be played
 */
export function readInputs(plan: Rack, setup: string): readonly Input[] {
  for (const [i, { program }] of plan.endpoints.entries())
    if (isServed(program))
      throw new UsageError(
        `${setup}: endpoints[${i}].program.kind = "${program.kind}": a program of this machine is there; use mnemo serve rack, or give it another program`,
      );
  return plan.endpoints.flatMap(({ name, program }) => {
    if (program.kind !== "capture" || program.in === undefined) return [];
    const path = program.in,
      frames = readCapture(readNamed(path), path).filter(f => f.bytes.length > 0);
    const group = frames.findIndex(f => isMulticast(f.bytes));
    if (plan.hasRing && group >= 0)
      throw new UsageError(
        `${path}: frame ${group + 1} is for a multicast group, and the links close a ring, where it would never end; leave a link out`,
      );
    return [{ endpoint: name, path, frames: frames.toSorted((a, b) => Number(a.timeNs - b.timeNs)) }];
  });
}
/** The time at which a run begins: that of the first frame that is played. */
export const beginning = (inputs: readonly Input[]): bigint =>
  inputs
    .flatMap(i => i.frames[0]?.timeNs ?? [])
    .reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined) ?? startOfTime;

const placed = ({ ns, bytes }: Recorded, from: bigint) => ({ timeNs: from + BigInt(Math.round(ns)), bytes });
/** What came to an endpoint. */
export const endpointCapture = (frames: readonly Recorded[], from: bigint): Uint8Array =>
  writePcap(frames.map(f => placed(f, from)));
/** What was on a link: an interface for each way at each end. */
export const linkCapture = (frames: readonly Recorded[], from: bigint): Uint8Array =>
  writePcapng(
    // The two ends have clocks of their own.
    frames.toSorted((a, b) => a.ns - b.ns).map(f => ({ ...placed(f, from), interface: f.interface ?? 0 })),
    [...tapPoints],
  );
/** The file of a link: its number and its ends. */
export const linkFile = (folder: string, { between: [a, b] }: RackLink, i: number): string =>
  join(folder, `${i}-${a.place}.${a.port}-${b.place}.${b.port}.pcapng`);
