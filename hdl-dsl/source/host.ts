/**
 * What the language asks of the runtime under it, here Node: paths, texts of source files, the call stack. A bundler
 * for browsers takes `host-browser.ts` in its place (`browser` in package.json).
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { sourcePosition } from "./compiled-position.ts";
import type { Position } from "./source-name.ts";

export { basename, dirname, join, relative, resolve, sep } from "node:path";

/** A call on the stack, as far as it is looked at. */
export type Site = Pick<NodeJS.CallSite, "getFileName" | "getFunctionName" | "getPosition">;

/** The folder of the language: `hdl-dsl` of the repository, or `dist/hdl-dsl` of the installed package. */
export const languageFolder = resolve(dirname(fileURLToPath(import.meta.url)), "..");

export const fileExists = (path: string): boolean => existsSync(path);
/** @throws when there is no such file */
export const textOf = (path: string): string => readFileSync(path, "utf8");

/** The path of a script by its name on the stack. */
export const plainPath = (f: string): string => (f.startsWith("file://") ? fileURLToPath(f) : f).replace(/\?.*$/, "");

/** A stack of an earlier moment: its calls, and a holder of its text, which is made when it is asked for. */
interface Held {
  readonly sites: readonly Site[];
  readonly holder: { readonly stack?: string };
}
/** The stack that is read in place of the real one. */
let held: Held | undefined;

/** A stack of so many calls is read at once: what is kept of it would cost more. */
const shallow = 12;

/**
 * What `read` would find on the stack now, found out when it is asked for. While modules are loaded hundreds of types
 * and modules are declared, and few of their places are ever asked for: texts and source maps are what costs.
 */
export function later<T>(read: () => T): () => T {
  const now = sites(shallow, later);
  let value: { readonly is: T } | undefined;
  if (now.length >= shallow) {
    const is = read();
    return () => is;
  }
  const limit = Error.stackTraceLimit,
    holder: { stack?: string } = {};
  Error.stackTraceLimit = shallow;
  Error.captureStackTrace(holder);
  Error.stackTraceLimit = limit;
  return () => {
    if (value !== undefined) return value.is;
    const before = held;
    held = { sites: now, holder };
    try {
      value = { is: read() };
    } finally {
      held = before;
    }
    return value.is;
  };
}

const asSites = (_e: Error, sites: NodeJS.CallSite[]): NodeJS.CallSite[] => sites;

/** The calls that led to `below`, innermost first, at most `depth`. */
export function sites(depth: number, below: (...args: never[]) => unknown): readonly Site[] {
  if (held !== undefined) return held.sites;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- kept to be put back, never called
  const prepare = Error.prepareStackTrace,
    limit = Error.stackTraceLimit;
  Error.stackTraceLimit = depth;
  Error.prepareStackTrace = asSites;
  const holder: { stack?: unknown } = {};
  try {
    Error.captureStackTrace(holder, below);
    return holder.stack as readonly Site[];
  } finally {
    // A full call stack throws here, too: without this the process would be left without readable stacks.
    Error.prepareStackTrace = prepare;
    Error.stackTraceLimit = limit;
  }
}

function stackText(depth: number): string {
  if (held !== undefined) return held.holder.stack ?? "";
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = depth;
  try {
    return new Error().stack ?? "";
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The places of the calls on the stack with the runtime's source maps applied, this file's own among them. */
export function frames(depth: number): Position[] {
  const found: Position[] = [];
  for (const line of stackText(depth + 4).split("\n")) {
    const m = /\(?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+):(\d+)\)?$/.exec(line);
    if (m === null) continue;
    found.push(sourcePosition({ file: plainPath(m[1] as string), line: Number(m[2]), column: Number(m[3]) }));
  }
  return found;
}
