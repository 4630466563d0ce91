/** What the gallery's page says of each design, measured and kept beside the circuit that it was measured of. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadDefinition } from "../../../cli/emit/load-definition.ts";
import { emit } from "../../../hdl-dsl/index.ts";
import { unbroken } from "../../../sim/index.ts";
import { type Entry, gallery } from "./designs.ts";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
export interface Figures {
  /** Of the Verilog, without comments and breaks of lines. */
  readonly circuit: string;
  readonly lut: number;
  readonly ff: number;
  readonly memories: number;
  readonly dsp: number;
  readonly levels: number;
}

const folderOf = (e: Entry): string => join("examples/gallery", e.name);
const fileOf = (e: Entry): string => join(folderOf(e), "src", e.file);

/** Lines of the design that are neither blank nor comment. */
export function linesOf(e: Entry): number {
  const source = join(root, folderOf(e), "src"),
    texts = readdirSync(source).map(f => readFileSync(join(source, f), "utf8"));
  return texts
    .flatMap(t => t.replace(/\/\*[^]*?\*\//g, "").split("\n"))
    .filter(l => l.trim() !== "" && !l.trim().startsWith("//")).length;
}

export async function circuitOf(e: Entry): Promise<string> {
  const { files } = emit(await loadDefinition(join(root, fileOf(e)), e.module, e.set));
  return createHash("sha256")
    .update(files.map(f => unbroken(f.text)).join())
    .digest("hex")
    .slice(0, 16);
}

/** The last row of what `mnemo synth` prints is the whole. */
export async function measure(e: Entry): Promise<Figures> {
  const set = e.set.flatMap(s => ["--set", s]);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["cli/mnemo.mjs", "synth", fileOf(e), "--module", e.module, ...set],
    { cwd: root },
  );
  const table = stdout.split("\n\n")[0]?.trimEnd().split("\n") ?? [],
    cells = (line: string | undefined): string[] => (line ?? "").trim().split(/\s{2,}/);
  const names = cells(table[0]),
    row = cells(table.at(-1));
  const figure = (name: string): number => {
    const at = names.indexOf(name);
    if (at < 0) throw new Error(`mnemo synth has no column "${name}"`);
    return Number((row[at] ?? "").replaceAll(",", ""));
  };
  return {
    circuit: await circuitOf(e),
    ...{ lut: figure("LUT"), ff: figure("FF"), memories: figure("BRAM36") },
    ...{ dsp: figure("DSP"), levels: figure("levels") },
  };
}

/** The table of docs/gallery.md. */
export function table(figures: Readonly<Record<string, Figures>>): string {
  const rows = gallery.map(e => {
    const f = figures[e.name];
    const measured = f === undefined ? "? | ? | ? | ? | ?" : [f.lut, f.ff, f.memories, f.dsp, f.levels].join(" | ");
    return `| [${e.title}](../${folderOf(e)}/README.md) | ${linesOf(e)} | ${measured} | ${e.teaches} | \`npx vitest run ${e.name}\` |`;
  });
  return [
    "| design | lines | LUT | FF | BRAM | DSP | levels | what it teaches | command |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
