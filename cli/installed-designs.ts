/**
 * The designs of the installed command, in place of `designs.ts`: those of packages that the project above the working
 * directory depends on, and the project's own. Such a package says in its manifest where its design is:
 * `"mnemosyne": { "design": "./dist/design.js" }`, a module that exports what `design(...)` gives.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Design } from "../designs/shared/command-line/index.ts";
import { frameCounter } from "../examples/frame-counter/design.ts";

interface Manifest {
  readonly name?: string;
  readonly mnemosyne?: { readonly design?: unknown };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifestOf(path: string): Manifest {
  try {
    // What is used of it is checked where it is used.
    return (JSON.parse(readFileSync(path, "utf8")) ?? {}) as Manifest;
  } catch {
    return {};
  }
}

/** The nearest manifest at or above the folder. */
function manifestAbove(from: string): string | undefined {
  const path = join(from, "package.json");
  if (existsSync(path)) return path;
  return dirname(from) === from ? undefined : manifestAbove(dirname(from));
}

/** Manifests of the project and of what it names, in its order. */
function manifests(): readonly string[] {
  const own = manifestAbove(process.cwd());
  if (own === undefined) return [];
  const { dependencies = {}, devDependencies = {} } = manifestOf(own),
    { resolve } = createRequire(own);
  const found = Object.keys({ ...dependencies, ...devDependencies }).flatMap(name => {
    try {
      return [resolve(`${name}/package.json`)];
    } catch {
      // Not installed, or it does not show its manifest: no design of ours.
      return [];
    }
  });
  return [own, ...found];
}

const isDesign = (v: unknown): v is Design =>
  typeof v === "object" && v !== null && "name" in v && "title" in v && typeof v.name === "string";

async function designsOf(manifest: string): Promise<readonly Design[]> {
  const { name = manifest, mnemosyne } = manifestOf(manifest),
    at = mnemosyne?.design;
  if (typeof at !== "string") return [];
  try {
    const file = pathToFileURL(join(dirname(manifest), at)).href;
    return Object.values((await import(file)) as Readonly<Record<string, unknown>>).filter(isDesign);
  } catch (e) {
    // The other designs, and verbs that need none, still serve.
    const why = e instanceof Error ? e.message.split("\n")[0] : String(e);
    console.error(`mnemo: the design of ${name} (${at}) cannot be loaded: ${why}`);
    return [];
  }
}

const installed = (await Promise.all(manifests().map(designsOf))).flat(),
  [first, ...others] = installed;

export const designs: readonly [Design, ...Design[]] =
  first === undefined ? [frameCounter] : [first, ...others, frameCounter];
/** What is said, behind the names of the designs, to who named another one. */
export const otherDesigns = " Others are packages: npm i mnemosyne-<design>.";
