/** The device as software sees it. */
export { bringUp, type DeviceDriver } from "./driver.ts";
