import type { TableWrite } from "../../wire/index.ts";
import type { DeviceConfig, Setup } from "../setup/index.ts";
import { deviceConfig, tableWrites } from "../setup/index.ts";

/** What software may do to a device: its registers and tables, whatever way leads there. */
export interface DeviceDriver {
  /** Plain registers. */
  configure(config: DeviceConfig): Promise<void>;
  /** An entry of a table. */
  write(entry: TableWrite): Promise<void>;
}

/** Brings a fresh device up: tables first, so that no rule or MAC counts before its words are there. */
export async function bringUp(driver: DeviceDriver, setup: Setup): Promise<void> {
  for (const entry of tableWrites(setup)) await driver.write(entry);
  await driver.configure(deviceConfig(setup));
}
