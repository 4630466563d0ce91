/** Hotpot's replicated commit at the memory nodes, for the command line. */
import { design } from "../shared/command-line/index.ts";

export const hotpot = design({
  name: "hotpot",
  title: "replicated commit at the memory nodes (Hotpot)",
  settings: async set => (await import("./config/index.ts")).parseSettings(set),
  build: async settings => (await import("./node/index.ts")).buildOf(settings),
  run: async () => (await import("./rig/index.ts")).runVerb,
  figures: async () => (await import("./evaluation/index.ts")).figureHook,
  synth: async () => {
    const { blocksBeside } = await import("./node/index.ts");
    return { madeOfBlocks: [], further: blocksBeside, baseline: "constraints/baseline/hotpot" };
  },
  lintMatrix: () => Promise.resolve([["contexts=2"], ["contexts=64"], ["place=snic"], ["place=snic", "contexts=16"]]),
});
