/** What is measured of SuperNIC. */
export { areaPage } from "./area-page.ts";
export { benchFigures } from "./bench/figures.ts";
export { figuresPage } from "./bench/page.ts";
export { exploreHook } from "./explore.ts";
export { figureHook, supernicFigures } from "./figures/index.ts";
