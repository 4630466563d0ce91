import { taskNamed } from "../../../../designs/supernic/build/index.ts";
import { readSetup, type Setup, type SetupSizes } from "../../../../designs/supernic/software/index.ts";
import { demoSetup } from "../../../../designs/supernic/workload/index.ts";

/** Sizes of the default device. */
export const sizes: SetupSizes = {
  ports: 4,
  users: 16,
  contexts: 256,
  cells: 1024,
  regions: 4,
  slots: 4,
  branches: 4,
  credits: 24,
  rules: 32,
  macs: 64,
  frameBytes: 1536,
};
/** A setup of a file's content. @throws ConfigError */
export const setupOf = (file: unknown, of: SetupSizes = sizes): Setup =>
  readSetup(JSON.stringify(file), "setup.json", of, task => taskNamed(task).declared);
export const demo = (): Setup => setupOf(demoSetup);
