/** Figures of replicated commit. */
export { figureHook } from "./figures.ts";
export { measureTask, taskCommit } from "./task-figure.ts";
