/** Rows of keys, as software configures them; who reads them looks at one a cycle. */
import {
  bit,
  constant,
  decode,
  instance,
  mux,
  node,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { aesKeys, aesParts, aesPlace, aesRow } from "../../../wire/index.ts";
import type { TaskConfig } from "../interface.ts";
import { KeyExpansion } from "./keys.ts";

const rowBits = Math.log2(aesKeys),
  partWidth = aesPlace.row;
const Row = struct({ valid: bit, short: bit, template: uint(8), bytes: uint(7), user: uint(6), number: uint(32) });

/** A key of which all is there, for a cycle. */
export const KeyDone = struct({ valid: bit, key: uint(rowBits) });
type Done = Val<typeof KeyDone>;
type Config = Val<typeof TaskConfig>;
/** A word for a part of a row: whether there is one, which part, and of which row. */
function wordOf({ valid, at }: Config, name: string) {
  return {
    ours: node(valid.and(at.shr(partWidth + rowBits).eq(0)), { name }),
    part: at.trunc(partWidth),
    which: at.bits(partWidth, rowBits).is(rowBits),
  };
}

/** MACs of rows that decrypt, as numbers. */
export function macRows(config: Config) {
  const { ours, part, which } = wordOf(config, "mac_is_written"),
    mac = (name: "destination" | "source") => {
      const macs = ram(uint(48), { depth: aesKeys, style: "distributed", collision: "undefined", name });
      macs.write(ours.and(part.eq(aesParts[name])), which, config.data.trunc(48));
      return macs;
    };
  const destinations = mac("destination"),
    sources = mac("source");
  return {
    look: (index: UInt) => ({
      destination: destinations.readAsync(index),
      source: sources.readAsync(index),
    }),
  };
}

/**
 * A row is live when its key has been expanded, 62 cycles after its word. From the word until then it is not, and one
 * that begins while another is expanded leaves that one dead. Reset: no row is live. @param prepared a row's key is
 * ready, where more is to be done than its expansion
 */
export function keyRows(config: Config, prepared?: Done) {
  const { ours, part, which } = wordOf(config, "row_is_written"),
    { data } = config;
  const raw = Array.from({ length: 4 }, (_, i) => reg(uint(64), { name: `key_word_${i}` }));
  raw.forEach((word, i) => when(ours.and(part.eq(aesParts.key + i)), () => word.set(data)));
  const begins = node(ours.and(part.eq(aesParts.row)), { name: "row_begins" }),
    live = reg(uint(aesKeys), { init: 0, name: "live" }),
    rows = ram(Row, { depth: aesKeys, style: "distributed", collision: "undefined", name: "rows" });
  rows.write(begins, which, {
    valid: data.bit(aesRow.valid),
    short: data.bit(aesRow.short),
    template: data.bits(aesRow.template, 8),
    bytes: data.bits(aesRow.bytes, 7),
    user: data.bits(aesRow.user, 6),
    number: data.bits(aesRow.number, 32),
  });

  const keys = instance("expansion", KeyExpansion()),
    [a, b, c, d] = raw.map(word => word.bits(0, 64)) as [UInt, UInt, UInt, UInt];
  keys.from.set({
    valid: begins,
    key: which,
    short: data.bit(aesRow.short),
    value: d.zext(256).shl(192).or(c.zext(256).shl(128)).or(b.zext(256).shl(64)).or(a.zext(256)),
  });
  const none = constant(0, aesKeys);
  // A row that begins now is not live, whatever was done before.
  const { valid: isDone, key: doneKey } = prepared ?? keys.done;
  live.set(
    live
      .or(mux(isDone, decode(doneKey, aesKeys), none))
      .and(mux(begins, decode(which, aesKeys), none).not())
      .is(aesKeys),
  );
  return {
    roundKeys: keys.to,
    /** A row begins now, with a key of AES-128 if `short`; a key has been expanded. */
    begun: { valid: begins, key: which, short: data.bit(aesRow.short) },
    expanded: keys.done,
    /** The row of this number; it counts if `good`. */
    look: (index: UInt) => {
      const row = rows.readAsync(index);
      return {
        row,
        good: node(live.shr(index).bit(0).and(row.valid), { name: "row_is_good" }),
      };
    },
  };
}
