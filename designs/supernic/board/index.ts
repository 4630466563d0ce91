/** The device on boards: what stands between it and vendors' MACs, clocks and processors. */
export { boardDevice } from "./board-device.ts";
export { boardHook } from "./board-hook.ts";
