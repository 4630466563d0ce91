import { relative, resolve } from "node:path";
import { build } from "esbuild";
import { repository } from "../repository.ts";

/** A script for a browser, and where its parts come from. */
export interface Bundle {
  readonly script: string;
  readonly map: SourceMapContent;
}
export interface SourceMapContent {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly (string | null)[];
  readonly mappings: string;
}

/**
 * Bundles a program for a browser, as any bundler does that heeds `browser` in package.json: no stand-in for a module
 * of Node is put in, so an import of one is an error.
 * @param program its text, with paths from the repository's folder
 */
export async function bundled(program: string): Promise<Bundle> {
  const root = repository("mnemo playground");
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, loader: "ts", sourcefile: "program.ts" },
    bundle: true,
    platform: "browser",
    format: "iife",
    target: "es2022",
    // Awaits become callbacks of promises: a bench's tasks are told apart by them (sim/host-browser.ts).
    supported: { "async-await": false, "async-generator": false, "for-await": false },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "eof",
    sourcemap: "external",
    outdir: root,
    write: false,
    logLevel: "silent",
  });
  const text = (end: string): string => outputFiles.find(f => f.path.endsWith(end))?.text ?? "";
  return { script: text(".js"), map: fromProject(JSON.parse(text(".js.map")) as SourceMapContent, root) };
}

/** The map with paths from the project's folder, and texts of the project's own files only. */
function fromProject(map: SourceMapContent, root: string): SourceMapContent {
  const sources = map.sources.map(s => relative(root, resolve(root, s)).replaceAll("\\", "/"));
  return {
    sources,
    sourcesContent: map.sourcesContent.map((t, i) => (sources[i]?.startsWith("node_modules/") === true ? null : t)),
    mappings: map.mappings,
  };
}
