/** A piece of a campaign: mixed requests of several processes, as in random.test.ts, judged by the model. */
import type { PieceFunction } from "../../../../../../cli/campaign/piece-contract.ts";
import { makeSettings } from "../../../../../../designs/clio/config/index.ts";
import { randomRun } from "../../../../../../designs/clio/rig/node/index.ts";
import { bernoulli } from "../../../../../../sim/index.ts";

export const piece: PieceFunction = async ({ seed, count }) => {
  const pauses = ["ar", "aw", "w", "r", "b"].map((name, i) => [name, bernoulli(0.1, seed + i)] as const);
  const r = await randomRun("campaign", makeSettings(), {
    requests: count,
    mixture: { seed, pages: 40, stateShare: 0.25 },
    bench: { wave: false },
    ram: { jitter: 30, outOfOrder: true, pause: Object.fromEntries(pauses) },
    mac: { pauseTx: bernoulli(0.1, seed + 5), pauseRx: bernoulli(0.05, seed + 6) },
  });
  return { problems: [...r.problems], figures: { completed: r.completed, cycles: r.cycles, bytes: r.checkedBytes } };
};
