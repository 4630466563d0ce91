import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeSettings, parseSettings } from "../../designs/clio/config/index.ts";
import { dissectorLua, wireFormatReference } from "../../designs/packets/index.ts";
import { designs, node } from "./designs.ts";
import type { GeneratedFile } from "./files.ts";
import { withExcerpts } from "./excerpts.ts";

/** The Verilog of every design, one file per definition. */
function verilog(): GeneratedFile[] {
  const files = new Map<string, string>();
  for (const d of designs(makeSettings().config)) {
    for (const f of d.emitted.files) {
      const path = `generated/${d.folder}/${f.name}`, before = files.get(path);
      if (before !== undefined && before !== f.text) throw new Error(`two definitions of ${path} differ`);
      files.set(path, f.text);
    }
  }
  return [...files].map(([path, text]) => ({ path, text }));
}

/**
 * Everything that is committed and generated. The README's examples are taken from the other files, so it comes last.
 * @param root the project's folder
 */
export function projectFiles(root: string): readonly GeneratedFile[] {
  const files: GeneratedFile[] = [
    ...verilog(),
    { path: "generated/clio.lua", text: dissectorLua() },
    { path: "docs/wire-format.md", text: wireFormatReference() },
  ];
  const textOf = (path: string): string => files.find((f) => f.path === path)?.text ?? readFileSync(join(root, path), "utf8");
  return [...files, { path: "README.md", text: withExcerpts(readFileSync(join(root, "README.md"), "utf8"), textOf) }];
}

/** The node's files for a configuration of one's own. @param set `key=value` each */
export function nodeFiles(set: readonly string[]): readonly GeneratedFile[] {
  return node(parseSettings(set).config).files.map((f) => ({ path: f.name, text: f.text }));
}
