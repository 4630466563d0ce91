import { formatIpv4 } from "../../../shared/wire/index.ts";
import { serve } from "./serve.ts";
import { exitCode, type ExitCode, type Terminal } from "../../../shared/command-line/index.ts";
import { counterLine } from "../run/report.ts";
import type { ServeOptions } from "./options.ts";
import { placeOf } from "./place.ts";
import { totals } from "./totals.ts";

/**
 * `mnemo serve clio`: the cycle-accurate node behind sockets or on a TAP device, until `stop` settles.
 * @returns 0
 * @throws what is wrong with options, addresses and rights, before anything is simulated; HangError and the like when
 * the design fails
 */
export async function runServe(options: ServeOptions, stop: Promise<unknown>, terminal: Terminal): Promise<ExitCode> {
  const { settings, monitor, open } = await placeOf(options),
    network = await open();
  terminal.progress("building the model ...");
  try {
    const served = await serve(settings, network, {
      monitor,
      stop,
      ready: () => {
        const beside =
          monitor && monitor.ip !== settings.runtime.ip
            ? `; monitor ${formatIpv4(monitor.ip)} port ${monitor.port}`
            : "";
        terminal.print(`serving on ${network.place}${beside}. Ctrl-C ends.`);
      },
    });
    terminal.print(totals(served));
    terminal.print(counterLine(served.counters));
  } finally {
    await network.close();
  }
  return exitCode.done;
}

/** Settles at the first SIGINT or SIGTERM; a second one ends the process the usual way. */
export function interrupted(): { readonly stop: Promise<void>; readonly forget: () => void } {
  let forget: () => void = () => undefined;
  const stop = new Promise<void>(resolve => {
    const ended = (): void => {
      forget();
      resolve();
    };
    forget = () => {
      process.off("SIGINT", ended).off("SIGTERM", ended);
    };
    process.on("SIGINT", ended).on("SIGTERM", ended);
  });
  return { stop, forget };
}
