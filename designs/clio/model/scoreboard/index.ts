/** Judges a run of the node against the model. */
export { type Completed, Scoreboard } from "./scoreboard.ts";
export { frameName } from "./frames.ts";
