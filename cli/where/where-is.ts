import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readSourceMap, type SourceMap } from "../../hdl-dsl/index.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";

/** A line of TypeScript; the text is missing when the source is not at hand. */
export interface SourceLine {
  readonly file: string;
  readonly line: number;
  readonly text: string | undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * The source lines of a line of Verilog, by the map beside the file. A line without an origin of its own belongs to the
 * one before it.
 * @param place `path/to/module.v:120` @param root the project's folder
 * @throws UsageError when there is no such file, line or map.
 */
export function whereIs(place: string, root: string): readonly SourceLine[] {
  const parts = /^(.+?):(\d+)(?::\d+)?$/.exec(place);
  if (parts === null)
    throw new UsageError(
      `"${place}" is no place in a file: give the file and the line, for example generated/library/SkidBuffer_uint32.v:20`,
    );
  const file = parts[1] as string,
    line = Number(parts[2]);
  const verilog = textOf(resolve(file)),
    map = textOf(resolve(`${file}.map`));
  if (verilog === undefined) throw new UsageError(`there is no file ${file}`);
  if (map === undefined)
    throw new UsageError(`there is no map ${file}.map beside ${file}: npx mnemo generate writes it`);
  const lines = verilog.split("\n").length - 1;
  if (line < 1 || line > lines) throw new UsageError(`${file} has ${lines} lines, and no line ${line}`);
  const parsed = JSON.parse(map) as SourceMap,
    origins = readSourceMap(parsed);
  // A map that does not know where it stands speaks of this project.
  const folder = parsed.sourceRoot === "" ? root : resolve(dirname(resolve(file)), parsed.sourceRoot);
  // A file in neither is the library's, in the installed package.
  const sourceLine = (file: string, n: number): string | undefined =>
    (textOf(join(folder, file)) ?? textOf(join(root, file)))?.split("\n")[n - 1]?.trim();
  let at = line;
  while (at > 0 && !origins.has(at)) at--;
  if (at === 0)
    throw new UsageError(
      `line ${line} of ${file} stands before everything that has a source: it is part of the header`,
    );
  const seen = new Set<string>();
  return (origins.get(at) ?? [])
    .filter(o => !seen.has(`${o.source}:${o.line}`) && seen.add(`${o.source}:${o.line}`))
    .map(o => ({ file: o.source, line: o.line, text: sourceLine(o.source, o.line) }));
}
