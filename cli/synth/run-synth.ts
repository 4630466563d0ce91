import { existsSync, writeFileSync } from "node:fs";
import { makeSettings, parametersOf, parseSettings } from "../../designs/clio/config/index.ts";
import { clioNode } from "../../designs/clio/build/index.ts";
import { libraryModules } from "../../hdl-dsl/index.ts";
import { exitCode, UsageError, type ExitCode, type Terminal } from "../../designs/shared/command-line/index.ts";
import { repository } from "../repository.ts";
import { totalLuts } from "./area.ts";
import { baselinePath, readBaseline, regressions, writeBaseline } from "./baseline.ts";
import { figuresOf } from "./figures.ts";
import { paperTable } from "./paper-table.ts";
import { areaTable, levelsOf, pathLine, pathList, type Result } from "./report.ts";
import { synthesize } from "./synthesize.ts";
import { targets, type Target, type TargetName } from "./target.ts";
import { unitsFor, type Unit } from "./unit.ts";
import { findYosys, type Yosys } from "./yosys.ts";

export interface SynthOptions {
  readonly target: TargetName;
  readonly set: readonly string[];
  readonly only?: readonly string[];
  readonly whole: boolean;
  readonly paths: number;
  readonly table?: true;
  readonly json?: string;
  readonly check?: true;
  readonly writeBaseline?: true;
}
export const synthDesigns = ["clio", "library"] as const;

/** Modules of the node that are made of blocks. */
const madeOfBlocks = ["ClioNode", "ClioNodeExtended", "GbnShims", "ExtendPath"];
/** Blocks that the default build lacks, and the parameters of one that has them. */
const furtherBlocks = [
  { build: { transport: "gbn" }, blocks: ["GbnRx", "GbnTx"] },
  { build: { offloads: "all" }, blocks: ["OffloadSlot", "PointerChase", "ClioKv", "MultiVersion", "DataFrame"] },
] as const;

/**
 * Units of the node to synthesize: its blocks and the whole. For the paper's table and the baseline also the blocks
 * that the default build lacks.
 */
function nodeUnits(o: SynthOptions, all: boolean): readonly Unit[] {
  const { config } = parseSettings(o.set),
    plain = all && config.transport === "none" && config.offloads === "none";
  const beside = (plain ? furtherBlocks : [])
    .map(f => ({ build: f.build, blocks: f.blocks.filter(b => o.only?.includes(b) ?? true) }))
    .filter(f => f.blocks.length > 0);
  const units = unitsFor(
    clioNode(config),
    o.only?.filter(n => !beside.some(f => f.blocks.some(b => b === n))),
    madeOfBlocks,
  );
  const own = o.whole || o.only !== undefined ? units : units.slice(0, -1);
  return [
    ...beside.flatMap(f => unitsFor(clioNode(makeSettings({ ...parametersOf(config), ...f.build }).config), f.blocks)),
    ...own,
  ];
}

/** Units of a design to synthesize. The whole of the library is no design. */
function unitsOf(design: (typeof synthDesigns)[number], o: SynthOptions): readonly Unit[] {
  if (design === "clio") return nodeUnits(o, o.table === true || o.check === true || o.writeBaseline === true);
  if (o.set.length > 0)
    throw new UsageError("--set is for clio: the library's modules are synthesized as they are shown");
  const all = libraryModules.flatMap(m => unitsFor(m, undefined).slice(-1));
  const missing = o.only?.find(n => !all.some(u => u.name === n));
  if (missing !== undefined)
    throw new UsageError(`the library has no module ${missing}; it has ${all.map(u => u.name).join(", ")}`);
  return all.filter(u => o.only?.includes(u.name) ?? true);
}

/** All units, several at a time, with what is going on shown. */
async function synthesizeAll(
  units: readonly Unit[],
  target: Target,
  yosys: Yosys,
  terminal: Terminal,
): Promise<readonly Result[]> {
  const results: Result[] = [],
    waiting = [...units.entries()],
    doing = new Map<string, string>();
  let done = 0;
  const show = (): void =>
    terminal.progress(
      `${done} of ${units.length} done; ${[...doing].map(([name, pass]) => `${name}: ${pass}`).join("; ")}`.slice(
        0,
        160,
      ),
    );
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [i, unit] = next;
      results[i] = {
        unit,
        ...(await synthesize(unit, target, yosys, pass => {
          doing.set(unit.name, pass);
          show();
        })),
      };
      doing.delete(unit.name);
      done++;
      show();
    }
  };
  await Promise.all(Array.from({ length: yosys.parallel }, worker));
  terminal.endProgress();
  return results;
}

/** The results as data. */
const asJson = (results: readonly Result[], target: Target, tool: string): string =>
  `${JSON.stringify(
    {
      tool,
      target: target.name,
      stage: "after synthesis, out of context; not placed, not routed",
      modules: results.map(r => ({
        name: r.unit.name,
        verilog: r.unit.top,
        luts: totalLuts(r.area),
        logicCells: Math.round(totalLuts(r.area) * target.logicCellsPerLut),
        ...r.area,
        levels: levelsOf(r),
        paths: r.paths.map(p => ({
          levels: p.levels,
          carries: p.carries,
          through: pathLine(p, r.unit.files)
            .replace(/^.*?: /, "")
            .split(" > "),
        })),
      })),
    },
    null,
    2,
  )}\n`;

/** `mnemo synth`. */
export async function runSynth(
  design: (typeof synthDesigns)[number],
  o: SynthOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const target = targets[o.target],
    guarded = o.check === true || o.writeBaseline === true;
  if (guarded && (design !== "clio" || o.set.length > 0))
    throw new UsageError(
      "the baseline is of the default node: --check and --write-baseline go with neither --set nor another design",
    );
  if (o.table === true && (design !== "clio" || o.target !== "xcup" || o.only !== undefined))
    throw new UsageError("--table is of the whole node on UltraScale+: leave out --target and --only");
  const path = guarded ? baselinePath(repository("mnemo synth --check"), target) : "";
  const before = guarded && (o.check === true || existsSync(path)) ? readBaseline(path) : undefined;
  const units = unitsOf(design, o),
    yosys = await findYosys();
  const results = await synthesizeAll(units, target, yosys, terminal);

  if (o.json !== undefined) writeFileSync(o.json, asJson(results, target, yosys.version));
  if (o.table === true) {
    terminal.print(
      paperTable(
        Object.fromEntries(
          results.map(r => [
            /^ClioNode(?:Gbn|Extended|GbnExtended)$/.test(r.unit.name) ? "ClioNode" : r.unit.name,
            figuresOf(r),
          ]),
        ),
      ),
    );
    return exitCode.done;
  }
  terminal.print(areaTable(results, target));
  if (o.paths > 0)
    terminal.print(
      `\nThe deepest paths, by the register, memory or port that they end in:\n${pathList(results, o.paths)}`,
    );
  terminal.print(`\n${yosys.version}, ${target.family}, after synthesis, out of context: not placed, not routed.`);
  if (o.writeBaseline === true) {
    writeBaseline(path, results, yosys.version, before);
    terminal.print(`${path} written`);
  }
  if (o.check !== true || before === undefined) return exitCode.done;
  const worse = regressions(results, before);
  if (worse.length === 0) {
    terminal.print(`No module has grown by more than 5 % since the baseline (${before.tool}).`);
    return exitCode.done;
  }
  terminal.error(
    `mnemo: more than 5 % worse than the baseline (${before.tool === yosys.version ? before.tool : `made with ${before.tool}, this is ${yosys.version}`}); if that is meant, mnemo synth --write-baseline:\n${worse
      .map(w => `  ${w}`)
      .join("\n")}`,
  );
  return exitCode.failed;
}
