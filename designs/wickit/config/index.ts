/** Sizes of the engine, and how they are asked for. */
export { contextBits, type EngineParameters, tagBits, usualEngine } from "./parameters.ts";
