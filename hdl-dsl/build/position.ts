/**
 * Source positions and names, from the stack and the source text: no plugin, no transformer.
 * Raw call sites are cheap and serve as cache keys; only a new one is mapped to TypeScript, by asking the runtime (tsx, vitest) to format a
 * stack, which applies its source maps. So a position costs a microsecond once seen, and is right under the CLI and under vitest alike.
 */
import { readFileSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Position } from "../ir/circuit.ts";

const here = dirname(fileURLToPath(import.meta.url));
/** Frames in these folders are the language itself, never the user's. */
const ownFolders = ["build", "stream", "ir", "types", "check", "verilog"].map(f => resolve(here, "..", f) + sep);
const isOwn = (file: string): boolean => ownFolders.some(f => file.startsWith(f)) || file.startsWith("node:");

const plainPath = (f: string): string => (f.startsWith("file://") ? fileURLToPath(f) : f).replace(/\?.*$/, "");

interface RawFrame { readonly file: string; readonly key: string; readonly depth: number }

function rawUserFrame(): RawFrame | undefined {
  const prepare = Error.prepareStackTrace, limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 16;
  Error.prepareStackTrace = (_e, sites) => sites;
  const holder: { stack?: unknown } = {};
  Error.captureStackTrace(holder, rawUserFrame);
  const sites = holder.stack as NodeJS.CallSite[];
  Error.prepareStackTrace = prepare;
  Error.stackTraceLimit = limit;
  for (let depth = 0; depth < sites.length; depth++) {
    const s = sites[depth] as NodeJS.CallSite;
    const name = s.getFileName();
    if (typeof name !== "string") continue;
    const file = plainPath(name);
    if (!isOwn(file)) return { file, key: `${file}:${s.getLineNumber() ?? 0}:${s.getColumnNumber() ?? 0}`, depth };
  }
  return undefined;
}

function mappedUserFrame(): Position | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 20;
  const stack = new Error().stack ?? "";
  Error.stackTraceLimit = limit;
  for (const line of stack.split("\n")) {
    const m = /\(?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+):(\d+)\)?$/.exec(line);
    if (m === null) continue;
    const file = plainPath(m[1] as string);
    if (!isOwn(file)) return { file, line: Number(m[2]), column: Number(m[3]) };
  }
  return undefined;
}

const mapped = new Map<string, Position | undefined>();

/** Where the user's code called into the language; undefined when no frame of the user's is on the stack. */
export function userPosition(): Position | undefined {
  const raw = rawUserFrame();
  if (raw === undefined) return undefined;
  if (!mapped.has(raw.key)) mapped.set(raw.key, mappedUserFrame());
  return mapped.get(raw.key);
}

const sources = new Map<string, readonly string[]>();
function sourceLines(file: string): readonly string[] {
  let lines = sources.get(file);
  if (lines === undefined) {
    try { lines = readFileSync(file, "utf8").split("\n"); } catch { lines = []; }
    sources.set(file, lines);
  }
  return lines;
}

const names = new Map<string, string | undefined>();

/**
 * The name that the source gives to what is being built: `const head = reg(...)`, `{ head: reg(...) }` or `this.head = reg(...)` is `head`.
 * The call is found by its column where the runtime maps columns exactly, otherwise as the nearest call of that function on the line.
 */
export function nameFromSource(p: Position | undefined): string | undefined {
  if (p === undefined) return undefined;
  const key = `${p.file}:${p.line}:${p.column}`;
  if (!names.has(key)) names.set(key, findName(p));
  return names.get(key);
}

function findName(p: Position): string | undefined {
  const lines = sourceLines(p.file);
  const text = lines[p.line - 1];
  if (text === undefined) return undefined;
  // `name = call(` / `name: call(`, the call possibly a method (`store.readSync`), a type annotation allowed.
  const declaration = /([A-Za-z_$][\w$]*)\s*(?::\s*[^=,;(){}]+)?\s*[=:]\s*(?:await\s+)?((?:[A-Za-z_$][\w$]*\s*(?:\.\s*|\([^()]*\)\s*\.\s*))*)([A-Za-z_$][\w$]*)\s*(?:<[^<>]*>)?\(/g;
  let best: { name: string; distance: number } | undefined;
  for (let m = declaration.exec(text); m !== null; m = declaration.exec(text)) {
    const start = m.index + m[0].length - 1 - (m[3] as string).length;   // column (0-based) of the called function's name
    const begin = start - (m[2] as string).length;
    const column = p.column - 1;
    const distance = column >= begin && column <= start + (m[3] as string).length ? 0 : Math.min(Math.abs(column - start), Math.abs(column - begin));
    if (column + 1 < m.index && best !== undefined) continue;
    if (best === undefined || distance < best.distance) best = { name: m[1] as string, distance };
  }
  // An argument of another call (`f(reg(...))`) far from any declaration has no name of its own.
  if (best !== undefined && best.distance <= 8) return best.name;
  const before = (lines[p.line - 2] ?? "").trimEnd();
  const previous = /([A-Za-z_$][\w$]*)\s*(?::\s*[^=]+)?=$/.exec(before);
  return previous !== null && /^\s*[\w$.]+(?:<[^<>]*>)?\(/.test(text) ? previous[1] : best?.name;
}
