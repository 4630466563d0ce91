import { type DesignVerb, exitCode, once, seed, setting, table, wholeNumber } from "../../shared/command-line/index.ts";
import { parseSettings } from "../config/index.ts";
import { measureMoves, recordBytes, ways } from "./moves.ts";

interface Options {
  readonly set: readonly string[];
  readonly seed: number;
  readonly picks: number;
}

/** `mnemo run valet`: regions move between two cycle-accurate nodes under real frames. */
export const runVerb: DesignVerb = {
  options: () => [
    once("--picks <number>", "regions that are chosen at random, beside the least active", wholeNumber(0, 100)).default(
      2,
    ),
    setting(),
    once("--seed <number>", "seed of the models' random choices", seed).default(1),
  ],
  act: async ({ set, seed: s, picks }: Options, terminal) => {
    const settings = parseSettings(set),
      rows: string[][] = [],
      told: string[] = [];
    for (const way of ways) {
      const r = await measureMoves(way, { seed: s, settings, picks });
      for (const m of r.moves) {
        const cell = (kind: "read" | "write"): string => `${m.during[kind].toFixed(2)} of ${m.before[kind].toFixed(2)}`;
        rows.push([way, m.victim, String(m.rank), (m.ns / 1000).toFixed(1), cell("read"), cell("write")]);
      }
      told.push(
        `${way}: the table found the least active region in ${r.scanCycles} cycles; ${r.failed} operations failed`,
      );
      if (r.stage !== undefined)
        told.push(
          `${way}: ${r.stage.staged} writes staged, at most ${r.stage.mostWrites} with ${r.stage.mostBytes} bytes; ${r.stage.held} held for room`,
        );
    }
    terminal.print(`Operations of ${recordBytes} B each us while a region moves, of those before`);
    terminal.print(table(["writes are", "victim", "rank", "us", "reads", "writes"], rows, "llrrrr"));
    for (const t of told) terminal.print(t);
    return exitCode.done;
  },
};
