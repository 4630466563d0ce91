import { writeFileSync } from "node:fs";
import {
  type CounterName,
  type Parameters,
  parametersSchema,
  parseSettings,
  type Settings,
  settingsBehindTransport,
} from "../../config/index.ts";
import { Scoreboard } from "../../model/index.ts";
import { type Endpoint, formatIpv4, formatMac } from "../../../shared/wire/index.ts";
import {
  monitorStation,
  play,
  type PlayedReply,
  type PlayResult,
  prepare,
  PrepareError,
  type Station,
  withNode,
} from "../node/index.ts";
import { type Profile, profileTable, writePcap } from "../../../../sim/index.ts";
import { exitCode, type ExitCode, type RunOptions, type Terminal } from "../../../shared/command-line/index.ts";
import { claimOutputs, type Input, readInput } from "../../../shared/rig/index.ts";
import { counterLine, requestTable, throughputLine, typeTable, verdict } from "./report.ts";
import { checkSetup, readSetup, type Setup } from "./setup.ts";
import { byType } from "./statistics.ts";

interface Run {
  readonly result: PlayResult;
  readonly counters: Readonly<Record<CounterName, bigint>>;
  readonly profile: Profile | undefined;
}

/**
 * `mnemo run clio`: plays a capture through the cycle-accurate node, beside the reference model, and writes
 * what comes back.
 * @returns 0, or 1 when the node's replies differ from the model's or one was lost
 * @throws what is wrong with the options or their files, before anything is simulated; HangError and the like when
 * the design fails
 */
export async function runClio(options: RunOptions, terminal: Terminal): Promise<ExitCode> {
  const setup = readSetup(options.setup),
    settings = parseSettings(options.set, setup.settings),
    input = readInput(options.in, options.from);
  checkSetup(setup, settings);
  const giveUp = claimOutputs(
    [options.in, ...(options.setup === undefined ? [] : [options.setup])],
    [options.out, options.stats, options.wave],
  );
  const replies: PlayedReply[] = [];
  let run: Run;
  try {
    run = await simulate(options, setup, settings, input, replies, terminal);
  } catch (e) {
    // Replies from before a failure of the design are written too.
    if (replies.length > 0) writeFileSync(options.out, writePcap(replies));
    else giveUp();
    throw e;
  }
  writeFileSync(options.out, writePcap(run.result.replies));
  if (options.stats !== undefined) writeFileSync(options.stats, statistics(options, settings, run));
  report(run, input, terminal);
  return codeOf(run.result);
}

/** 1 when the node's replies differ from the model's; a reply that never came is such a difference. */
export const codeOf = ({ problems }: Pick<PlayResult, "problems">): ExitCode =>
  problems.length === 0 ? exitCode.done : exitCode.failed;

async function simulate(
  o: RunOptions,
  setup: Setup,
  settings: Settings,
  input: Input,
  replies: PlayedReply[],
  terminal: Terminal,
): Promise<Run> {
  const inside = settingsBehindTransport(settings),
    scoreboard = new Scoreboard(inside.config, inside.runtime);
  const station = setup.monitor && monitorOf(setup.monitor, settings);
  terminal.progress("building the model ...");
  const run = await withNode(
    "run clio",
    settings,
    {
      frames: "plain",
      seed: o.seed,
      limitCycles: Infinity,
      wave: o.wave === undefined ? false : { path: o.wave },
      profile: o.profile === true,
      slowPath: { observer: scoreboard, ...(setup.freePages === undefined ? {} : { pages: setup.freePages }) },
    },
    async node => {
      // Returned, not thrown: a fault of a setup file is no failure of the design at some cycle.
      try {
        await prepare(node, setup.preparation, scoreboard);
      } catch (e) {
        if (e instanceof PrepareError) return e;
        throw e;
      }
      const result = await play(node, input.frames, {
        pace: o.pace,
        scoreboard,
        replies,
        ...(station ? { station } : {}),
        progress: (done, all) => terminal.progress(`${done} of ${all} frames, cycle ${node.bench.cycle}`),
      });
      const profile = o.profile === true ? node.bench.sim.profile() : undefined;
      return { result, counters: await node.counters(), profile };
    },
  );
  if (run instanceof PrepareError) throw run;
  return run;
}

/** The monitor, with the node as its only member; the node is spoken to on its management session. */
function monitorOf(own: Endpoint, { config, runtime }: Settings): Station {
  return monitorStation(
    own,
    {
      mac: runtime.mac,
      ip: runtime.ip,
      port: runtime.clientPort,
      name: "node",
      memoryBytes: config.usablePages * config.pageSize,
    },
    runtime,
  );
}

function report({ result, counters, profile }: Run, { notes }: Input, terminal: Terminal): void {
  for (const note of notes) terminal.print(note);
  terminal.print(requestTable(result.requests));
  terminal.print(`\n${typeTable(result.requests)}`);
  terminal.print(`\n${throughputLine(result)}`);
  terminal.print(counterLine(counters));
  if (profile !== undefined) terminal.print(`\n${profileTable(profile)}\n`);
  terminal.print(verdict(result));
}

/** The statistics file: all output of the terminal but the single requests, and the data for running it again. */
function statistics(o: RunOptions, { config, runtime }: Settings, { result, counters }: Run): string {
  return `${JSON.stringify(
    {
      in: o.in,
      seed: o.seed,
      pace: o.pace,
      settings: {
        ...Object.fromEntries(Object.keys(parametersSchema.shape).map(key => [key, config[key as keyof Parameters]])),
        ...runtime,
        mac: formatMac(runtime.mac),
        ip: formatIpv4(runtime.ip),
        hashKey: `0x${runtime.hashKey.toString(16)}`,
      },
      cycles: result.cycles,
      skippedCycles: result.skipped,
      framesIn: result.requests.length,
      framesOut: result.replies.length,
      bytesIn: result.requests.reduce((n, r) => n + r.length, 0),
      bytesOut: result.replies.reduce((n, r) => n + r.bytes.length, 0),
      comparedBytes: result.comparedBytes,
      differences: result.problems,
      requests: Object.fromEntries(byType(result.requests)),
      counters: Object.fromEntries(Object.entries(counters).map(([name, n]) => [name, Number(n)])),
    },
    undefined,
    2,
  )}\n`;
}
