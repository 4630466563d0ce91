/** Packets whose row was written while they were inside: what was made of them has two keys. */
import { bit, type Bit, fromBits, node, reg, uint, type UInt, type Val, when } from "../../../../../hdl-dsl/index.ts";
import { aesKeys } from "../../../wire/index.ts";
import { holds, type KeyDone } from "../aes/index.ts";

const keyBits = Math.log2(aesKeys),
  placeBits = Math.log2(holds);

/**
 * Remembers of each packet inside whether its row has begun anew since it was taken. Tags count up, and no more than
 * 32 packets are inside: so the lowest bits name a packet. Gives that of a tag.
 */
export function spoiledPackets(
  taken: { readonly valid: Bit; readonly tag: UInt; readonly key: UInt },
  begun: Val<typeof KeyDone>,
): (tag: UInt) => UInt<1> {
  const spoils = node(begun.valid.and(begun.key.eq(taken.key)), { name: "spoils_taken" });
  const all = Array.from({ length: holds }, (_, i) => {
    const key = reg(uint(keyBits), { name: `key_of_${i}` }),
      spoiled = reg(bit, { init: 0, name: `spoiled_${i}` });
    when(taken.valid.and(taken.tag.trunc(placeBits).eq(i)), () => {
      key.set(taken.key.is(keyBits));
      spoiled.set(spoils);
    }).elseWhen(begun.valid.and(begun.key.eq(key)), () => spoiled.set(1));
    return spoiled;
  });
  return tag => node(fromBits(all).shr(tag.trunc(placeBits)).bit(0), { name: "is_spoiled" });
}
