import type { Terminal } from "../../../shared/command-line/index.ts";
import { counterLine } from "../run/report.ts";
import { type Served, simulatedSeconds } from "./serve.ts";

/** Counts of a served node, as a line. */
export function totals(s: Served): string {
  const lost = [
    [s.lost, "lost for want of room"],
    [s.overflowed, "lost in the system's full sockets"],
    [s.tooLong, "dropped, longer than a frame"],
  ] as const;
  return `served: ${s.framesIn} frames in, ${s.framesOut} out${lost
    .filter(([n]) => n > 0)
    .map(([n, how]) => `, ${n} ${how}`)
    .join(
      "",
    )}; ${s.cycles} cycles (${(simulatedSeconds(s.cycles) * 1e6).toFixed(1)} us simulated) in ${s.busySeconds.toFixed(2)} s, asleep for ${s.idleSeconds.toFixed(2)} s`;
}

/** What a served node has done, when it has ended. @param name put before each line, for one of several nodes */
export function printServed(served: Served | undefined, terminal: Terminal, name = ""): void {
  if (served === undefined) {
    terminal.print(`${name}ended while the model was being built; nothing was served`);
    return;
  }
  terminal.print(name + totals(served));
  terminal.print(
    name +
      (served.counters === undefined
        ? "a request was still under way 1 s after the end was asked for, and was left; the counters were not read"
        : counterLine(served.counters)),
  );
}
