/** Random programs of the language: the evaluator beside the tools. One piece compiles its programs together. */
import type { PieceFunction } from "../../cli/campaign/piece-contract.ts";
import { fuzz } from "../hdl-dsl/fuzz/differential.ts";

/** Programs of one stimulus. */
const together = 500;

export const piece: PieceFunction = async ({ seed, count }) => {
  const { programs, failure } = await fuzz(seed, count, together);
  return { problems: failure === undefined ? [] : [failure], figures: { programs } };
};
