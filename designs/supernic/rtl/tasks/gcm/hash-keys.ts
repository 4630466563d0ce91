/** From a row's key to the powers of its hash key. */
import {
  bit,
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
 * When a key has been expanded, its hash key is asked for: the block 0 under it. `wanted` until `asked`; the block comes
 * later, and goes to `powers`. A row that begins meanwhile ends all that: what is under way then is thrown away when it
 * comes.
 */
export function hashKeys(
  begun: Done & { readonly short: UInt<1> },
  expanded: Done,
  powers: InstanceOf<typeof HashPowers>,
) {
  const wants = reg(bit, { init: 0, name: "wants_hash_key" }),
    under = reg(bit, { init: 0, name: "hash_key_under_way" }),
    stale = reg(bit, { init: 0, name: "hash_key_is_stale" }),
    short = reg(bit, { name: "hash_key_short" }),
    key = reg(uint(keyBits), { name: "hash_key_of" });
  powers.stops.set(begun.valid);
  const wanted: KeyAsk = { valid: node(wants.andNot(under), { name: "asks_hash_key" }), key, short };
  return {
    wanted,
    /** `came`: a beat of key stream that was asked for is here, with its first block. */
    step: (asked: UInt<1>, came: UInt<1>, block: UInt): UInt<1> => {
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
      // Its powers are never under way when it comes.
      return stale.or(powers.from.ready);
    },
  };
}
export type HashKeys = ReturnType<typeof hashKeys>;
