/** Nothing for `milliseconds`: what a campaign itself costs. */
import type { PieceFunction } from "../../cli/campaign/piece-contract.ts";

export const piece: PieceFunction = async ({ count, options }) => {
  await new Promise(done => setTimeout(done, Number(options["milliseconds"] ?? 0)));
  return { figures: { count } };
};
