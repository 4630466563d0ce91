/** Captures whose frames come in at ports. */
import { InvalidArgumentError } from "commander";
import { type InterfaceFrame, readCapture } from "../../../../sim/index.ts";
import { UsageError } from "../../../shared/command-line/index.ts";
import { readNamed } from "../../../shared/rig/index.ts";
import { decode, ethernetHeader, formatMac } from "../../../shared/wire/index.ts";
import type { Setup } from "../../software/index.ts";
import type { PlayFrame } from "../device/index.ts";

/** `2=file.pcap` names a port; without it a frame's interface, or its source MAC, does. */
export interface InputFile {
  readonly path: string;
  readonly port: number | undefined;
}
export function parseInput(text: string): InputFile {
  const [, port, path = text] = /^(\d+)=(.*)$/s.exec(text) ?? [];
  if (path === "") throw new InvalidArgumentError("It names no file.");
  return { path, port: port === undefined ? undefined : Number(port) };
}

/** Ports of the largest device. */
const mostPorts = 9;
/** Times that a capture may tell: those that one that is written can, 1970 to 2106. */
const latest = 2n ** 32n * 1_000_000_000n - 1n;
/** A run counts cycles in a number that is exact for longer than this, from its first frame on. */
const mostDays = 365n,
  dayNs = 86_400_000_000_000n;

/** Where the sender of a frame is; strangers are beyond the uplink. */
function portOfSender(bytes: Uint8Array, setup: Setup): number | undefined {
  if (bytes.length < ethernetHeader.bytes) return setup.uplink;
  const { src } = decode(ethernetHeader, bytes),
    place = [...setup.stations, ...setup.peers].find(s => s.mac === src);
  return place?.port ?? setup.uplink;
}
/** A frame of a file, and whether the capture has all of it. */
interface Read {
  readonly frame: PlayFrame;
  readonly isCut: boolean;
}
/** @throws UsageError in one sentence for a frame that has no port or no time */
function framesOf({ path, port }: InputFile, setup: Setup): readonly Read[] {
  const { ports } = setup.sizes,
    isThere = (p: number): boolean => p < ports;
  if (port !== undefined && !isThere(port))
    throw new UsageError(`--in ${port}=${path}: the ports are 0 to ${ports - 1}; name one of these`);
  return readCapture(readNamed(path), path)
    .filter(f => f.bytes.length > 0)
    .map((f: InterfaceFrame, i): Read => {
      const at = port ?? f.interface ?? portOfSender(f.bytes, setup);
      if (at === undefined)
        throw new UsageError(
          `${path}: frame ${i + 1} is from ${f.bytes.length < 12 ? "nobody" : formatMac(decode(ethernetHeader, f.bytes).src)}, and the setup knows no such station; add it, or set an uplink`,
        );
      if (!isThere(at))
        throw new UsageError(
          `${path}: frame ${i + 1} is of interface ${at}, and the ports are 0 to ${ports - 1}; ${at < mostPorts ? `set ports=${at + 1}` : `a device has ${mostPorts} at most: name a port for the file, as in --in 0=${path}`}`,
        );
      if (f.timeNs < 0n || f.timeNs > latest)
        throw new UsageError(
          `${path}: frame ${i + 1} is of a time that is not from 1970 to 2106; move the times: editcap -t`,
        );
      return {
        frame: { timeNs: f.timeNs, bytes: f.bytes, port: at, ...(f.damaged === true && { damaged: true }) },
        isCut: f.originalLength > f.bytes.length,
      };
    });
}
/** What is to be played, and what is to be said about it. */
export interface Inputs {
  readonly frames: readonly PlayFrame[];
  readonly notes: readonly string[];
}
/**
 * All frames in the order of their times; of equal times as they stand.
 * @throws UsageError in one sentence for a frame that cannot be played
 */
export function readInputs(files: readonly InputFile[], setup: Setup): Inputs {
  const all = files.flatMap(f => framesOf(f, setup)),
    cut = all.filter(f => f.isCut).length;
  const frames = all
    .map(({ frame }, i) => ({ frame, i }))
    .sort((a, b) => (a.frame.timeNs < b.frame.timeNs ? -1 : a.frame.timeNs > b.frame.timeNs ? 1 : a.i - b.i))
    .map(({ frame }) => frame);
  const days = ((frames.at(-1)?.timeNs ?? 0n) - (frames[0]?.timeNs ?? 0n)) / dayNs;
  if (days > mostDays)
    throw new UsageError(
      `--in: the last frame is ${days} days behind the first, and a run has ${mostDays}; move the times of a file: editcap -t`,
    );
  return {
    frames,
    notes:
      cut === 0
        ? []
        : [`${cut} frames were cut short when they were captured (snap length) and are played as they are`],
  };
}
