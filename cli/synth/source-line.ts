import { basename } from "node:path";
import { type EmittedFile, readSourceMap } from "../../hdl-dsl/index.ts";

/** Of each mapped file, the TypeScript line of its lines. */
const maps = new WeakMap<object, ReadonlyMap<number, readonly { readonly source: string; readonly line: number }[]>>();
function mapOf(f: EmittedFile): ReadonlyMap<number, readonly { readonly source: string; readonly line: number }[]> {
  let map = maps.get(f);
  if (map === undefined) maps.set(f, (map = f.map === undefined ? commentsOf(f.text) : readSourceMap(f.map)));
  return map;
}

/** Without a map, the comments at the ends of the lines. */
function commentsOf(text: string): ReturnType<typeof readSourceMap> {
  return new Map(
    text.split("\n").flatMap((l, n) => {
      const [, source, line] = /\/\/ ([\w.-]+\.ts):(\d+)$/.exec(l) ?? [];
      return source === undefined ? [] : [[n + 1, [{ source, line: Number(line) }]] as const];
    }),
  );
}

/** Whether a line goes on with what the line before began. */
const goesOn = (before: string, line: string): boolean =>
  /^\s*[|&^}]/.test(line) || /[,={:(|&^]$/.test(before.replace(/ *\/\/.*$/, ""));

/**
 * The TypeScript line of a place in the Verilog, from the file's map: of its line, else of the line that its statement
 * begins in. What has no source, because it is a part of something, has the line of its use, which follows.
 * @param src `file.v:12`
 */
export function sourceLine(files: readonly EmittedFile[], src: string | undefined): string | undefined {
  const [name, number] = src?.split(":") ?? [];
  const file = files.find(f => f.name === name);
  if (file === undefined) return undefined;
  const map = mapOf(file),
    lines = file.text.split("\n"),
    textOf = (n: number): string => lines[n - 1] ?? "";
  const told = (n: number): string | undefined => {
    const at = map.get(n)?.[0];
    return at === undefined ? undefined : `${basename(at.source)}:${at.line}`;
  };
  const line = Number(number);
  if (/^\s*(?:input|output)\b/.test(textOf(line))) return told(line);
  let first = line;
  while (first > 1 && told(first) === undefined && goesOn(textOf(first - 1), textOf(first))) first--;
  const begun = told(first);
  if (begun !== undefined) return begun;
  for (let n = line; n < line + 300 && n <= lines.length; n++) {
    const found = told(n);
    if (found !== undefined) return found;
  }
  return undefined;
}
