/** LegoOS's compute side for the command line; all of it is loaded when a verb needs it. */
import { design } from "../shared/command-line/index.ts";

export const legoos = design({
  name: "legoos",
  title: "LegoOS's ExCache in front of Clio nodes",
  // The default cache has 256 MB of lines: those are DRAM. Benches have small ones on chip.
  settings: async set => (await import("./config/index.ts")).parseSettings(set, { lines: "axi" }),
  build: async settings => (await import("./rtl/index.ts")).ExCacheDevice(settings),
  run: async () => (await import("./rig/index.ts")).runVerb,
  figures: async () => (await import("./evaluation/index.ts")).figureHook,
  proofs: async () => (await import("./rtl/index.ts")).legoosProofs,
  synth: () =>
    Promise.resolve({
      madeOfBlocks: ["ExCacheDevice", "ExCache", "ExCacheMisses"],
      further: () => [],
      baseline: "constraints/baseline/legoos",
    }),
  lintMatrix: () =>
    Promise.resolve([
      [
        "lines=chip",
        "sets=4",
        "ways=2",
        "lineBytes=128",
        "misses=2",
        "waiting=2",
        "regions=2",
        "localLines=16",
        "policy=lru",
      ],
      ["sets=64", "ways=8", "flush=serial", "replicas=serial", "unknown=refuse", "misses=16", "waiting=64"],
    ]),
});
