/** Random operations of six clients on the memory node; a network that spoils one frame in ten each way. */
import type { PieceFunction } from "../../cli/campaign/piece-contract.ts";
import { endToEnd } from "../../designs/clio/end-to-end/index.ts";
import { onHardware, tenPercent } from "../designs/clio/rig/node/on-hardware.ts";

export const piece: PieceFunction = ({ seed, count }) =>
  onHardware("campaign", { seed, clients: 6, link: tenPercent }, async ({ clients, address }) => {
    const r = await endToEnd({ clients, address, seed, operations: count });
    const failed = [...r.failed.values()].reduce((a, b) => a + b, 0);
    return { problems: [...r.problems], figures: { operations: r.operations, done: r.done, failed } };
  });
