/** What a WIC does, in plain TypeScript. */
export { crc32Of } from "./crc.ts";
export {
  type Access,
  type AccessAnswer,
  interpret,
  runWic,
  type WicCall,
  type WicMachine,
  type WicOutcome,
} from "./interpret.ts";
export { StretchMemory } from "./memory.ts";
export { type SnicKind, snicKind } from "./snic.ts";
