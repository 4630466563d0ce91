/** SuperNIC in simulation: the device with its surroundings, and the verbs of the command line. */
export * from "./device/index.ts";
export { runVerb } from "./run/verb.ts";
export { serveVerb } from "./serve/verb.ts";
export { Stillness } from "./serve/stillness.ts";
