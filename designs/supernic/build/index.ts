/** What of SuperNIC can be built, and how it is named on the command line. */
export {
  blocksBeside,
  blockNames,
  buildOf,
  madeOfBlocks,
  parseSettings,
  type Settings,
  twoPortBlocks,
  twoPortEnding,
} from "./blocks.ts";
export {
  boardPagesOf,
  type DeviceBuild,
  deviceOf,
  deviceSizes,
  memoryOf,
  parseDevice,
  sizesOf,
  spillOf,
  tasksOf,
} from "./device.ts";
export { taskNamed } from "./tasks.ts";
export { matrix } from "./matrix.ts";
