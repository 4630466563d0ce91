/** A device's software before frames come: what a setup writes over the registers. */
import type { SnicDriver } from "../../registers/index.ts";
import { bringUp, type DeviceConfig, type Setup } from "../../software/index.ts";

/** What the registers take of a setup's configuration. */
export const plainConfig = (c: DeviceConfig, number: number) => ({
  mac: c.mac,
  origin: number,
  uplink: c.uplink,
  rings: c.rings,
  urgent: c.urgent,
  ports: c.ports,
  macs: c.ports[0]?.macs ?? 0n,
  epochCycles: c.epoch,
  peers: c.peers,
});
/** Cycles after a reset in which the flow table is cleared entry by entry. */
export const clearingCycles = 2_100;

/** Writes the tables and registers of a setup. */
export const configureDevice = (driver: SnicDriver, setup: Setup): Promise<void> =>
  bringUp(
    {
      configure: c => driver.configure(plainConfig(c, setup.number)),
      write: entry => driver.write([entry]),
    },
    setup,
  );
