/** Modules with one planted mistake each about enumerations and variants, by the code of the message that each must give. */
import { bit, cat, type Def, type Enum, enumOf, input, match, module, output, reg, uint, type UInt, variantOf } from "../../../hdl-dsl/index.ts";

const Verdict = enumOf("Verdict", ["mapped", "absent", "noRights"]);
const Colour = enumOf("Colour", ["red", "green", "blue"]);
const Request = variantOf("Request", { read: uint(8), flush: null });
const io1 = { v: input(Verdict), w: input(Colour), n: input(uint(2)), r: input(Request), y: output(uint(2)), z: output(bit), o: output(Verdict) };
type Io1 = Parameters<Parameters<typeof module<void, typeof io1>>[2]>[0];
const fault = (name: string, body: (io: Io1) => void): Def => module(name, () => io1, io => { io.y.set(0); io.z.set(0); io.o.set("absent"); body(io); })();

export const faults: Readonly<Record<string, Def>> = {
  HDL140_name: fault("NoSuchName", io => { io.o.set("maped" as "mapped"); }),
  HDL140_number: fault("NumberForName", io => { io.o.set(2 as unknown as "mapped"); }),
  HDL140_bits: fault("BitsForName", io => { io.o.set(io.n as unknown as "mapped"); }),
  HDL140_other: fault("OtherEnumeration", io => { io.z.set(io.v.eq(io.w as unknown as "mapped")); }),
  HDL140_init: fault("NoSuchInit", io => { const held = reg(Verdict, { init: "apsent" as "absent" }); held.set(io.v); io.o.set(held); }),
  HDL141_add: fault("AddsToName", io => { io.y.set((io.v as unknown as UInt<2>).add(1)); }),
  HDL141_set: fault("NameForBits", io => { io.y.set(io.v as unknown as UInt<2>); }),
  HDL141_cat: fault("CatOfName", io => { io.z.set(cat(io.v as unknown as UInt<2>, io.n).any()); }),
  HDL142_missing: fault("ArmMissing", io => { match(io.v, { mapped: () => { io.z.set(1); } } as never); }),
  HDL142_unknown: fault("ArmUnknown", io => { match(io.v, { maped: () => { io.z.set(1); }, otherwise: () => undefined } as never); }),
  HDL142_value: fault("ArmWithoutValue", io => { const y = match(io.v, { mapped: () => io.n, absent: () => undefined, noRights: () => 3 }); io.y.set(y); }),
  HDL142_case: fault("CaseMissing", io => { match(io.r, { read: () => { io.z.set(1); } } as never); }),
  HDL142_number: fault("MatchOfNumber", io => { match(io.n as unknown as Enum<"Verdict", "mapped">, { mapped: () => { io.z.set(1); } }); }),
};
