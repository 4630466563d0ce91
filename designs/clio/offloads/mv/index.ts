/** Clio-MV: a multi-version object store at the memory node (paper §4.6). */
import { opcode } from "../../wire/index.ts";
import type { Offload } from "../../offload/index.ts";
import { MultiVersion } from "./multi-version.ts";

export { MultiVersion } from "./multi-version.ts";
/** For a build. */
export const mv: Offload = {
  name: "multi_version",
  opcodes: [opcode.MV_CREATE, opcode.MV_APPEND, opcode.MV_READ, opcode.MV_READ_LATEST, opcode.MV_DELETE],
  once: [opcode.MV_CREATE, opcode.MV_APPEND, opcode.MV_DELETE],
  build: p => MultiVersion(p),
};
