/** Valet's migration at the memory node, for the command line; all of it is loaded when a verb needs it. */
import { design } from "../shared/command-line/index.ts";

export const valet = design({
  name: "valet",
  title: "regions that move while their writes are staged, the least active first (Valet)",
  settings: async set => (await import("./config/index.ts")).parseSettings(set),
  run: async () => (await import("./rig/index.ts")).runVerb,
  figures: async () => (await import("./evaluation/index.ts")).figureHook,
});
