import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { dissectStack, parseIpv4 } from "../wire/index.ts";
import { type CapturedFrame, readPcap } from "../../../sim/index.ts";
import { UsageError } from "../command-line/index.ts";

/** The frames to play, and what is to be said about those that are not. */
export interface Input {
  readonly frames: readonly CapturedFrame[];
  readonly notes: readonly string[];
}

/**
 * The bytes of a file that a user has named.
 * @throws the system's error with the path; UsageError for a folder, or a file that is too large
 */
export function readNamed(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (e) {
    // These errors of the system do not say which.
    if ((e as NodeJS.ErrnoException).code === "ERR_FS_FILE_TOO_LARGE")
      throw new UsageError(
        `cannot open ${path}: it has more than 2 GiB; split it, and give the parts one after another`,
      );
    if ((e as NodeJS.ErrnoException).code === "EISDIR")
      throw new UsageError(`cannot open ${path}: it is a folder; name a file`);
    throw e;
  }
}

/**
 * Reads a capture. Frames without a byte cannot be sent and are left out; those of other senders than `from` too, when
 * it is given.
 * @throws CaptureError when it is no capture or cut short; UsageError when `from` is no address, or nobody's
 */
export function readInput(path: string, from: string | undefined): Input {
  const all = readPcap(readNamed(path), path),
    notes: string[] = [];
  const wanted = from === undefined ? undefined : addressOf(from);
  const ofSender = wanted === undefined ? all : all.filter(f => sender(f.bytes) === wanted);
  if (from !== undefined && ofSender.length === 0 && all.length > 0)
    throw new UsageError(`${path} has no frame from ${from}; leave --from out to play all ${all.length} frames`);
  if (ofSender.length < all.length)
    notes.push(`${all.length - ofSender.length} frames of other senders than ${from ?? ""} left out`);
  const frames = ofSender.filter(f => f.bytes.length > 0);
  if (frames.length < ofSender.length) notes.push(`${ofSender.length - frames.length} frames without a byte left out`);
  const cut = frames.filter(f => f.originalLength > f.bytes.length).length;
  if (cut > 0)
    notes.push(`${cut} frames were cut short when they were captured (snap length) and are played as they are`);
  return { frames, notes };
}

function addressOf(text: string): number {
  try {
    return parseIpv4(text);
  } catch (e) {
    throw new UsageError(`--from: ${(e as Error).message}`);
  }
}

function sender(frame: Uint8Array): number | undefined {
  const { arp, ipv4 } = dissectStack(frame);
  return arp?.senderIp ?? ipv4?.src;
}

/**
 * Sees before a long run that its results can be written: makes their folders and opens each file.
 * @returns a function that takes back the empty files, for a run that comes to nothing
 * @throws the system's error with the path; UsageError when an output is an input, or two of them are one
 */
export function claimOutputs(inputs: readonly string[], outputs: readonly (string | undefined)[]): () => void {
  const taken = new Map(inputs.map(i => [resolve(i), i])),
    paths = outputs.flatMap(path => path ?? []);
  for (const path of paths) {
    const other = taken.get(resolve(path));
    if (other !== undefined) throw new UsageError(`${path} would overwrite ${other}; give it another name`);
    taken.set(resolve(path), path);
  }
  const made: string[] = [],
    giveUp = (): void => {
      for (const path of made) rmSync(path, { force: true });
    };
  try {
    for (const path of paths) {
      mkdirSync(dirname(resolve(path)), { recursive: true });
      const fresh = !existsSync(path);
      closeSync(openSync(path, "a"));
      if (fresh) made.push(path);
    }
  } catch (e) {
    giveUp();
    throw e;
  }
  return giveUp;
}
