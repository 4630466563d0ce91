import { readFileSync } from "node:fs";
import {
  choice,
  type DesignVerb,
  exitCode,
  type ExitCode,
  fileName,
  once,
  seed,
  setting,
  table,
  type Terminal,
  UsageError,
} from "../../shared/command-line/index.ts";
import { ModelMemory } from "../../clio/model/index.ts";
import { statusName } from "../../clio/wire/index.ts";
import { runBench } from "../../../sim/index.ts";
import { parseSettings, placeNames, type Settings } from "../config/index.ts";
import { runWic, type WicCall } from "../model/index.ts";
import { nodeParameters, NodeWic, SnicWic } from "../places/index.ts";
import { assemble, AssemblyError, type Image } from "../program/index.ts";
import { ClientWic } from "../rtl/index.ts";
import { ClientHost, type WicReplyOf } from "./client-host.ts";
import { bytesOfWords, clioMemory } from "./clio-memory.ts";
import { NodeHost } from "./node-host.ts";
import { SnicHost } from "./snic-host.ts";
import { parseSetup, type Setup } from "./setup.ts";

interface Options {
  readonly program?: string;
  readonly setup?: string;
  readonly place?: (typeof placeNames)[number];
  readonly set: readonly string[];
  readonly seed: number;
}

const pid = 7,
  loader = 1;
/** Cycles from a frame at the node to its reply's, and from an access at the node to its answer. */
const clientLatency = 500,
  nodeLatency = 75,
  /** Cycles until a client of the SmartNIC asks again: longer than any program that ends takes. */
  clientTimeout = 50_000_000;

function memoryOf(s: Setup): ModelMemory {
  const memory = new ModelMemory();
  memory.map(pid, s.base, s.bytes);
  memory.store(pid, s.base, bytesOfWords(s.words));
  return memory;
}

/** Plays the requests at a place. */
export function playAt(
  { engine, beatBytes, slots, place }: Settings,
  image: Image,
  setup: Setup,
  calls: readonly WicCall[],
  chosen: number,
): Promise<WicReplyOf[]> {
  const memory = memoryOf(setup),
    options = { seed: chosen, wave: false, limitCycles: Number.POSITIVE_INFINITY };
  const play = async (host: ClientHost | NodeHost | SnicHost): Promise<WicReplyOf[]> => {
    const replies: WicReplyOf[] = [];
    await host.load(image.instructions);
    for (const call of calls) replies.push(await host.call(call));
    await host.drained();
    return replies;
  };
  if (place === "client") {
    const parameters = { engine, beatBytes };
    return runBench("run wickit", ClientWic(parameters), options, b =>
      play(new ClientHost(b, { parameters, base: setup.base, pid, memory, latency: clientLatency })),
    );
  }
  if (place === "snic")
    return runBench("run wickit", SnicWic({ engine, slots }), options, b =>
      play(new SnicHost(b, { base: setup.base, pid, memory, latency: clientLatency, clientTimeout })),
    );
  const parameters = nodeParameters({ engine, beatBytes }, { base: setup.base, loader });
  return runBench("run wickit", NodeWic(parameters), options, b =>
    play(new NodeHost(b, { parameters, memory, latency: nodeLatency, process: pid, loader })),
  );
}

function readImage(file: string): Image {
  try {
    return assemble(readFileSync(file, "utf8"));
  } catch (e) {
    if (e instanceof AssemblyError) throw new UsageError(`${file}: ${e.problems.join("; ")}`);
    throw e;
  }
}
const shown = (words: readonly bigint[]): string => words.map(w => `0x${w.toString(16)}`).join(" ");

/** `mnemo run wickit`: plays a setup's requests at a place, and compares each reply with the interpreter's. */
async function run({ program: programFile, setup: setupFile, ...o }: Options, terminal: Terminal): Promise<ExitCode> {
  // Not mandatory for the parser: without a design's name it knows the options of all designs.
  if (programFile === undefined || setupFile === undefined)
    throw new UsageError("wickit runs a program on a setup; give --program <file> and --setup <file>");
  const settings = parseSettings([...o.set, ...(o.place === undefined ? [] : [`place=${o.place}`])]),
    image = readImage(programFile),
    setup = parseSetup(readFileSync(setupFile, "utf8"), setupFile);
  const calls = setup.requests.map((r): WicCall => {
    const program = image.programs.indexOf(r.program);
    if (program < 0)
      throw new UsageError(`${programFile} has no program ${r.program}; it has ${image.programs.join(", ")}`);
    return { program, words: r.words };
  });
  if (image.instructions.length > settings.engine.programDepth)
    throw new UsageError(
      `${programFile} has ${image.instructions.length} instructions; programDepth = ${settings.engine.programDepth} holds less`,
    );
  const replies = await playAt(settings, image, setup, calls, o.seed),
    memory = clioMemory(memoryOf(setup), pid);
  const wrong: number[] = [];
  const rows = replies.map((r, i) => {
    const call = calls[i] as WicCall,
      expected = runWic({ ...settings.engine, image: image.instructions, base: setup.base }, call, memory);
    if (expected.status !== r.status || shown(expected.words) !== shown(r.words)) wrong.push(i);
    return [
      image.programs[call.program] ?? "",
      shown(call.words),
      statusName(r.status),
      shown(r.words),
      String(r.replied - r.taken),
    ];
  });
  terminal.print(table(["program", "arguments", "status", "reply", "cycles"], rows, "llllr"));
  for (const i of wrong) terminal.error(`request ${i}: the interpreter answers otherwise`);
  return wrong.length === 0 ? exitCode.done : exitCode.failed;
}

export const runVerb: DesignVerb = {
  options: () => [
    once("--program <file>", "the programs, as text (docs/wickit.md)", fileName()),
    once("--setup <file>", "memory and requests: a JSON file", fileName()),
    once("--place <place>", `where they run: ${placeNames.join(", ")}`, choice(placeNames)),
    setting(),
    once("--seed <number>", "seed of the models' random choices", seed).default(1),
  ],
  act: (options: Options, terminal) => run(options, terminal),
};
