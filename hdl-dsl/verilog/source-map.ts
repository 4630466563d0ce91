/**
 * Source maps (revision 3) of emitted files: debuggers, `mnemo where` and editors go from a line of Verilog to the
 * TypeScript that made it.
 */
import { dirname, fileExists, join, relative } from "../source/host.ts";
import type { Position } from "../ir/circuit.ts";
import type { SourceMap } from "../types/emitted.ts";
import type { Origin } from "./print.ts";

const roots = new Map<string, string>();

/** The folder of the package that a folder belongs to; the folder itself when there is no package.json above it. */
function packageOf(folder: string): string {
  let root = roots.get(folder);
  if (root === undefined) {
    const above = dirname(folder);
    root = fileExists(join(folder, "package.json")) ? folder : above === folder ? folder : packageOf(above);
    roots.set(folder, root);
  }
  return root;
}

const paths = new Map<string, string>();
/** The path of a source file from its project's folder, with `/`: no machine path in any output. */
export function projectPath(file: string): string {
  let path = paths.get(file);
  if (path === undefined) paths.set(file, (path = relative(packageOf(dirname(file)), file).replaceAll("\\", "/")));
  return path;
}
/** `hdl-dsl/lib/queues/fifo.ts:12`; undefined without a position. */
export const projectPosition = (p: Position | undefined): string | undefined =>
  p === undefined ? undefined : `${projectPath(p.file)}:${p.line}`;

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Base 64 digits of 5 bits, lowest first, sign in the lowest bit. */
function vlq(n: number): string {
  let rest = n < 0 ? -n * 2 + 1 : n * 2,
    text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += BASE64.charAt(rest > 0 ? digit | 32 : digit);
  } while (rest > 0);
  return text;
}

/**
 * The map of a file; `sources` are paths from the project's folder. Columns of the source are not recorded: they depend
 * on the compiler.
 */
export function sourceMap(file: string, origins: readonly Origin[]): SourceMap {
  const numbers = new Map<string, number>();
  let line = 0,
    column = 0,
    source = 0,
    sourceLine = 0,
    mappings = "";
  let first = true;
  for (const o of origins) {
    for (; line < o.line; line++) {
      mappings += ";";
      column = 0;
      first = true;
    }
    const path = projectPath(o.position.file);
    let n = numbers.get(path);
    if (n === undefined) numbers.set(path, (n = numbers.size));
    mappings += `${first ? "" : ","}${vlq(o.column - column)}${vlq(n - source)}${vlq(o.position.line - 1 - sourceLine)}A`;
    column = o.column;
    source = n;
    sourceLine = o.position.line - 1;
    first = false;
  }
  return { version: 3, file, sourceRoot: "", sources: [...numbers.keys()], names: [], mappings };
}

/**
 * One step back: where the lines of a mapped file come from. Lines and source lines count from 1; each line lists its
 * positions from the left.
 */
export function readSourceMap(
  map: Pick<SourceMap, "sources" | "mappings">,
): ReadonlyMap<number, readonly { readonly source: string; readonly line: number }[]> {
  const out = new Map<number, { source: string; line: number }[]>();
  let source = 0,
    sourceLine = 0;
  map.mappings.split(";").forEach((text, n) => {
    for (const segment of text.split(",").filter(s => s !== "")) {
      const [, toSource = 0, toLine = 0] = numbersOf(segment);
      source += toSource;
      sourceLine += toLine;
      const list = out.get(n + 1) ?? [];
      list.push({ source: map.sources[source] ?? "?", line: sourceLine + 1 });
      out.set(n + 1, list);
    }
  });
  return out;
}

function numbersOf(segment: string): number[] {
  const out: number[] = [];
  let value = 0,
    shift = 0;
  for (const c of segment) {
    const digit = BASE64.indexOf(c);
    value |= (digit & 31) << shift;
    if ((digit & 32) !== 0) {
      shift += 5;
      continue;
    }
    out.push((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
    value = shift = 0;
  }
  return out;
}
