/** What is measured of the two queues. */
export { fastswapFigures, figureHook } from "./figures.ts";
