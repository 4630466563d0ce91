/** A user's program, run in the page: its Verilog, drawing, benches and waves. */
import * as hdl from "../hdl-dsl/index.ts";
import * as sim from "../sim/index.ts";
import { takeText } from "../sim/wave/text-file-browser.ts";
import { layoutOf } from "../cli/draw/layout.ts";
import { svgOfLayout } from "../cli/draw/svg.ts";
import { expect } from "./expect.ts";
import { type Exports, Loader, plainFile, SourceError } from "./transpile.ts";
import { lanesOf, Waves } from "./waves.ts";

export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}
/** A file of Verilog; `lines`: by line of Verilog from 1, the lines of the user's files behind it. */
export interface VerilogFile {
  readonly name: string;
  readonly text: string;
  readonly lines: ReadonlyMap<number, readonly { readonly file: string; readonly line: number }[]>;
}
export interface BenchResult {
  readonly name: string;
  readonly failure: string | undefined;
  readonly milliseconds: number;
  /** Lanes of WaveDrom from a cycle on, when the bench made a wave. */
  readonly lanes: ((from: number, cycles: number) => object) | undefined;
  readonly cycles: number;
}
export interface Outcome {
  readonly problems: readonly Problem[];
  readonly verilog: readonly VerilogFile[];
  readonly drawing: string;
  readonly benches: readonly string[];
  readonly runBenches: () => Promise<readonly BenchResult[]>;
}
/** Texts by name; `main`: the one that is edited; `show`: the module to emit, as an expression of it. */
export interface Program {
  readonly texts: ReadonlyMap<string, string>;
  readonly main: string;
  readonly show: string;
}

const PERIOD = 4000,
  WAVE = "bench.vcd";
let runs = 0;

const isDef = (v: unknown): v is hdl.Def => typeof v === "object" && v !== null && "ports" in v && !("emitted" in v);

/** The place of an error in the user's files, as its stack has it. */
function placeOf(e: unknown, main: string): Problem {
  const message = e instanceof Error ? e.message : String(e);
  if (e instanceof SourceError) return { file: e.file, line: e.line, column: e.column, message };
  const m = /\/run\d+\/([^\s:()]+):(\d+):(\d+)/.exec(e instanceof Error ? (e.stack ?? "") : "");
  return { file: m?.[1] ?? main, line: Number(m?.[2] ?? 1), column: Number(m?.[3] ?? 1), message };
}
function problemsOf(e: unknown, main: string): readonly Problem[] {
  if (!(e instanceof hdl.HdlError)) return [placeOf(e, main)];
  return e.diagnostics.map(d => ({
    file: d.at === undefined ? main : plainFile(d.at.file),
    line: d.at?.line ?? 1,
    column: d.at?.column ?? 1,
    message: `${d.code}: ${d.message}. ${d.fix}`,
  }));
}

interface Registered {
  readonly name: string;
  readonly run: () => Promise<void>;
}
/** What the program imports: the packages by their names, with tests that are noted and waves that are kept. */
function packagesFor(tests: Registered[], designs: hdl.Def[]): Record<string, Exports> {
  const note = (dut: unknown): void => {
    if (isDef(dut)) designs.push(dut);
  };
  const test = (name: string, ...rest: unknown[]): void => {
    const body = rest.find((x): x is () => unknown => typeof x === "function");
    tests.push({ name, run: async () => void (await body?.()) });
  };
  const group = (_name: string, body: () => void): void => body();
  const runBench = (name: string, dut: sim.Dut, o: sim.BenchOptions, body: (b: sim.Bench) => Promise<unknown>) => {
    note(dut);
    return sim.runBench(name, dut, { ...o, wave: { path: WAVE } }, body);
  };
  const framework = { test: Object.assign(test, { each: () => group }), it: test, describe: group, expect };
  return {
    mnemosyne: hdl,
    "mnemosyne/sim": {
      ...sim,
      runBench,
      benchWith: () => (name: string, dut: sim.Dut, o: sim.BenchOptions, body: (b: sim.Bench) => Promise<unknown>) => {
        note(dut);
        tests.push({ name, run: async () => void (await runBench(name, dut, o, body)) });
      },
      simulate: (dut: sim.Dut, o: sim.SimulateOptions = {}) => {
        note(dut);
        return sim.simulate(dut, { ...o, wave: { path: WAVE } });
      },
    },
    vitest: framework,
    "node:test": { ...framework, default: test },
  };
}

/** The Verilog of a definition, its lines linked to those of the user's files. */
function verilogOf(def: hdl.Def): readonly VerilogFile[] {
  return hdl.emit(def).files.map(f => ({
    name: f.name,
    text: f.text,
    lines: new Map(
      f.map === undefined
        ? []
        : [...hdl.readSourceMap(f.map)].map(([line, at]) => [
            line,
            at.filter(p => /^run\d+\//.test(p.source)).map(p => ({ file: plainFile(p.source), line: p.line })),
          ]),
    ),
  }));
}

/** The page has the style of drawings. */
const drawingOf = async (s: hdl.Structure): Promise<string> => svgOfLayout(s.name, await layoutOf(s), { style: false });

async function runOne(t: Registered): Promise<BenchResult> {
  const begun = performance.now();
  takeText(WAVE);
  let failure: string | undefined;
  try {
    await t.run();
  } catch (e) {
    failure = e instanceof Error ? e.message : String(e);
  }
  const milliseconds = performance.now() - begun,
    text = takeText(WAVE),
    waves = new Waves();
  waves.read(text);
  return {
    name: t.name,
    failure,
    milliseconds,
    cycles: Math.ceil(waves.time / PERIOD),
    lanes: text === "" ? undefined : (from, cycles) => lanesOf(waves, PERIOD, from, cycles),
  };
}

/** Loads a program and emits what it shows. Benches run when asked for. */
export async function load(p: Program): Promise<Outcome> {
  const tests: Registered[] = [],
    designs: hdl.Def[] = [];
  const failed = (e: unknown): Outcome => ({
    problems: problemsOf(e, p.main),
    verilog: [],
    drawing: "",
    benches: [],
    runBenches: () => Promise.resolve([]),
  });
  try {
    const show = p.show.trim(),
      texts = new Map(p.texts);
    // On the last line: no line of the user's moves.
    if (show !== "")
      texts.set(p.main, `${texts.get(p.main) ?? ""}\nexport const shownByThePage = (): unknown => (${show});`);
    const exports = new Loader(texts, packagesFor(tests, designs), ++runs).load(`./${p.main}`);
    const asked = exports["shownByThePage"],
      shown: unknown = typeof asked === "function" ? (asked as () => unknown)() : undefined;
    const def = isDef(shown) ? shown : (Object.values(exports).find(isDef) ?? designs[0]);
    return {
      problems: [],
      verilog: def === undefined ? [] : verilogOf(def),
      drawing: def === undefined ? "" : await drawingOf(hdl.structureOf(def)),
      benches: tests.map(t => t.name),
      runBenches: async () => {
        const results: BenchResult[] = [];
        for (const t of tests) results.push(await runOne(t));
        return results;
      },
    };
  } catch (e) {
    return failed(e);
  }
}
