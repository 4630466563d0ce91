/**
 * The node's registers, described once: for the RTL, for the slow path's driver, for the C header and for
 * the reference page.
 */

export {
  counterAddress,
  counterBase,
  counterBits,
  fieldPlace,
  registerAddressBits,
  registerMap,
  registersOf,
  resetValues,
  type FieldName,
  type FieldValues,
} from "./map.ts";
export { lineRegister, lineStatus, physicalPid } from "./line.ts";
export {
  defaultMatTable,
  matAction,
  matActions,
  matAddress,
  matBase,
  matEntry,
  matEntryFields,
  matRules,
  matWord,
  matWords,
  syncOperation,
  syncOperations,
  type MatAction,
  type MatEntryValues,
  type SyncOperation,
} from "./match-action.ts";
export { registerHeader, registerReference } from "./reference.ts";
export {
  socPortGeometry,
  socPortHeader,
  socPortMap,
  socPortReference,
  socPortValues,
  type SocPortGeometry,
} from "./soc-port.ts";
export { gbnBase, gbnCounters, gbnDriver, gbnMap, gbnValues, type GbnCounter } from "./go-back-n.ts";
/** Parts of a register map that a driver needs, for software that knows no hardware. */
export { extractField, insertField, registerDriver, type RegisterDriver } from "../../../hdl-dsl/index.ts";
