import { type Bit, constant, fromBits, node, orTree, reg, toBits, uint, when } from "../../../hdl-dsl/index.ts";

/**
 * Who of several may use what they share in this cycle: round robin, the one behind the last served first. Whoever asks
 * until he is served waits for at most one grant of each other. Each grant is a function of the asks and of a register
 * as wide as they are: one lookup table a grant for three.
 */
export function fairTurn(name: string, asks: readonly Bit[]): readonly Bit[] {
  const n = asks.length;
  const last = reg(uint(n), { init: 1, name: `${name}_last` });
  const lastBits = toBits(last);
  const before = (i: number, owner: number): Bit =>
    orTree(Array.from({ length: (i - owner - 1 + n) % n }, (_, k) => asks[(owner + 1 + k) % n] ?? constant(0, 1)));
  const granted = asks.map((ask, i) =>
    node(ask.and(orTree(lastBits.map((l, owner) => l.andNot(before(i, owner))))), { name: `${name}_to_${i}` }),
  );
  when(orTree(asks), () => last.set(fromBits(granted).is(n)));
  return granted;
}
