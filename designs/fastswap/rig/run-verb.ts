import { type DesignVerb, exitCode, once, seed, setting, table, wholeNumber } from "../../shared/command-line/index.ts";
import { parseSettings } from "../config/index.ts";
import { type FaultTimes, measureFaults, ways } from "./faults.ts";

interface Options {
  readonly set: readonly string[];
  readonly seed: number;
  readonly window: number;
  readonly rounds: number;
}
const mean = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0) / all.length;

/** A row of the table: what a fault waits beside a page read alone, us. */
function row({ way, alone, first, second }: FaultTimes): string[] {
  const us = (ns: number): string => ((ns - alone) / 1000).toFixed(2);
  return [way, us(mean(first)), us(Math.max(...first)), us(mean(second)), us(Math.max(...second))];
}

/** `mnemo run fastswap`: page faults through the cycle-accurate node, with one queue and with two. */
export const runVerb: DesignVerb = {
  options: () => [
    once("--window <pages>", "pages that a fault brings", wholeNumber(2, 32)).default(8),
    once("--rounds <number>", "faults of each kind", wholeNumber(1, 10_000)).default(16),
    setting(),
    once("--seed <number>", "seed of the models' random choices", seed).default(1),
  ],
  act: async ({ set, ...o }: Options, terminal) => {
    const settings = parseSettings(set),
      rows: string[][] = [];
    for (const way of ways) rows.push(row(await measureFaults(way, { ...o, settings })));
    terminal.print("What a fault waits beside a page that is read alone, us");
    terminal.print(table(["", "mean", "worst", "missed: mean", "worst"], rows, "lrrrr"));
    return exitCode.done;
  },
};
