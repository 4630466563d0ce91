/** Figures of replicated commit. */
export { figureHook } from "./figures.ts";
