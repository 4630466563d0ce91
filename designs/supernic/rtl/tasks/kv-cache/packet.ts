/** The packet that is worked on: what it is, who asks, and which key it is about. */
import { bit, node, reg, uint, type UInt } from "../../../../../hdl-dsl/index.ts";
import { TaskPacket } from "../interface.ts";
import { classify, fieldsOf } from "./classify.ts";
import { Asker, hashBits, keyBits, pendingBits } from "./records.ts";
import { sumOfAddresses } from "./replies.ts";

export const flag = (name: string) => reg(bit, { init: 0, name });

/** Registers; the steps set them. `ages`, `installs`: no packet, but a service of the cache's own. */
export function packetOf(row: UInt) {
  const who = reg(TaskPacket, { name: "who" }),
    fields = fieldsOf(who.header),
    ages = flag("is_ageing"),
    installs = flag("is_installing");
  const addresses = sumOfAddresses(fields.src, fields.dst),
    held = (name: string, sum: UInt): UInt => {
      const q = reg(uint(20), { name });
      q.set(sum.is(20));
      return q;
    };
  const [ofSource, ofDestination] = addresses.pairs;
  return {
    who,
    is: classify(who, row),
    fields,
    read: flag("is_read"),
    write: flag("is_write"),
    unknown: flag("is_unknown"),
    readReply: flag("is_read_reply"),
    writeReply: flag("is_write_reply"),
    tracked: flag("is_tracked"),
    settled: flag("is_settled"),
    fits: flag("value_is_fit"),
    ages,
    installs,
    serves: node(ages.or(installs), { name: "serves" }),
    asker: reg(Asker, { name: "asker" }),
    askerAt: reg(uint(pendingBits), { name: "asker_at" }),
    key: reg(uint(keyBits), { name: "key_of_process" }),
    hash: reg(uint(hashBits), { name: "key_hash" }),
    /** It is decided in this cycle. */
    decides: flag("decides"),
    addressSum: addresses.add(held("source_sum", ofSource), held("destination_sum", ofDestination)),
  };
}
export type PacketState = ReturnType<typeof packetOf>;
