export { Drf } from "./drf.ts";
export { type DrfParameters } from "./parameters.ts";
