import { type Bit, cat, constant, mux, reg, uint, type UInt, when } from "../../../hdl-dsl/index.ts";

/**
 * Registers with the bytes of a beat that count, and 0 for the others: by the reset of each byte's registers, so that
 * it costs no lookup table a bit. They are loaded with `load`.
 */
export function keptBytes(name: string, data: UInt, keep: UInt, load: Bit): UInt {
  const bytes = Array.from({ length: keep.width }, (_, i) => {
    const byte = reg(uint(8), { name: `${name}_${i}` });
    when(load, () => byte.set(mux(keep.bit(i), data.bits(8 * i, 8), constant(0, 8))));
    return byte;
  });
  return cat(...bytes.reverse()).is(data.width);
}
