/** Sums, comparisons, shifts and logic of RV32I, chosen by funct3. */
import { type Bit, cat, decode, fromBits, mux, node, onehotMux, repeat, toBits, type UInt } from "mnemosyne";

const reversed = (v: UInt<32>): UInt<32> => fromBits(toBits(v).reverse()).is(32);

/** One shifter to the right: a shift to the left goes through it with its bits in reverse. */
function shifted(a: UInt<32>, by: UInt<5>, left: Bit, arithmetic: Bit): UInt<32> {
  const turned = mux(left, reversed(a), a),
    sign = arithmetic.and(a.bit(31));
  const moved = cat(sign, turned).asSint().shr(by).asUint();
  const low = node(moved.trunc(32), { name: "shifted" });
  return mux(left, reversed(low), low);
}

/** @param alternate SUB in the place of ADD, SRA in the place of SRL */
export function alu(a: UInt<32>, b: UInt<32>, funct3: UInt<3>, alternate: Bit): UInt<32> {
  const sum = a.add(b.xor(repeat(alternate, 32))).add(alternate.zext(32)),
    shift = shifted(a, b.trunc(5), funct3.eq(1), alternate);
  const less = a.asSint().lt(b.asSint()).zext(32),
    below = a.lt(b).zext(32);
  return onehotMux(toBits(decode(funct3, 8)), [sum, shift, less, below, a.xor(b), shift, a.or(b), a.and(b)]);
}

/** Whether a branch is taken: BEQ, BNE, BLT, BGE, BLTU, BGEU by funct3. */
export function condition(a: UInt<32>, b: UInt<32>, funct3: UInt<3>): Bit {
  const order = mux(funct3.bit(1), a.lt(b), a.asSint().lt(b.asSint()));
  return mux(funct3.bit(2), order, a.eq(b)).xor(funct3.bit(0));
}
