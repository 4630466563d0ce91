/** SuperNIC for the command line; all of it is loaded when a verb needs it. */
import { design } from "../shared/command-line/index.ts";

/** Simulated time starts somewhere: 2026-01-01, in nanoseconds since 1970. */
const startOfTime = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;

export const supernic = design({
  name: "supernic",
  title: "the SuperNIC programmable network device",
  settings: async set => (await import("./build/index.ts")).parseSettings(set),
  build: async settings => (await import("./build/index.ts")).buildOf(settings),
  run: async () => (await import("./rig/index.ts")).runVerb,
  serve: async () => (await import("./rig/index.ts")).serveVerb,
  figures: async () => (await import("./evaluation/index.ts")).figureHook,
  bench: async () => (await import("./evaluation/index.ts")).benchFigures,
  explore: async () => (await import("./evaluation/index.ts")).exploreHook,
  proofs: async () => (await import("./rtl/index.ts")).supernicProofs,
  boards: async () => (await import("./board/index.ts")).boardHook,
  lintMatrix: async () => (await import("./build/index.ts")).matrix,
  synth: async () => {
    const { blocksBeside, madeOfBlocks } = await import("./build/index.ts");
    return { madeOfBlocks, further: blocksBeside, baseline: "constraints/baseline/supernic" };
  },
  files: async tools => {
    const { areaPage } = await import("./evaluation/index.ts"),
      { dissectorLua, formatsReference } = await import("./wire/index.ts"),
      { setupReference } = await import("./software/index.ts"),
      { demoCapture, demoSetupText } = await import("./workload/index.ts"),
      { registerReference } = await import("./registers/index.ts"),
      { loopCounterNames, middleCounterNames, portCounterNames } = await import("./rtl/index.ts"),
      { writePcapWithFcs } = await import("../../sim/index.ts"),
      { tool, units } = tools.areas();
    return [
      { path: "generated/supernic.lua", text: dissectorLua() },
      { path: "docs/supernic/area.md", text: areaPage(tool, units) },
      { path: "docs/supernic/formats.md", text: formatsReference() },
      { path: "docs/supernic/setup.md", text: setupReference() },
      {
        path: "docs/supernic/registers.md",
        text: registerReference({
          port: portCounterNames,
          loop: loopCounterNames,
          middle: middleCounterNames,
        }),
      },
      { path: "examples/supernic.setup.json", text: demoSetupText() },
      {
        path: "captures/supernic.pcap",
        text: writePcapWithFcs(
          demoCapture().map(({ time, frame, damaged }) => ({
            timeNs: startOfTime + BigInt(time),
            bytes: frame,
            ...(damaged && { damaged }),
          })),
        ),
      },
    ];
  },
});
