/** Fastswap's two queues beside the memory node, for the command line. */
import { design } from "../shared/command-line/index.ts";

export const fastswap = design({
  name: "fastswap",
  title: "page faults before prefetches, in front of the memory node (Fastswap)",
  settings: async set => (await import("./config/index.ts")).parseSettings(set),
  build: async settings => (await import("./build/index.ts")).buildOf(settings),
  run: async () => (await import("./rig/index.ts")).runVerb,
  figures: async () => (await import("./evaluation/index.ts")).figureHook,
  proofs: async () => (await import("./rtl/index.ts")).fastswapProofs,
  lintMatrix: async () => (await import("./build/index.ts")).matrix,
  synth: () =>
    Promise.resolve({
      madeOfBlocks: ["FastswapNode", "PriorityLane"],
      further: () => [],
      baseline: "constraints/baseline/fastswap",
    }),
});
