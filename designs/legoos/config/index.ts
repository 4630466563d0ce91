/** How an ExCache is built. */
export {
  asidBits,
  beatBytes,
  derived,
  makeParameters,
  parametersSchema,
  type Parameters,
  parseSettings,
  regionShift,
  vaBits,
} from "./parameters.ts";
