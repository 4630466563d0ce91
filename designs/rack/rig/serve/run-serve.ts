import { type ExitCode, type Terminal, UsageError } from "../../../shared/command-line/index.ts";
import {
  claimOutputs,
  FrameLog,
  interrupted,
  neverServed,
  printProblems,
  readNamed,
  totalsLine,
  withdrawn,
} from "../../../shared/rig/index.ts";
import { isServed, type Rack, readRack } from "../../setup/index.ts";
import { clockPeriod, modelsBuilt } from "../fabric/index.ts";
import { hardwareTables } from "../run/report.ts";
import { type Gate, openGates } from "./gates.ts";
import { serveRack } from "./serve.ts";

export interface RackServeVerbOptions {
  readonly setup: string;
  readonly capture?: string;
  readonly seed: number;
}

/**
 * `mnemo serve rack`: sNICs and memory nodes for programs of this machine, until SIGINT or SIGTERM.
 * @returns 0, or 1 when a frame was lost without a count, or something is left inside
 * @throws what is wrong with the setup, addresses and rights, before anything is simulated; HangError and the like
 * when a design fails
 */
export async function runServeRack(o: RackServeVerbOptions, terminal: Terminal): Promise<ExitCode> {
  const plan = readRack(readNamed(o.setup).toString(), o.setup);
  checkPrograms(plan, o.setup);
  const giveUp = claimOutputs([o.setup], [o.capture]),
    gates = await openGates(plan).catch(withdrawn(giveUp)),
    names = plan.endpoints.map(e => e.name),
    log = o.capture === undefined ? undefined : new FrameLog(o.capture, names);
  try {
    terminal.stage("building the models ...");
    // Seconds in which nothing else of this process runs: until they are over, a signal ends it at once.
    await modelsBuilt(plan);
    const { stop, forget } = interrupted();
    try {
      return await served(plan, gates, { seed: o.seed, log, stop }, terminal);
    } finally {
      forget();
    }
  } finally {
    log?.close();
    await Promise.all(gates.map(g => g.network.close()));
  }
}
async function served(
  plan: Rack,
  gates: readonly Gate[],
  o: { readonly seed: number; readonly log: FrameLog | undefined; readonly stop: Promise<void> },
  terminal: Terminal,
): Promise<ExitCode> {
  let problems: readonly string[] | undefined = [];
  const hasServed = await serveRack(plan, gates, {
    ...o,
    ready: () => {
      const places = gates.map(g => `${g.name} on ${g.network.place}`).join("; ");
      terminal.print(`serving a rack of ${membersOf(plan)}: ${places}. Ctrl-C ends.`);
    },
    report: (rack, finished, totals, rested) => {
      terminal.print(totalsLine(totals, clockPeriod));
      terminal.print(hardwareTables(rack, finished));
      problems = rested ? finished.problems : undefined;
    },
  });
  if (!hasServed) terminal.print(neverServed);
  return printProblems(problems, terminal);
}
const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
const membersOf = ({ devices, nodes }: Rack): string =>
  `${counted(devices.length, "sNIC")} and ${counted(nodes.length, "memory node")}`;

/** @throws UsageError for an endpoint that is no program of this machine */
function checkPrograms({ endpoints }: Rack, path: string): void {
  for (const [i, { program }] of endpoints.entries())
    if (!isServed(program))
      throw new UsageError(
        `${path}: endpoints[${i}].program.kind = "${program.kind}": mnemo serve takes "sockets", "frames" and "tap"; give one of these, or use mnemo run rack`,
      );
}
