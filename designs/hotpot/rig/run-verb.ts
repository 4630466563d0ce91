import { type DesignVerb, exitCode, fileName, once, seed, setting, table } from "../../shared/command-line/index.ts";
import { parseSettings } from "../config/index.ts";
import { measureCommits } from "./scenario.ts";
import { readSetup } from "./setup.ts";
import { areasOfTask, measureTaskCommits } from "./task-scenario.ts";
import { measureTimes } from "./times.ts";

interface Options {
  readonly setup?: string;
  readonly set: readonly string[];
  readonly seed: number;
}
const us = (cycles: number): string => ((cycles * 4) / 1000).toFixed(2);

/** `mnemo run hotpot`: messages through the engine clock by clock, and commits with their times. */
export const runVerb: DesignVerb = {
  options: () => [
    once("--setup <file>", "JSON: settings, and lanes: coordinators at the same moment", fileName(".json")),
    setting(),
    once("--seed <number>", "seed of the random choices", seed).default(1),
  ],
  act: async ({ setup, set, seed: s }: Options, terminal) => {
    const { lanes, settings: given } = readSetup(setup),
      settings = parseSettings(set, given),
      times = await measureTimes(settings, s),
      { owners, areas, copies, lines } = settings;
    terminal.print(`Cycles of a message, ${areas} areas of ${64 * lines} bytes: clock by clock`);
    terminal.print(
      table(
        ["PREPARE, each", "the last", "merged", "UPDATE", "COMMIT", "FORGET", "GRANT"],
        [
          [
            times.prepare[0] ?? 0,
            times.prepare.at(-1) ?? 0,
            times.merged,
            times.update,
            times.commit,
            times.forget,
            times.grant,
          ].map(String),
        ],
        "rrrrrrr",
      ),
    );
    const rows = [true, false].flatMap(merged =>
      [false, true]
        .filter(conflict => !merged || !conflict || owners === 1)
        .map(conflict => {
          const r = measureCommits({ settings, times, merged, lanes, conflict, seed: s });
          const way = merged ? "one phase" : "three phases";
          return [way, conflict ? "the same" : "their own", us(r.cycles), r.messages.toFixed(1), r.tries.toFixed(2)];
        }),
    );
    terminal.print(`Commits of ${lanes} coordinators at once: ${owners} owners, ${copies} copies`);
    terminal.print(table(["commit in", "pages", "us", "messages", "tries"], rows, "llrrr"));
    const few = { ...settings, areas: areasOfTask(settings) },
      byTask: string[][] = [];
    for (const conflict of [false, true]) {
      const scenario = { settings: few, times, merged: owners === 1, lanes, conflict, seed: s },
        model = measureCommits(scenario),
        task = await measureTaskCommits(scenario);
      const pages = conflict ? "the same" : "their own";
      byTask.push(["at the client", pages, us(model.cycles), model.messages.toFixed(1)]);
      byTask.push(["at the SmartNIC", pages, us(task.cycles), task.messages.toFixed(1)]);
    }
    terminal.print(`The same with ${few.areas} areas at each owner: who coordinates is a client, or the task half-way`);
    terminal.print(table(["coordinator", "pages", "us", "messages"], byTask, "llrr"));
    return exitCode.done;
  },
};
