import type { Terminal } from "../../../shared/command-line/index.ts";
import { neverServed, totalsLine } from "../../../shared/rig/index.ts";
import { clockPeriod } from "../../config/index.ts";
import { counterLine } from "../run/report.ts";
import type { Served } from "./serve.ts";

/** What a served node has done, when it has ended. @param name put before each line, for one of several nodes */
export function printServed(served: Served | undefined, terminal: Terminal, name = ""): void {
  if (served === undefined) {
    terminal.print(name + neverServed);
    return;
  }
  terminal.print(name + totalsLine(served, clockPeriod));
  terminal.print(
    name +
      (served.counters === undefined
        ? "a request was still under way 1 s after the end was asked for, and was left; the counters were not read"
        : counterLine(served.counters)),
  );
}
