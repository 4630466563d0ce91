/** The memory node for the command line; all of it is loaded when a verb needs it. */
import { readFileSync } from "node:fs";
import { design } from "../shared/command-line/index.ts";

/** Simulated time starts somewhere: 2026-01-01, in nanoseconds since 1970. */
const startOfTime = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;

/** The capture that `npm start` plays. */
async function firstCapture(): Promise<Uint8Array> {
  const { demoCapture } = await import("./workload/index.ts"),
    { writePcap } = await import("../../sim/index.ts");
  return writePcap(demoCapture().map(f => ({ timeNs: startOfTime + BigInt(f.time), bytes: f.frame })));
}

const clientInC = ["header", "source"] as const;
/** The C client's file, of which only a part is generated. */
const cFile = (part: (typeof clientInC)[number]): string =>
  `designs/clio/client/c/mnemosyne_clio.${part === "header" ? "h" : "c"}`;
/** A file of this project as it stands. @param path from the project's folder */
const asItStands = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

export const clio = design({
  name: "clio",
  title: "the Clio memory node",
  settings: async set => (await import("./config/index.ts")).parseSettings(set),
  build: async ({ config }) => (await import("./build/index.ts")).clioNode(config),
  run: async () => (await import("./rig/index.ts")).runVerb,
  serve: async () => (await import("./rig/index.ts")).serveVerb,
  figures: async () => (await import("./evaluation/index.ts")).figureHook,
  bench: async () => (await import("./evaluation/index.ts")).benchFigures,
  explore: async () => (await import("./evaluation/index.ts")).exploreHook,
  proofs: async () => [
    ...(await import("./rtl/index.ts")).nodeProofs,
    ...(await import("./offloads/index.ts")).offloadProofs,
  ],
  boards: async () => (await import("./board/index.ts")).boardHook,
  furtherBuilds: [
    { folder: "clio-gbn", set: ["transport=gbn"] },
    { folder: "clio-offloads", set: ["offloads=all"] },
  ],
  lintMatrix: async () => (await import("./build/index.ts")).matrix,
  synth: async () => {
    const { furtherBlocks, madeOfBlocks } = await import("./build/index.ts"),
      { paperTable } = await import("./evaluation/index.ts");
    return {
      madeOfBlocks,
      further: ({ config }) => furtherBlocks(config),
      baseline: "constraints/baseline",
      table: paperTable,
    };
  },
  files: async tools => {
    const { makeSettings } = await import("./config/index.ts"),
      { clioNode } = await import("./build/index.ts"),
      { areaPage } = await import("./evaluation/index.ts"),
      registers = await import("./registers/index.ts"),
      { pythonWire, withCWire } = await import("./client/index.ts"),
      { dissectorLua, wireFormatReference } = await import("./wire/index.ts");
    const { config } = makeSettings(),
      { tool, units } = tools.areas();
    return [
      { path: "generated/clio.lua", text: dissectorLua() },
      { path: "docs/clio/wire-format.md", text: wireFormatReference() },
      { path: "designs/clio/client/python/mnemosyne_clio/wire.py", text: pythonWire() },
      ...clientInC.map(part => ({ path: cFile(part), text: withCWire(asItStands(cFile(part)), part) })),
      { path: "generated/clio_registers.h", text: registers.registerHeader() },
      { path: "docs/clio/registers.md", text: registers.registerReference() },
      { path: "generated/clio_soc_port.h", text: registers.socPortHeader() },
      { path: "docs/clio/soc-port.md", text: registers.socPortReference(registers.socPortGeometry(config)) },
      { path: "docs/clio/node.svg", text: await tools.drawing(clioNode(config)) },
      { path: "docs/area.md", text: areaPage(tool, units) },
      { path: "captures/first.pcap", text: await firstCapture() },
    ];
  },
});
