/** What the LegoOS paper says of its ExCache, measured here. */
export { figureHook } from "./figures.ts";
