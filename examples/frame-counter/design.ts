/** A small design, as an example of what the command line asks of one (docs/add-a-design.md). */
import { design } from "../../designs/shared/command-line/index.ts";
import { parseSettings } from "./settings.ts";

export const frameCounter = design({
  name: "frame-counter",
  title: "a counter of frames with registers (an example)",
  settings: set => Promise.resolve(parseSettings(set)),
  build: async settings => (await import("./frame-counter.ts")).FrameCounter(settings),
  run: async () => (await import("./rig.ts")).runVerb,
  proofs: async () => [(await import("./proof.ts")).frameCounterProof],
  lintMatrix: () => Promise.resolve([["beatBytes=1"], ["beatBytes=64"]]),
});
