/** AIFM's objects in far memory, for the command line; all of it is loaded when a verb needs it. */
import { design } from "../shared/command-line/index.ts";

export const aifm = design({
  name: "aifm",
  title: "objects of 64 B to 64 KB against pages of 4 KB, at the memory node (AIFM over RDMA)",
  settings: async set => (await import("./config/index.ts")).parseSettings(set),
  run: async () => (await import("./rig/index.ts")).runVerb,
  figures: async () => (await import("./evaluation/index.ts")).figureHook,
});
