import { readFileSync } from "node:fs";
import { join } from "node:path";
import { committedBoardFiles } from "../board/committed.ts";
import { cataloguePage } from "../catalogue/page.ts";
import { makeSettings, parseSettings } from "../../designs/clio/config/index.ts";
import {
  registerHeader,
  registerReference,
  socPortGeometry,
  socPortHeader,
  socPortReference,
} from "../../designs/clio/registers/index.ts";
import { clioNode } from "../../designs/clio/build/index.ts";
import { demoCapture } from "../../designs/clio/workload/index.ts";
import { dissectorLua, wireFormatReference } from "../../designs/clio/wire/index.ts";
import { structureOf } from "../../hdl-dsl/index.ts";
import { writePcap } from "../../sim/index.ts";
import { svgOf } from "../draw/svg.ts";
import { areaPage } from "../synth/page.ts";
import { designs, node, furtherBuilds } from "./designs.ts";
import type { GeneratedFile } from "./files.ts";
import { filesOf } from "./design-files.ts";
import { withExcerpts } from "./excerpts.ts";

/**
 * The Verilog of every design, one file per definition, its source map beside it, and the names of every top. A further
 * build of the node has only the files that the default build lacks. Tools find the rest with the folder of the default
 * build beside its own (`-y generated/clio`).
 */
function verilog(): { readonly path: string; readonly text: string }[] {
  const files = new Map<string, string>();
  for (const d of [...designs(makeSettings().config), ...furtherBuilds()]) {
    for (const f of filesOf(d.emitted, "../../")) {
      const path = `generated/${d.folder}/${f.path}`,
        before = files.get(path);
      if (d.besides !== undefined && files.get(`generated/${d.besides}/${f.path}`) === f.text) continue;
      if (before !== undefined && before !== f.text) throw new Error(`two definitions of ${path} differ`);
      files.set(path, f.text);
    }
  }
  return [...files].map(([path, text]) => ({ path, text }));
}

/** Simulated time starts somewhere: 2026-01-01, in nanoseconds since 1970. */
const startOfTime = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;

/** The capture that `npm start` plays. */
const firstCapture = (): Uint8Array =>
  writePcap(demoCapture().map(f => ({ timeNs: startOfTime + BigInt(f.time), bytes: f.frame })));

/**
 * Everything that is committed and generated. The README's examples are taken from the other files, so it comes last.
 * @param root the project's folder
 */
export function projectFiles(root: string): readonly GeneratedFile[] {
  const texts = [
    ...verilog(),
    { path: "generated/clio.lua", text: dissectorLua() },
    { path: "docs/clio/wire-format.md", text: wireFormatReference() },
    { path: "generated/clio_registers.h", text: registerHeader() },
    { path: "docs/clio/registers.md", text: registerReference() },
    { path: "generated/clio_soc_port.h", text: socPortHeader() },
    { path: "docs/clio/soc-port.md", text: socPortReference(socPortGeometry(makeSettings().config)) },
    ...committedBoardFiles(root),
    { path: "docs/clio/node.svg", text: svgOf(structureOf(clioNode(makeSettings().config))) },
    { path: "docs/area.md", text: areaPage(root) },
    { path: "docs/catalogue.md", text: cataloguePage(root) },
  ];
  const textOf = (path: string): string =>
    texts.find(f => f.path === path)?.text ?? readFileSync(join(root, path), "utf8");
  return [
    ...texts,
    { path: "captures/first.pcap", text: firstCapture() },
    { path: "README.md", text: withExcerpts(readFileSync(join(root, "README.md"), "utf8"), textOf) },
  ];
}

/** The node's files for a configuration of one's own. @param set `key=value` each */
export function nodeFiles(set: readonly string[]): readonly GeneratedFile[] {
  return filesOf(node(parseSettings(set).config), "");
}
