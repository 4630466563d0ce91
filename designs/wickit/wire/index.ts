/** What a WIC is on paper: instructions, hashes, requests. */
export * from "./instructions.ts";
export { hashConstant, hashPolynomials, hashStep } from "./hash.ts";
export { loadProgram, wicHead } from "./request.ts";
export {
  slotHash,
  snicLifeBits,
  snicNodeRow,
  snicOwnRow,
  snicPatienceRow,
  snicPlaces,
  snicTick,
  type SnicWicConfig,
  snicWords,
} from "./snic.ts";
