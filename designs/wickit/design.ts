/** WICKit for the command line; all of it is loaded when a verb needs it. */
import { design } from "../shared/command-line/index.ts";

export const wickit = design({
  name: "wickit",
  title: "WICKit: programs of memory accesses, run where one likes",
  settings: async set => (await import("./config/index.ts")).parseSettings(set),
  build: async settings => (await import("./places/index.ts")).buildOf(settings),
  run: async () => (await import("./rig/index.ts")).runVerb,
  figures: async () => (await import("./evaluation/index.ts")).figureHook,
  proofs: async () => [(await import("./rtl/index.ts")).contextProof],
  synth: async () => {
    const { blocksBeside } = await import("./places/index.ts");
    return { madeOfBlocks: ["ClientWic"], further: blocksBeside, baseline: "constraints/baseline/wickit" };
  },
  lintMatrix: () =>
    Promise.resolve([
      ["contexts=1", "maxInFlight=1", "programDepth=16", "beatBytes=8"],
      ["contexts=64", "maxInFlight=64", "yieldCycles=400", "programDepth=4096", "beatBytes=16", "place=node"],
      ["contexts=2", "mostSteps=1", "replyWords=1", "beatBytes=8", "place=node"],
      ["place=snic"],
      ["contexts=4", "slots=16", "programDepth=64", "replyWords=1", "place=snic"],
    ]),
});
