/** What is bundled with a fault: figures whose measurement needs no device, and the timeline. */
export { figureOf } from "../../../../../../designs/shared/evaluation/index.ts";
export { figure58 } from "../../../../../../designs/supernic/evaluation/figures/5.8.ts";
export { figure510 } from "../../../../../../designs/supernic/evaluation/figures/5.10.ts";
export { figure511 } from "../../../../../../designs/supernic/evaluation/figures/5.11.ts";
export { figure512 } from "../../../../../../designs/supernic/evaluation/figures/5.12.ts";
export { figure513 } from "../../../../../../designs/supernic/evaluation/figures/5.13.ts";
export { figure516 } from "../../../../../../designs/supernic/evaluation/figures/5.16.ts";
export { figure517 } from "../../../../../../designs/supernic/evaluation/figures/5.17.ts";
export { figure518 } from "../../../../../../designs/supernic/evaluation/figures/5.18.ts";
export { timelineFigure } from "../../../../../../designs/supernic/evaluation/figures/parts/timeline.ts";
