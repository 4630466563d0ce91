import { simulate } from "../../../../sim/index.ts";
import { exitCode, type ExitCode, type Terminal } from "../../../shared/command-line/index.ts";
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
import { formatIpv4 } from "../../../shared/wire/index.ts";
import { deviceSizes, taskNamed } from "../../build/index.ts";
import { clockPeriod, parseParameters } from "../../config/index.ts";
import { readSetup, type Setup, type SoftwareStatistics } from "../../software/index.ts";
import { deviceDefinition } from "../device/index.ts";
import { counterLines } from "../run/report.ts";
import type { SuperNicServeOptions } from "./options.ts";
import { openAll, openings } from "./place.ts";
import { type RegionsServed, type Served, serveSuperNic } from "./serve.ts";

/**
 * `mnemo serve supernic`: the cycle-accurate device, each port a UDP port or a TAP device, until SIGINT or SIGTERM.
 * @returns 0, or 1 when a frame was lost inside or something is left there
 * @throws what is wrong with options, setup, addresses and rights, before anything is simulated; HangError and the
 * like when the design fails
 */
export async function runServeSuperNic(o: SuperNicServeOptions, terminal: Terminal): Promise<ExitCode> {
  const parameters = parseParameters(o.set),
    setup = readSetup(readNamed(o.setup).toString(), o.setup, deviceSizes(parameters), t => taskNamed(t).declared),
    wanted = openings(o, setup);
  const giveUp = claimOutputs([o.setup], [o.capture]),
    networks = await openAll(wanted).catch(withdrawn(giveUp)),
    log = o.capture === undefined ? undefined : new FrameLog(o.capture, portNames(setup));
  try {
    terminal.stage("building the model ...");
    // Seconds in which nothing else of this process runs: until they are over, a signal ends it at once.
    (await simulate(deviceDefinition(setup, parameters))).free();
    const { stop, forget } = interrupted();
    try {
      const ready = (): void => {
        const ports = networks.map((n, i) => `port ${i} on ${n.place}`).join("; ");
        terminal.print(`serving the sNIC ${formatIpv4(setup.ip)}: ${ports}. Ctrl-C ends.`);
      };
      return report(await serveSuperNic(setup, parameters, networks, { stop, ready, log }), setup, terminal);
    } finally {
      forget();
    }
  } finally {
    log?.close();
    await Promise.all(networks.map(n => n.close()));
  }
}
const portNames = (setup: Setup): readonly string[] => setup.ports.map((_, i) => `port ${i}`);

function report(served: Served | undefined, setup: Setup, terminal: Terminal): ExitCode {
  if (served === undefined) {
    terminal.print(neverServed);
    return exitCode.done;
  }
  terminal.print(totalsLine(served, clockPeriod));
  terminal.print(counterLines(served.counters, setup));
  terminal.print(softwareLine(served.software));
  if (served.regions !== undefined) terminal.print(regionsLine(served.regions));
  return printProblems(served.problems, terminal, served.left);
}
const regionsLine = ({ places, counted }: RegionsServed): string =>
  `regions: ${places.map(({ use, chain }) => (chain === undefined ? use : `${chain} (${use})`)).join(", ")}; ${
    Object.entries(counted)
      .filter(([, n]) => n !== 0)
      .map(([name, n]) => `${name} ${n}`)
      .join(", ") || "none changed"
  }`;
const softwareLine = (s: SoftwareStatistics): string =>
  `software: ARP ${s.arp}, ping ${s.ping}, ARP passed on ${s.passedOn}, ignored ${s.ignored}; CTRL done ${s.done}, repeated ${s.repeated}, refused ${s.refused}, of strangers ${s.strangers}`;
