import { formatIpv4 } from "../../../shared/wire/index.ts";
import { clioNode } from "../../build/index.ts";
import { designOf } from "../../../../sim/index.ts";
import { exitCode, type ExitCode, type Terminal } from "../../../shared/command-line/index.ts";
import { checkSetup, readSetup } from "../run/setup.ts";
import { interrupted } from "../../../shared/rig/index.ts";
import type { ServeOptions } from "./options.ts";
import { placeOf } from "./place.ts";
import { serve } from "./serve.ts";
import { printServed } from "./totals.ts";

/**
 * `mnemo serve clio`: the cycle-accurate node behind sockets or on a TAP device, until SIGINT or SIGTERM.
 * @returns 0
 * @throws what is wrong with options, set-up, addresses and rights, before anything is simulated; HangError and the
 * like when the design fails
 */
export async function runServe(options: ServeOptions, terminal: Terminal): Promise<ExitCode> {
  const setup = readSetup(options.setup),
    { settings, monitor, open } = await placeOf(options, setup);
  checkSetup(setup, settings);
  const network = await open();
  terminal.stage("building the model ...");
  // Seconds in which nothing else of this process runs: until they are over, a signal ends it at once.
  const design = designOf(clioNode(settings.config)),
    { stop, forget } = interrupted();
  try {
    const served = await serve(settings, network, {
      design,
      monitor,
      preparation: setup.preparation,
      slowPath: setup.freePages === undefined ? {} : { pages: setup.freePages },
      stop,
      ready: () => {
        const beside =
          monitor && monitor.ip !== settings.runtime.ip
            ? `; monitor ${formatIpv4(monitor.ip)} port ${monitor.port}`
            : "";
        terminal.print(`serving on ${network.place}${beside}. Ctrl-C ends.`);
      },
    });
    printServed(served, terminal);
  } finally {
    forget();
    await network.close();
  }
  return exitCode.done;
}
