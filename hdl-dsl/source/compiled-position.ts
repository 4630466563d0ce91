/**
 * Positions in compiled JavaScript: the package ships JavaScript with a source map beside each file, and not every
 * runtime applies those.
 */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload, type SourceMapping } from "node:module";
import { dirname, resolve } from "node:path";
import type { Position } from "./source-name.ts";

const maps = new Map<string, SourceMap | undefined>();

function mapBeside(file: string): SourceMap | undefined {
  if (maps.has(file)) return maps.get(file);
  let map: SourceMap | undefined;
  try {
    map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload);
  } catch {
    /* none, or not one: the position stays as it is */
  }
  maps.set(file, map);
  return map;
}

const isEntry = (e: object): e is SourceMapping => "originalSource" in e;

/**
 * The place in the source of a place in a `.js` file with a map beside it and its source within reach. Any other place
 * stays as it is.
 */
export function sourcePosition(p: Position): Position {
  const entry = p.file.endsWith(".js") ? mapBeside(p.file)?.findEntry(p.line - 1, p.column - 1) : undefined;
  // Node gives an empty object where nothing was written in the source.
  if (entry === undefined || !isEntry(entry)) return p;
  const file = resolve(dirname(p.file), entry.originalSource);
  return existsSync(file) ? { file, line: entry.originalLine + 1, column: entry.originalColumn + 1 } : p;
}
