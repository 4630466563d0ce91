/** LegoOS's compute side for the command line; all of it is loaded when a verb needs it. */
import { design } from "../shared/command-line/index.ts";

export const legoos = design({
  name: "legoos",
  title: "LegoOS's ExCache in front of Clio nodes",
  settings: async set => (await import("./config/index.ts")).parseSettings(set),
  build: async settings => (await import("./rtl/index.ts")).ExCache(settings),
  run: async () => (await import("./rig/index.ts")).runVerb,
});
