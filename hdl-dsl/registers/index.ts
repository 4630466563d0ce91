/** Register maps described once: hardware, C header, TypeScript driver and reference page. */
export { registerDriver, type RegisterBus, type RegisterDriver } from "./driver.ts";
export { fieldMacros, headerFile, macroName, registerHeader, registerMacros } from "./header.ts";
export { busParagraph, fieldBits, registerPage, registerTable } from "./reference.ts";
export {
  extractField,
  hexAddress,
  insertField,
  isWritable,
  register,
  RegisterError,
  registerMap,
  type FieldKind,
  type FieldNames,
  type FieldSpecs,
  type NamedRegister,
  type Register,
  type RegisterField,
  type RegisterMap,
} from "./register.ts";
export { RegisterSlave, type RegisterSlaveParameters, type RegisterSlavePorts } from "./slave.ts";
export { strobed, wordOf } from "./word.ts";
