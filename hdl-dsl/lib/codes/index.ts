/** Checks and codes: CRC, sums, error correction, Gray code, shift registers. */
export { InternetChecksum, onesAdd } from "./checksum.ts";
export { Crc32, crc32Next, crc32Step } from "./crc.ts";
export { frameDigest, type Digest } from "./frame-digest.ts";
export { fromGray, toGray } from "./gray.ts";
export {
  secdedCheckBits,
  secdedChecks,
  secdedColumns,
  secdedDecode,
  secdedEncode,
  type SecdedWord,
} from "./hamming.ts";
export { hexWords } from "./hex-words.ts";
export { Lfsr, lfsrStep, lfsrTaps, type LfsrParameters } from "./lfsr.ts";
export { linearMap } from "./linear.ts";
export {
  fieldProduct,
  reedSolomonRoots,
  ReedSolomonSyndromes,
  type ReedSolomonCheck,
  type ReedSolomonParameters,
  type ReedSolomonSymbol,
} from "./reed-solomon.ts";
