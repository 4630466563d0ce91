/**
 * Source positions and names, from the stack and the source text: no plugin, no transformer. Raw call sites are
 * cheap and serve as cache keys. Only a new one is mapped to TypeScript: the runtime (tsx, vitest) formats a
 * stack, which applies its source maps. So a position costs microseconds once seen, and is right under the CLI and
 * under vitest alike.
 */
import { basename, dirname, frames, languageFolder, later, plainPath, resolve, sep, type Site, sites } from "./host.ts";
import { type Base, baseOf } from "./literal-base.ts";
import { type Binding, bindingAt, declarationAt, type Position } from "./source-name.ts";

export { later };

/** The folder of the language: `hdl-dsl` of the repository, or `dist/hdl-dsl` of the installed package. */
const language = languageFolder;
const compiled = basename(dirname(language)) === "dist";
/** The repository's or the package's folder. In a package the sources stand beside `dist`: source maps lead there. */
const packageFolder = resolve(language, compiled ? "../.." : "..");
const languageFolders = compiled ? [language, resolve(packageFolder, basename(language))] : [language];
/**
 * Frames in these folders are the language itself, never the user's (`lib` is written in the language, as
 * a user would).
 */
const ownFolders = languageFolders.flatMap(l =>
  ["source", "build", "stream", "queues", "ir", "types", "check", "verilog"].map(f => resolve(l, f) + sep),
);
const ownFiles = languageFolders.flatMap(l => ["emit.ts", "emit.js"].map(f => resolve(l, f)));
const isOwn = (file: string): boolean =>
  ownFolders.some(f => file.startsWith(f)) || ownFiles.includes(file) || file.startsWith("node:");
/** The builders themselves, of values and of types; what they are made of left out. */
const builderFolders = languageFolders.flatMap(l => ["source", "build", "types"].map(f => resolve(l, f) + sep));
const isBuilder = (file: string): boolean => builderFolders.some(f => file.startsWith(f));
/**
 * Code of other packages (a test runner's, say): it gives no names. The package itself may well be in
 * a node_modules folder.
 */
const isForeign = (file: string): boolean =>
  (file.startsWith(packageFolder + sep) ? file.slice(packageFolder.length) : file).includes(`${sep}node_modules${sep}`);

/** A piece of code that runs; `places`: the known offsets in it. */
interface Script {
  readonly file: string;
  readonly own: boolean;
  readonly builder: boolean;
  readonly places: Map<number, Position | undefined>;
}
const scripts = new Map<string, Script>();
function scriptOf(name: string): Script {
  let s = scripts.get(name);
  if (s === undefined) {
    const file = plainPath(name);
    scripts.set(name, (s = { file, own: isOwn(file), builder: isBuilder(file), places: new Map() }));
  }
  return s;
}
/** A call in a script, as it runs: an offset, which costs less than its line and column. */
interface Call {
  readonly script: Script;
  readonly offset: number;
}

/** The call sites that called into this file, innermost first. */
const sitesBelow = (depth: number): readonly Site[] => sites(depth, sitesBelow);

/** The user's calls, innermost first; they end where the module body was entered. */
function userCalls(depth: number, most: number): Call[] {
  const calls: Call[] = [];
  for (const s of sitesBelow(depth)) {
    const name = s.getFileName();
    if (typeof name !== "string") continue;
    const script = scriptOf(name);
    if (script.own) {
      if (calls.length > 0 && s.getFunctionName()?.endsWith("elaborateOnce") === true) break;
      continue;
    }
    calls.push({ script, offset: s.getPosition() });
    if (calls.length === most) break;
  }
  return calls;
}

/** The same frames with the runtime's source maps applied. */
const mappedUserFrames = (depth: number): Position[] => frames(depth).filter(p => !isOwn(p.file));

function positions(depth: number, most: number): (Position | undefined)[] {
  const calls = userCalls(depth, most);
  if (calls.some(c => !c.script.places.has(c.offset))) {
    const frames = mappedUserFrames(depth);
    calls.forEach((c, i) => {
      if (!c.script.places.has(c.offset)) c.script.places.set(c.offset, frames[i]);
    });
  }
  return calls.map(c => c.script.places.get(c.offset));
}

/** Frames looked at for the user's: the language's own calls are few, but for combinators. */
const nearby = 5,
  further = [8, 24];

/** Where the user's code called into the language; undefined when no frame of the user's is on the stack. */
export function userPosition(): Position | undefined {
  const call = userCalls(nearby, 1)[0];
  const known = call?.script.places.get(call.offset);
  if (known !== undefined) return known;
  for (const depth of further) {
    const at = positions(depth, 1)[0];
    if (at !== undefined) return at;
  }
  return undefined;
}

/** Whether the user's code called the builder that runs now, with no combinator in between. */
export function calledByUser(): boolean {
  const caller = sitesBelow(further[0] ?? 8)
    .map(s => s.getFileName())
    .find(name => typeof name === "string" && !scriptOf(name).builder);
  return typeof caller === "string" && !scriptOf(caller).own;
}

const bindings = new Map<Position, Binding>();
function bindingOf(p: Position): Binding {
  let b = bindings.get(p);
  if (b === undefined) bindings.set(p, (b = bindingAt(p)));
  return b;
}

/** Frames looked at for a name that a helper function returns to its caller. */
const callerDepth = 60;

/**
 * The source's name of the value under construction: `const head = reg(...)`, `{ head: reg(...) }` or
 * `this.head = reg(...)` is `head`. A function's result has the name that its caller gives. `inner`: the name belongs
 * to an expression that this value is only a part of (`const out = stage(map(...))`: the map). Undefined where the
 * source gives no name. `at`: where the user is, when that is known already.
 */
export function sourceName(at = userPosition()): { readonly name: string; readonly inner: boolean } | undefined {
  if (at === undefined) return undefined;
  let b = bindingOf(at);
  if (b.kind === "returned") {
    let inner = b.inner;
    for (const p of positions(callerDepth, callerDepth).slice(1)) {
      if (p === undefined || isForeign(p.file)) return undefined;
      b = bindingOf(p);
      inner ||= b.kind !== "none" && b.inner;
      if (b.kind !== "returned") break;
    }
    return b.kind === "named" ? { name: b.name, inner } : undefined;
  }
  return b.kind === "named" ? { name: b.name, inner: b.inner } : undefined;
}

/** Functions that make types begin with a capital letter. */
const isTypeName = (name: string | undefined): boolean => name !== undefined && /^\p{Lu}/u.test(name);

/**
 * The name of the type under construction: `const Request = struct(...)` is `Request`. A function whose name begins
 * with a capital letter names what it returns (`const Beat = (bytes: number) => struct(...)`); that of another one is
 * named by its caller. Undefined where the source gives none, and for what the language itself makes.
 */
export function declaredName(): string | undefined {
  const caller = sitesBelow(nearby)
    .map(s => s.getFileName())
    .find(f => typeof f === "string" && !scriptOf(f).builder);
  if (typeof caller !== "string" || scriptOf(caller).own) return undefined;
  const at = userPosition();
  if (at === undefined) return undefined;
  let d = declarationAt(at);
  if (d?.returned === true && !isTypeName(d.name)) {
    for (const p of positions(callerDepth, callerDepth).slice(1)) {
      d = p === undefined || isForeign(p.file) ? undefined : declarationAt(p);
      if (d?.returned !== true || isTypeName(d.name)) break;
    }
  }
  return d?.returned === true && !isTypeName(d.name) ? undefined : d?.name;
}

/**
 * The name for something that is built now: from the source, else `fallback`; a part of a named
 * expression is `<name>_<fallback>`.
 */
export function nameHere(fallback: string, at = userPosition()): string {
  const n = sourceName(at);
  return n === undefined ? fallback : n.inner ? `${n.name}_${fallback}` : n.name;
}

/** The base in which the user's call writes a number that it gives. */
export const baseHere = (value: bigint): Base | undefined => baseOf(value, userPosition());
