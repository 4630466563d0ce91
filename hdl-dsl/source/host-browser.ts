/**
 * What the language asks of the runtime under it, here a browser: files are texts that the page provides, and a place
 * in the bundled script is found in its source map.
 */
import { type BundleMap, type Mapped, placesOf } from "./bundle-map.ts";
import type { Position } from "./source-name.ts";

export const sep = "/";
export const dirname = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")));
export const basename = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export function resolve(...parts: readonly string[]): string {
  const out: string[] = [];
  for (const step of parts.reduce((a, b) => (b.startsWith("/") ? b : `${a}/${b}`), "").split("/"))
    if (step === "..") out.pop();
    else if (step !== "" && step !== ".") out.push(step);
  return `/${out.join("/")}`;
}
export const join = resolve;
/** Of a file below the folder, as it is asked for here. */
export const relative = (from: string, to: string): string =>
  to.startsWith(from === "/" ? from : `${from}/`) ? to.slice(from === "/" ? 1 : from.length + 1) : to;

/** A call on the stack, as far as it is looked at. */
export interface Site {
  getFileName(): string | undefined;
  getFunctionName(): string | null;
  getPosition(): number;
}

/** In a bundle the source files stand at their paths from the project's folder. */
export const languageFolder = "/hdl-dsl";
export const plainPath = (f: string): string => f;

const texts = new Map<string, string>();
const places = new Map<string, (line: number, column: number) => Mapped | undefined>();

/** Makes a text known under a path, as the script of that name runs: names of values are read from it. */
export function provideText(path: string, text: string): void {
  texts.set(path, text);
}
/**
 * Source maps by the names of their scripts, without folders. A page sets them before the bundled script runs, for that
 * script begins by defining modules.
 */
const given = globalThis as { readonly mnemosyneMaps?: Readonly<Record<string, BundleMap>> };
for (const [script, map] of Object.entries(given.mnemosyneMaps ?? {})) {
  map.sources.forEach((path, i) => {
    const text = map.sourcesContent?.[i];
    if (typeof text === "string") texts.set(resolve("/", path), text);
  });
  places.set(script, placesOf(map));
}

export const fileExists = (path: string): boolean => texts.has(path);
/** @throws when there is no such file */
export function textOf(path: string): string {
  const text = texts.get(path);
  if (text === undefined) throw new Error(`${path} is not there`);
  return text;
}

interface Frame extends Site {
  readonly position: Position | undefined;
}
const known = new Map<string, Frame>();

/** The frame of a place in a script. */
function frameAt(script: string, name: string, line: number, column: number): Frame {
  const key = `${script}:${line}:${column}`;
  let frame = known.get(key);
  if (frame === undefined) {
    const map = places.get(basename(script)),
      at = map?.(line, column);
    const position =
      map === undefined
        ? { file: script, line, column }
        : at && { file: resolve("/", at.source), line: at.line, column: at.column };
    const offset = known.size;
    frame = {
      position,
      getFileName: () => position?.file,
      getFunctionName: () => name,
      getPosition: () => offset,
    };
    known.set(key, frame);
  }
  return frame;
}

/** `at name (script:line:column)` in Chromium, `name@script:line:column` elsewhere. */
const framePattern = /^\s*(?:at (?:(.*?) \()?|(.*?)@)(.*?):(\d+):(\d+)\)?$/;

/** The frames of a stack: Chromium gives them as objects where it is asked to, which is several times as fast. */
function framesOf(stack: readonly NodeJS.CallSite[] | string): Frame[] {
  if (typeof stack !== "string")
    return stack.flatMap(s => {
      const script = s.getScriptNameOrSourceURL() as string | null | undefined;
      // The runtime's own functions have no script.
      return script === null || script === undefined || script === ""
        ? []
        : [frameAt(script, s.getFunctionName() ?? "", s.getLineNumber() ?? 0, s.getColumnNumber() ?? 0)];
    });
  return stack.split("\n").flatMap(text => {
    const m = framePattern.exec(text);
    return m === null
      ? []
      : [frameAt(m[3] ?? "", (m[1] ?? m[2] ?? "").replace(/ \[as .*$/, ""), Number(m[4]), Number(m[5]))];
  });
}
const asSites = (_e: Error, found: NodeJS.CallSite[]): NodeJS.CallSite[] => found;

function stackFrames(depth: number, below: ((...args: never[]) => unknown) | undefined): Frame[] {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- kept to be put back, never called
  const prepare = Error.prepareStackTrace,
    limit = Error.stackTraceLimit;
  Error.stackTraceLimit = depth;
  Error.prepareStackTrace = asSites;
  const holder: { stack?: unknown } = {};
  try {
    if (below === undefined) holder.stack = new Error().stack;
    else Error.captureStackTrace(holder, below);
    return framesOf((holder.stack ?? "") as readonly NodeJS.CallSite[] | string);
  } finally {
    Error.prepareStackTrace = prepare;
    Error.stackTraceLimit = limit;
  }
}

/** The calls that led to `below`, innermost first, at most `depth`. */
export const sites = (depth: number, below: (...args: never[]) => unknown): readonly Site[] =>
  stackFrames(depth, below);

/** The places of the calls on the stack, those of the language among them. */
export const frames = (depth: number): Position[] =>
  stackFrames(depth + 4, undefined).flatMap(f => (f.position === undefined ? [] : [f.position]));

/** What `read` finds on the stack now: a page has loaded all its modules before anybody asks. */
export function later<T>(read: () => T): () => T {
  const is = read();
  return () => is;
}
