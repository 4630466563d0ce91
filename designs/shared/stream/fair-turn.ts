import {
  type Bit,
  constant,
  fromBits,
  node,
  orTree,
  reg,
  toBits,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";

/**
 * Round robin behind `last`, a bit of those that may ask: the next one that asks is granted. Each grant is a function
 * of the asks and of `last`: one lookup table a grant for three.
 */
export function grantsBehind(name: string, asks: readonly Bit[], last: UInt): readonly Bit[] {
  const n = asks.length;
  const lastBits = toBits(last);
  const before = (i: number, owner: number): Bit =>
    orTree(Array.from({ length: (i - owner - 1 + n) % n }, (_, k) => asks[(owner + 1 + k) % n] ?? constant(0, 1)));
  return asks.map((ask, i) =>
    node(ask.and(orTree(lastBits.map((l, owner) => l.andNot(before(i, owner))))), { name: `${name}_to_${i}` }),
  );
}

/**
 * Who of several may use what they share in this cycle: round robin, the one behind the last served first. Whoever asks
 * until he is served waits for at most one grant of each other. `served`: the grant is used; left out, it always is.
 */
export function fairTurn(name: string, asks: readonly Bit[], served: Bit = orTree(asks)): readonly Bit[] {
  const n = asks.length;
  const last = reg(uint(n), { init: 1, name: `${name}_last` });
  const granted = grantsBehind(name, asks, last);
  when(served, () => last.set(fromBits(granted).is(n)));
  return granted;
}
