import { writeFileSync } from "node:fs";
import {
  type DesignVerb,
  exitCode,
  type ExitCode,
  fileName,
  once,
  seed,
  setting,
  table,
  type Terminal,
} from "../../designs/shared/command-line/index.ts";
import { claimOutputs, readInput } from "../../designs/shared/rig/index.ts";
import { registerDriver } from "../../hdl-dsl/index.ts";
import { EthernetMac, LiteMaster, runBench, writePcap } from "../../sim/index.ts";
import { FrameCounter, frameCounterMap } from "./frame-counter.ts";
import { parseSettings } from "./settings.ts";

interface Options {
  readonly in: string;
  readonly out: string;
  readonly set: readonly string[];
  readonly seed: number;
}

/** Nanoseconds of a cycle in simulation. */
const clockPeriod = 4;

/** `mnemo run frame-counter`: plays a capture, prints the counts and writes the frames that left. */
async function play(o: Options, terminal: Terminal): Promise<ExitCode> {
  const design = FrameCounter(parseSettings(o.set)),
    { frames, notes } = readInput(o.in, undefined),
    giveUp = claimOutputs([o.in], [o.out]);
  const run = runBench("run frame-counter", design, { seed: o.seed, wave: false, limitCycles: Infinity }, async b => {
    const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx),
      registers = registerDriver(frameCounterMap, new LiteMaster(b.sim, b.io));
    for (const f of frames) mac.send(f.bytes);
    await b.until(() => mac.received.length === frames.length);
    return { left: [...mac.received], frames: await registers.read("frames"), bytes: await registers.read("bytes") };
  });
  const { left, ...counted } = await run.catch((e: unknown) => {
    giveUp();
    throw e;
  });

  const start = frames[0]?.timeNs ?? 0n;
  writeFileSync(o.out, writePcap(left.map(f => ({ timeNs: start + BigInt(f.end * clockPeriod), bytes: f.bytes }))));
  const seen = { frames: left.length, bytes: left.reduce((n, f) => n + f.bytes.length, 0) };
  for (const n of notes) terminal.print(n);
  const row = (name: string, c: typeof seen): string[] => [name, String(c.frames), String(c.bytes)];
  terminal.print(table(["", "frames", "bytes"], [row("counted", counted), row("left", seen)], "lrr"));
  return counted.frames === seen.frames && counted.bytes === seen.bytes ? exitCode.done : exitCode.failed;
}

export const runVerb: DesignVerb = {
  options: () => [
    once("--in <file>", "frames to play: a pcap file", fileName()).makeOptionMandatory(),
    once("--out <file>", "the frames that left: the pcap file to write", fileName()).makeOptionMandatory(),
    setting(),
    once("--seed <number>", "seed of the models' random choices", seed).default(1),
  ],
  act: (options: Options, terminal) => play(options, terminal),
};
