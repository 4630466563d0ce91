/** A piece of a campaign: malformed frames at the node, guided by coverage, as in fuzz.test.ts. */
import type { PieceFunction } from "../../../../../../cli/campaign/piece-contract.ts";
import { makeSettings } from "../../../../../../designs/clio/config/index.ts";
import { fuzzRun } from "../../../../../../designs/clio/rig/node/index.ts";

/** The slow path's turn-round is as short as can be: the hardware is fuzzed here. */
const settings = makeSettings({ slowPathLatency: 8, hashKey: 0x9d39_247e_3377_6d41n });

export const piece: PieceFunction = async ({ seed, count }) => {
  const r = await fuzzRun(settings, { frames: count, seed });
  return {
    problems: [...r.problems],
    figures: { frames: r.frames, served: r.served, cycles: r.cycles, states: r.coverage.states },
  };
};
