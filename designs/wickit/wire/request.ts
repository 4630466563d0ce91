import { layout, num, raw } from "../../shared/wire/index.ts";

/**
 * Body of a WIC request on the wire, in front of its arguments (0 to 8 words, little-endian). It is Clio's `wicBody`,
 * filled up to a word so that arguments stand aligned. `unused` is not looked at.
 */
export const wicHead = layout("wicHead", "WIC request", "le", {
  program: num(16, "program number"),
  unused: raw(48, "any", "hex"),
});
/** Number of no program: a request that brings the image, from the process that may. */
export const loadProgram = 0xffff;
