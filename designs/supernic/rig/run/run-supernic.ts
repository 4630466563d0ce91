import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { profileTable, writePcap, writePcapng } from "../../../../sim/index.ts";
import { exitCode, type ExitCode, type RunOptions, type Terminal } from "../../../shared/command-line/index.ts";
import { claimOutputs, readNamed } from "../../../shared/rig/index.ts";
import { deviceSizes, taskNamed } from "../../build/index.ts";
import { clockPeriod, type Parameters, parseParameters } from "../../config/index.ts";
import { DeviceScoreboard } from "../../model/index.ts";
import { readSetup, type Setup } from "../../software/index.ts";
import { play, type PlayedOut, type PlayResult, withDevice } from "../device/index.ts";
import { type InputFile, readInputs } from "./inputs.ts";
import { byOutcome, counterLines, frameTable, outcomeTable, throughputLine, verdict } from "./report.ts";

export interface SuperNicRunOptions extends Omit<RunOptions, "in" | "from" | "setup"> {
  readonly in: readonly InputFile[];
  readonly setup: string;
}

/**
 * `mnemo run supernic`: plays captures through the cycle-accurate device, beside the reference model, and writes what
 * leaves. @returns 0, or 1 when a frame differs from the model's, is lost, or a counter is wrong
 * @throws what is wrong with the options or their files, before anything is simulated
 */
export async function runSuperNic(o: SuperNicRunOptions, terminal: Terminal): Promise<ExitCode> {
  const parameters = parseParameters(o.set),
    setup = readSetup(readNamed(o.setup).toString(), o.setup, deviceSizes(parameters), t => taskNamed(t).declared),
    { frames, notes } = readInputs(o.in, setup);
  const giveUp = claimOutputs([...o.in.map(f => f.path), o.setup], [o.out, o.stats, o.wave]);
  const out: PlayedOut[] = [];
  let profile: string | undefined;
  terminal.progress("building the model ...");
  let result: PlayResult;
  try {
    result = await withDevice(
      "run supernic",
      setup,
      parameters,
      {
        seed: o.seed,
        limitCycles: Infinity,
        wave: o.wave === undefined ? false : { path: o.wave },
        profile: o.profile === true,
      },
      async device => {
        const played = await play(device, frames, {
          pace: o.pace,
          scoreboard: new DeviceScoreboard(setup, {}, () => device.bench.cycle),
          out,
          // A frame may wait for a region: for what is there to have its time, and for reprogramming.
          ...(setup.bitstreams !== undefined && {
            timeoutCycles: Math.ceil((2 * (parameters.monitorPeriod + parameters.reprogramTime)) / clockPeriod),
          }),
          progress: (done, all) => terminal.progress(`${done} of ${all} frames, cycle ${device.bench.cycle}`),
        });
        if (o.profile === true) profile = profileTable(device.bench.sim.profile());
        return played;
      },
    );
  } catch (e) {
    // Frames from before a failure of the design are written too.
    if (out.length > 0) writeFileSync(o.out, captureOf(o.out, out, setup));
    else giveUp();
    throw e;
  }
  writeFileSync(o.out, captureOf(o.out, out, setup));
  if (o.stats !== undefined) writeFileSync(o.stats, statistics(o, parameters, result));
  for (const note of notes) terminal.print(note);
  terminal.print(frameTable(result.played));
  terminal.print(`\n${outcomeTable(result.played)}`);
  terminal.print(`\n${throughputLine(result)}`);
  terminal.print(counterLines(result.counters, setup));
  if (profile !== undefined) terminal.print(`\n${profile}\n`);
  terminal.print(verdict(result));
  return result.problems.length === 0 ? exitCode.done : exitCode.failed;
}

/** What left, in the format that the name asks for; only pcapng tells the ports. */
function captureOf(path: string, out: readonly PlayedOut[], setup: Setup): Uint8Array {
  const frames = [...out].sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : a.port - b.port));
  if (extname(path) !== ".pcapng") return writePcap(frames);
  return writePcapng(
    frames.map(f => ({ ...f, interface: f.port })),
    setup.ports.map((_, i) => `port ${i}`),
  );
}

/** All output of the terminal but the single frames, and the data for running it again. */
function statistics(o: SuperNicRunOptions, parameters: Parameters, { played, out, ...result }: PlayResult): string {
  return `${JSON.stringify(
    {
      in: o.in,
      setup: o.setup,
      seed: o.seed,
      pace: o.pace,
      parameters,
      cycles: result.cycles,
      skippedCycles: result.skipped,
      framesIn: played.length,
      framesOut: out.length,
      bytesIn: played.reduce((n, f) => n + f.length, 0),
      bytesOut: out.reduce((n, f) => n + f.bytes.length, 0),
      comparedBytes: result.comparedBytes,
      differences: result.problems,
      outcomes: Object.fromEntries(byOutcome(played)),
      counters: result.counters,
    },
    undefined,
    2,
  )}\n`;
}
