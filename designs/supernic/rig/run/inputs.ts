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

/** Where the sender of a frame is; strangers are beyond the uplink. */
function portOfSender(bytes: Uint8Array, setup: Setup): number | undefined {
  if (bytes.length < ethernetHeader.bytes) return setup.uplink;
  const { src } = decode(ethernetHeader, bytes),
    place = [...setup.stations, ...setup.peers].find(s => s.mac === src);
  return place?.port ?? setup.uplink;
}
/** @throws UsageError in one sentence for a frame that has no port */
function framesOf({ path, port }: InputFile, setup: Setup): readonly PlayFrame[] {
  const { ports } = setup.sizes,
    isThere = (p: number): boolean => p < ports;
  if (port !== undefined && !isThere(port))
    throw new UsageError(`--in ${port}=${path}: the ports are 0 to ${ports - 1}; name one of these`);
  return readCapture(readNamed(path), path)
    .filter(f => f.bytes.length > 0)
    .map((f: InterfaceFrame, i): PlayFrame => {
      const at = port ?? f.interface ?? portOfSender(f.bytes, setup);
      if (at === undefined)
        throw new UsageError(
          `${path}: frame ${i + 1} is from ${f.bytes.length < 12 ? "nobody" : formatMac(decode(ethernetHeader, f.bytes).src)}, and the setup knows no such station; add it, or set an uplink`,
        );
      if (!isThere(at))
        throw new UsageError(
          `${path}: frame ${i + 1} is of interface ${at}, and the ports are 0 to ${ports - 1}; set ports=${at + 1}`,
        );
      return { timeNs: f.timeNs, bytes: f.bytes, port: at, ...(f.damaged === true && { damaged: true }) };
    });
}
/** All frames in the order of their times; of equal times as they stand. */
export const readInputs = (files: readonly InputFile[], setup: Setup): readonly PlayFrame[] =>
  files
    .flatMap(f => framesOf(f, setup))
    .map((frame, i) => ({ frame, i }))
    .sort((a, b) => (a.frame.timeNs < b.frame.timeNs ? -1 : a.frame.timeNs > b.frame.timeNs ? 1 : a.i - b.i))
    .map(({ frame }) => frame);
