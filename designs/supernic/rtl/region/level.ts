import { type Bit, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";

/** A number that goes up and down by one; both in one cycle leave it. */
export function level(name: string, bits: number, up: Bit, down: Bit): UInt {
  const n = reg(uint(bits), { init: 0, name });
  when(up.andNot(down), () => n.set(n.add(1))).elseWhen(down.andNot(up), () => n.set(n.sub(1)));
  return n;
}
