/** Setup files: what they may say, what it means, and what software writes for it. */
export { type DeviceConfig, deviceConfig, type PortConfig } from "./device-config.ts";
export { setupReference } from "./reference.ts";
export { readSetup, resolveSetup } from "./resolve.ts";
export { type SetupFile, setupSchema } from "./schema.ts";
export {
  type Balancer,
  type Branch,
  type Chain,
  type Dag,
  type DeclaredOf,
  everyPort,
  loopPort,
  type Nat,
  type Peer,
  type PeerWay,
  type Setup,
  type SetupPort,
  type SetupRule,
  type SetupSizes,
  type Station,
  type Tunnel,
  type User,
} from "./setup.ts";
export { checkPlan } from "./plan.ts";
export { Refuse } from "./refuse.ts";
export {
  dagWrites,
  macEntries,
  ruleWrites,
  slotTimes,
  tableWrites,
  taskWords,
  taskWrite,
  uidValues,
  wayWrites,
} from "./writes.ts";
