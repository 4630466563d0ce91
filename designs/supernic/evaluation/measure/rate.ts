/** How many frames a cycle a device takes through, in the steady state. */
import { CheckFailed } from "../../../shared/command-line/index.ts";
import { clockPeriod } from "../../config/index.ts";
import type { SimulatedSuperNic } from "../../rig/index.ts";
import { beatBytes } from "../../rtl/index.ts";
import { decode, ethernetHeader } from "../../../shared/wire/index.ts";
import { macControlAddress } from "../../wire/index.ts";
import { checkSame, fcsBytes, frameFor } from "./measured-device.ts";

/** What is offered. */
export interface Offered {
  readonly dag: number;
  /** Bytes of a frame, check sequence included. */
  readonly size: number;
  /** Ports at which frames come in, from port 0. */
  readonly ports: number;
  /** Frames at each port. */
  readonly frames: number;
}
export interface Rate {
  readonly size: number;
  readonly ports: number;
  /** Frames that left in a cycle. */
  readonly perCycle: number;
  /** Bits of frames that left, check sequence included, a nanosecond. */
  readonly gbps: number;
  /** Beats that left in a cycle: a port has one. */
  readonly beats: number;
  /** Frames that found no room at their port: more is offered than goes through. */
  readonly noRoom: number;
}

/** 512-bit beats of a frame. */
export const beatsOf = (size: number): number => Math.ceil((size - fcsBytes) / beatBytes);
/** Parts of what leaves that are not counted: queues fill at first, and run empty at last. */
const warmUp = 0.3,
  tail = 0.1;
/** Quiet cycles after which nothing more leaves. */
const over = 400;

const isOwn = (frame: Uint8Array): boolean => decode(ethernetHeader, frame).dst === macControlAddress;

/** @throws CheckFailed when a frame leaves otherwise than it came, or when too few leave to tell a rate */
export function rateOf(device: SimulatedSuperNic, { dag, size, ports, frames }: Offered): Promise<Rate> {
  const { parameters } = device,
    all = Array.from({ length: ports }, (_, from) => frameFor(dag, { size, from, ports: parameters.ports }));
  return rateOfFrames(device, { size, frames, all }, (port, bytes) =>
    checkSame(bytes, all[(port + parameters.ports - 1) % parameters.ports]),
  );
}
/**
 * Frames a cycle in the steady state. @param ends cycles in which they left, in any order
 * @throws CheckFailed when too few left to tell a rate
 */
export function steadyRate(ends: readonly number[]): number {
  const inOrder = ends.toSorted((a, b) => a - b),
    from = Math.floor(ends.length * warmUp),
    to = Math.floor(ends.length * (1 - tail)) - 1,
    cycles = (inOrder[to] ?? 0) - (inOrder[from] ?? 0);
  if (!(cycles > 0)) throw new CheckFailed(`${ends.length} frames left: too few to tell a rate`);
  return (to - from) / cycles;
}
/** The same of any frames, one for each port. @param check throws for a frame that leaves as it must not */
export async function rateOfFrames(
  device: SimulatedSuperNic,
  { size, frames, all }: Pick<Offered, "size" | "frames"> & { readonly all: readonly Uint8Array[] },
  check: (port: number, bytes: Uint8Array) => void,
): Promise<Rate> {
  const { bench } = device,
    ports = all.length;
  // Whole rounds over the ports, all of one cycle.
  for (let i = 0; i < frames; i++) for (const [port, frame] of all.entries()) device.send(port, frame);
  const ends: number[] = [];
  let last = bench.cycle;
  await bench.until(() => {
    for (let left = device.take(); left; left = device.take()) {
      // PFC of a port whose queue is full.
      if (isOwn(left.frame.bytes)) continue;
      check(left.port, left.frame.bytes);
      ends.push(left.frame.end);
      last = bench.cycle;
    }
    return !device.busy && bench.cycle - last > over;
  });
  const perCycle = steadyRate(ends);
  return {
    size,
    ports,
    perCycle,
    gbps: (perCycle * size * 8) / clockPeriod,
    beats: perCycle * beatsOf(size),
    noRoom: frames * ports - ends.length,
  };
}
/** Bits of such frames that a port's bus carries, Gbit/s. */
export const lineGbps = (size: number): number => (size * 8) / (beatsOf(size) * clockPeriod);
