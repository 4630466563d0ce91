/** The node's registers, described once: for the RTL, for the slow path's driver, for the C header and for the reference page. */
export { extractField, insertField, isWritable, registerDriver, RegisterError, type RegisterDriver, type FieldKind, type Register, type RegisterField } from "../../../hdl-dsl/index.ts";
export { counterAddress, counterBase, counterBits, fieldPlace, registerAddressBits, registerMap, resetValues, type FieldName, type FieldValues } from "./map.ts";
export { lineRegister, lineStatus, physicalPid } from "./line.ts";
export { defaultMatTable, matAction, matActions, matAddress, matBase, matEntry, matEntryFields, matRules, matWord, matWords, syncOperation, syncOperations, type MatAction, type MatEntryValues, type SyncOperation } from "./match_action.ts";
export { registerHeader, registerReference } from "./reference.ts";
export { socPortGeometry, socPortHeader, socPortMap, socPortReference, socPortValues, type SocPortGeometry } from "./soc_port.ts";
export { gbnBase, gbnCounters, gbnDriver, gbnMap, gbnValues, type GbnCounter } from "./go_back_n.ts";
