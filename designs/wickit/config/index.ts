/** Sizes of the engine, and how they are asked for. */
export { contextBits, type EngineParameters, tagBits, usualEngine } from "./parameters.ts";
export { parseSettings, placeNames, type Settings } from "./settings.ts";
