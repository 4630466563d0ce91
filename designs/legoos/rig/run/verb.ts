import {
  type DesignVerb,
  exitCode,
  type ExitCode,
  fileName,
  once,
  seed,
  setting,
  table,
  type Terminal,
} from "../../../shared/command-line/index.ts";
import { parseSettings } from "../../config/index.ts";
import { type Played, playLocality } from "../cache/play.ts";
import { firstRegion, withSystem } from "../cache/system.ts";
import { readSetup } from "./setup.ts";

interface Options {
  readonly setup?: string;
  readonly set: readonly string[];
  readonly seed: number;
}
const asid = 1;

/** `mnemo run legoos`: plays a workload through the ExCache and cycle-accurate nodes. */
async function run(o: Options, terminal: Terminal): Promise<ExitCode> {
  const setup = readSetup(o.setup),
    parameters = parseSettings(o.set, setup.settings);
  terminal.progress("building the models ...");
  const regionBytes = Math.max(4096, (setup.lines / setup.nodes) * parameters.lineBytes);
  const played = await withSystem(
    "run legoos",
    { parameters, nodes: setup.nodes, seed: o.seed, asids: [asid], regions: setup.nodes, regionBytes },
    async rig => {
      const result = await playLocality(rig, {
        locality: setup.locality,
        accesses: setup.accesses,
        lines: setup.lines,
        regions: setup.nodes,
        firstRegion,
        asid,
        writes: setup.writes / 100,
      });
      await rig.flush();
      return result;
    },
  );
  terminal.print(report(played));
  return exitCode.done;
}

function report({ accesses, cycles, hitCycles, slowdown, counts }: Played): string {
  const of = (name: string): string => String(counts[name] ?? 0);
  const rows: string[][] = [
    ["accesses", String(accesses)],
    ["hits", of("hit")],
    ["misses", of("miss")],
    ["waited for a miss under way", of("merged")],
    ["clean and dirty evictions", `${of("cleanEviction")}, ${of("dirtyEviction")}`],
    ["requests: reads, writes, both in one", `${of("read")}, ${of("write")}, ${of("compound")}`],
    ["repeated requests", of("repeat")],
    ["cycles", String(cycles)],
    ["cycles if all had hit", String(hitCycles)],
    ["slowdown", slowdown.toFixed(2)],
  ];
  return table(["", ""], rows, "lr");
}

export const runVerb: DesignVerb = {
  options: () => [
    once("--setup <file>", "JSON: settings, nodes, locality, accesses, lines, writes", fileName(".json")),
    setting(),
    once("--seed <number>", "seed of the workload and the models", seed).default(1),
  ],
  act: (options: Options, terminal) => run(options, terminal),
};
