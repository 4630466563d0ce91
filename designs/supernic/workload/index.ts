/** Frames to try a device with, and the setup that they are made for. */
export { demoCapture, type DemoFrame } from "./demo.ts";
export * from "./frames.ts";
export { demoSetup, demoSetupText } from "./setup.ts";
