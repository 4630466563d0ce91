/** What the device's software answers. */
export { CtrlServer, type CtrlStatistics } from "./ctrl-server.ts";
export { TaskRows } from "./rows.ts";
export { type Sent, SnicSoftware, type SoftwareStatistics } from "./software.ts";
