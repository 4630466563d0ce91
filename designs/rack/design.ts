/** A rack for the command line; all of it is loaded when a verb needs it. */
import { design, UsageError } from "../shared/command-line/index.ts";

export const rack = design({
  name: "rack",
  title: "sNICs in front of memory nodes, with endpoints and lines",
  settings: set =>
    set.length === 0
      ? Promise.resolve(undefined)
      : Promise.reject(new UsageError("a rack has no settings; its setup file has those of each sNIC and node")),
  run: async () => (await import("./rig/index.ts")).runVerb,
  serve: async () => (await import("./rig/index.ts")).serveVerb,
  bench: async () => (await import("./evaluation/index.ts")).benchFigures,
});
