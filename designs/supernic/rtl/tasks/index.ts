/** Network tasks: the interface to their wrappers, and the tasks themselves. */
export * from "./interface.ts";
export { delay, type DelayParameters } from "./delay.ts";
export { dummy } from "./dummy.ts";
