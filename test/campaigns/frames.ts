/** Malformed frames at the memory node: each ends as the model says, and nothing is left inside. */
export { piece } from "../designs/clio/rig/node/pieces/frames.ts";
