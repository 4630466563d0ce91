import { existsSync, writeFileSync } from "node:fs";
import { libraryModules } from "../../hdl-dsl/index.ts";
import {
  type Design,
  exitCode,
  type ExitCode,
  type Terminal,
  UsageError,
} from "../../designs/shared/command-line/index.ts";
import { buildOf, designNamed } from "../design-named.ts";
import { insteadOf } from "../no-such.ts";
import { designs } from "../designs.ts";
import { isSource, onlyForFile } from "../own/source-file.ts";
import { repository } from "../repository.ts";
import { totalLuts } from "./area.ts";
import { boundedOf, boundsText, outOfBounds, readBounds, standing } from "./bounds.ts";
import {
  baselinePath,
  byKnownText,
  readBaseline,
  regressions,
  unmeasured,
  without,
  writeBaseline,
} from "./baseline.ts";
import { figuresOf } from "./figures.ts";
import {
  areaTable,
  depthOf,
  fanOutBound,
  fanOutLine,
  fanOutList,
  fanOutOf,
  levelsOf,
  pathLine,
  pathList,
  type Result,
} from "./report.ts";
import { synthesize } from "./synthesize.ts";
import { type Target, type TargetName, targets } from "./target.ts";
import { toMeasure } from "./unchanged.ts";
import { type Unit, unitsFor } from "./unit.ts";
import { findYosys, type Yosys } from "./yosys.ts";

export interface SynthOptions {
  /** Of a file: which export. */
  readonly module?: string;
  readonly target: TargetName;
  readonly set: readonly string[];
  readonly only?: readonly string[];
  readonly whole: boolean;
  readonly paths: number;
  readonly table?: true;
  readonly json?: string;
  readonly check?: true;
  readonly changed?: true;
  readonly writeBaseline?: true;
}
/** Units to synthesize beside the designs. */
export const library = "library";

/**
 * Units of a design to synthesize: its blocks and the whole. For the published table and the baseline also the blocks
 * that the default build lacks.
 */
export async function designUnits(d: Design, o: SynthOptions, all: boolean): Promise<readonly Unit[]> {
  const definition = await buildOf(d, "synth")(o.set),
    hook = await d.synth?.();
  const beside = ((all ? await hook?.further(o.set) : undefined) ?? [])
    .map(({ definition, names, ending = "" }) => ({
      definition,
      ending,
      names: names.filter(b => o.only?.includes(`${b}${ending}`) ?? true),
    }))
    .filter(f => f.names.length > 0);
  const units = unitsFor(
    definition,
    o.only?.filter(n => !beside.some(f => f.names.some(b => `${b}${f.ending}` === n))),
    hook?.madeOfBlocks,
  );
  const own = o.whole || o.only !== undefined ? units : units.slice(0, -1);
  const further = beside.flatMap(f =>
      unitsFor(f.definition, f.names).map(u => ({ ...u, name: `${u.name}${f.ending}` })),
    ),
    measured = [...further, ...own],
    names = measured.map(u => u.name),
    twice = names.find((n, i) => names.indexOf(n) !== i);
  // The baseline would keep one of the two, and compare the other with it.
  if (twice !== undefined) throw new UsageError(`${d.name}: ${twice} is measured twice; leave it out of \`further\``);
  return measured;
}

/** Units of the library to synthesize: each module that is shown. The whole of the library is no design. */
function libraryUnits(o: SynthOptions): readonly Unit[] {
  if (o.set.length > 0)
    throw new UsageError(
      `--set is for ${designs.map(d => d.name).join(", ")}: the library's modules are synthesized as they are shown`,
    );
  const all = libraryModules.flatMap(m => unitsFor(m, undefined).slice(-1));
  const missing = o.only?.find(n => !all.some(u => u.name === n));
  if (missing !== undefined)
    throw new UsageError(
      `the library has no module ${missing}; ${insteadOf(
        missing,
        all.map(u => u.name),
      )}`,
    );
  return all.filter(u => o.only?.includes(u.name) ?? true);
}

/** All units, several at a time, with what is going on shown. */
async function synthesizeAll(
  units: readonly Unit[],
  target: Target,
  yosys: Yosys,
  terminal: Terminal,
): Promise<readonly Result[]> {
  // The largest first, or one of them is mapped alone in the end.
  const size = (u: Unit): number => u.files.reduce((n, f) => n + f.text.length, 0);
  const results: Result[] = [],
    waiting = [...units.entries()].sort(([, a], [, b]) => size(b) - size(a)),
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
        depth: depthOf(r),
        fanOut: fanOutOf(r),
        fanOuts: r.fanOuts.map(f => ({ sinks: f.sinks, role: f.role, net: fanOutLine(f, r.unit.files) })),
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

/** What is to be synthesized: of the library, of a file of the user's, or of a design. */
async function unitsOf(
  name: string,
  design: Design | undefined,
  o: SynthOptions,
  all: boolean,
): Promise<readonly Unit[]> {
  if (design !== undefined) return designUnits(design, o, all);
  if (name === library) return libraryUnits(o);
  const { fileUnits } = await import("./synth-own.ts");
  return fileUnits(name, o);
}

/** `mnemo synth`. @param name of a design or of a file, or `library` */
export async function runSynth(name: string, o: SynthOptions, terminal: Terminal): Promise<ExitCode> {
  onlyForFile(name, o.module);
  const design = name === library || isSource(name) ? undefined : designNamed(name),
    { baseline, table } = (await design?.synth?.()) ?? {};
  const target = targets[o.target],
    guarded = o.check === true || o.writeBaseline === true;
  if (guarded && baseline === undefined)
    throw new UsageError(`${name} has no baseline of areas; leave out --check and --write-baseline`);
  if (o.changed === true && o.check !== true)
    throw new UsageError("--changed says what --check leaves out; add --check, or leave out --changed");
  if (guarded && o.set.length > 0)
    throw new UsageError("a baseline is of a design's defaults; leave out --set, or --check and --write-baseline");
  if (o.table === true && isSource(name)) throw new UsageError(`--table is of a design; leave it out with ${name}`);
  if (o.table === true && (table === undefined || o.target !== "xcup" || o.only !== undefined))
    throw new UsageError("--table is of the whole node on UltraScale+: leave out --target and --only");
  const path =
    guarded && baseline !== undefined ? baselinePath(repository("mnemo synth --check"), baseline, target) : "";
  const before = guarded && (o.check === true || existsSync(path)) ? readBaseline(path) : undefined;
  const all = await unitsOf(name, design, o, o.table === true || guarded),
    yosys = await findYosys();
  const units = o.changed === true && before !== undefined ? toMeasure(all, before, target, yosys.version) : all;
  const results = await synthesizeAll(units, target, yosys, terminal);

  if (o.json !== undefined) writeFileSync(o.json, asJson(results, target, yosys.version));
  if (o.table === true && table !== undefined) {
    terminal.print(table(Object.fromEntries(results.map(r => [r.unit.name, figuresOf(r)]))));
    return exitCode.done;
  }
  terminal.print(areaTable(results, target));
  if (units.length < all.length)
    terminal.print(
      `\n${all.length - units.length} of ${all.length} modules are of the baseline's text, and stand as they are there.`,
    );
  if (o.paths > 0) {
    terminal.print(
      `\nThe deepest paths, by the register, memory or port that they end in:\n${pathList(results, o.paths)}`,
    );
    terminal.print(
      `\nThe widest net, and what drives more than ${fanOutBound} inputs:\n${fanOutList(results, o.paths)}`,
    );
  }
  terminal.print(`\n${yosys.version}, ${target.family}, after synthesis, out of context: not placed, not routed.`);
  // Of a check of everything; one of some modules says nothing of the others.
  const forgotten =
    before === undefined || o.only !== undefined
      ? []
      : unmeasured(
          before,
          all.map(u => u.name),
          o.whole ? [] : (readBounds(path)?.wholes ?? []),
        );
  if (o.writeBaseline === true) {
    writeBaseline(path, results, yosys.version, without(before, forgotten));
    terminal.print(`${path} written`);
  }
  if (o.check !== true || before === undefined) return exitCode.done;
  const { known, unknown } = o.changed === true ? byKnownText(results, before) : { known: results, unknown: [] };
  const worse = regressions(known, before),
    told = regressions(unknown, before),
    bounds = readBounds(path),
    stand = all.flatMap(u => (units.includes(u) ? [] : [u.name])),
    over = bounds === undefined ? [] : outOfBounds([...results.map(boundedOf), ...standing(stand, before)], bounds);
  const listed = (lines: readonly string[]): string => lines.map(w => `  ${w}`).join("\n");
  if (told.length > 0)
    terminal.print(
      `Worse than figures of which the baseline does not say the text; mnemo synth --write-baseline measures them anew:\n${listed(told)}`,
    );
  if (worse.length === 0) terminal.print(`No module has grown by more than 5 % since the baseline (${before.tool}).`);
  else
    terminal.error(
      `mnemo: more than 5 % worse than the baseline (${before.tool === yosys.version ? before.tool : `made with ${before.tool}, this is ${yosys.version}`}); if that is meant, mnemo synth --write-baseline:\n${listed(worse)}`,
    );
  if (over.length > 0) terminal.error(`mnemo: out of the bounds in bounds.json beside the baseline:\n${listed(over)}`);
  else if (bounds !== undefined)
    terminal.print(`Every module keeps the bounds: ${boundsText(bounds)}, but for the exceptions listed.`);
  if (forgotten.length > 0)
    terminal.error(
      `mnemo: in the baseline, and measured by nothing; measure them, or mnemo synth --write-baseline takes them out: ${forgotten.join(", ")}`,
    );
  if (worse.length + over.length + forgotten.length === 0) return exitCode.done;
  return exitCode.failed;
}
