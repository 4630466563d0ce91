/** From a row's key to the powers of its hash key. */
import {
  assertAlways,
  bit,
  type Bit,
  type InstanceOf,
  node,
  reg,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { aesKeys } from "../../../wire/index.ts";
import { blockBits, type KeyDone } from "../aes/index.ts";
import type { KeyAsk } from "./slots.ts";
import type { HashPowers } from "./powers.ts";

const keyBits = Math.log2(aesKeys);
type Done = Val<typeof KeyDone>;

/**
 * When a key has been expanded, its hash key is asked for: the block 0 under it. `wanted` until `asked`; the block
 * comes later, and goes to `powers`. A row that begins meanwhile ends all that: what is under way then is thrown away
 * when it comes.
 */
export function hashKeys(begun: Done & { readonly short: Bit }, expanded: Done, powers: InstanceOf<typeof HashPowers>) {
  const wants = reg(bit, { init: 0, name: "wants_hash_key" }),
    under = reg(bit, { init: 0, name: "hash_key_under_way" }),
    stale = reg(bit, { init: 0, name: "hash_key_is_stale" }),
    short = reg(bit, { name: "hash_key_short" }),
    key = reg(uint(keyBits), { name: "hash_key_of" });
  powers.stops.set(begun.valid);
  const wanted: KeyAsk = { valid: node(wants.andNot(under), { name: "asks_hash_key" }), key, short };
  return {
    wanted,
    /** It is asked for now; `came`: the block is here, and is taken. */
    step: (asked: Bit, came: Bit, block: UInt): void => {
      const fresh = node(came.andNot(stale), { name: "hash_key_comes" });
      powers.from.valid.set(fresh);
      powers.from.payload.set({ key, block: block.is(blockBits) });
      when(asked, () => {
        under.set(1);
        wants.set(0);
      }).elseWhen(came, () => {
        under.set(0);
        stale.set(0);
      });
      when(expanded.valid, () => {
        wants.set(1);
        key.set(expanded.key);
      });
      when(begun.valid, () => {
        wants.set(0);
        short.set(begun.short);
        stale.set(under.or(asked).andNot(came));
      });
      assertAlways(fresh.not().or(powers.from.ready), "no powers are under way when a hash key comes");
    },
  };
}
