/** The lengths of the frames in memory, by place. */
import { ram, uint } from "../../../../../hdl-dsl/index.ts";
import { type GbnStoreParameters, lengthBitsOf, placeBitsOf } from "./ports.ts";

export function lengthsOf(p: GbnStoreParameters) {
  const depth = 2 ** placeBitsOf(p);
  const lengths = ram(uint(lengthBitsOf(p)), {
    depth,
    collision: "undefined",
    style: depth >= 65536 ? "ultra" : "block",
  });
  return lengths;
}
export type Lengths = ReturnType<typeof lengthsOf>;
