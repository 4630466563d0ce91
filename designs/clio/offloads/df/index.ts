/** Clio-DF: select and aggregate at the memory node (paper §4.6). */
import { opcode } from "../../wire/index.ts";
import type { Offload } from "../../offload/index.ts";
import { DataFrame } from "./data-frame.ts";

export { DataFrame } from "./data-frame.ts";
/** For a build. */
export const df: Offload = {
  name: "data_frame",
  opcodes: [opcode.DF_SELECT, opcode.DF_AGGREGATE],
  build: p => DataFrame(p),
};
