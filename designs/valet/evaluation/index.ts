export { figureHook } from "./figures.ts";
