import { readFileSync } from "node:fs";
import { bit, input, output, sint, uint } from "../../../hdl-dsl/index.ts";
import { fromVerilog } from "../../../sim/index.ts";

/** Hand-written Verilog in the subset that the reader knows. */
export const idioms = fromVerilog(
  "Idioms",
  {
    a: input(uint(8)),
    b: input(uint(8)),
    s: input(sint(6)),
    t: input(sint(6)),
    n: input(uint(4)),
    go: input(bit),
    // Not in the order of the text.
    late: output(uint(8)),
    sums: output(uint(16)),
    logicBits: output(uint(32)),
    signs: output(uint(48)),
    chosen: output(uint(32)),
    held: output(uint(8)),
    kept: output(uint(8)),
    bits: output(uint(16)),
    word: output(uint(16)),
    below: output(uint(8)),
    constants: output(uint(12)),
  },
  readFileSync(new URL("idioms.v", import.meta.url), "utf8"),
);
