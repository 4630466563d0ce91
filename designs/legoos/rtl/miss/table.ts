import { bit, type Bit, decode, node, reg, struct, uint, type UInt, vec, when } from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import { statusWidth } from "../records/records.ts";

/**
 * One of a miss's requests: whether its answer is wanted, to whom it goes, its newest number, its operation's first.
 */
const Wanted = (p: Parameters) =>
  struct({ need: bit, node: uint(derived(p).nodeBits), id: uint(32), repeats: bit, first: uint(32) });
const Entry = struct({
  active: bit,
  /** Not prepared yet; and then whether it waits for software's word on a region. */
  todo: bit,
  held: bit,
  due: bit,
  /** The look-up knows of the line. */
  told: bit,
});
/** What stands of an entry in use: without values after reset. */
const Detail = struct({
  status: uint(statusWidth),
  writable: bit,
  tries: uint(4),
  time: uint(20),
});

/** The misses under way as the engine has them. */
export function missTable(p: Parameters) {
  const clear = { active: 0, todo: 0, held: 0, due: 0, told: 0 };
  const all = <T>(v: T): T[] => Array.from({ length: p.misses }, () => v);
  const entries = reg(vec(Entry, p.misses), { init: all(clear), name: "entries" }),
    details = reg(vec(Detail, p.misses), { name: "details" }),
    fetch = reg(vec(Wanted(p), p.misses), { name: "fetch" }),
    primary = reg(vec(Wanted(p), p.misses), { name: "primary" }),
    secondary = reg(vec(Wanted(p), p.misses), { name: "secondary" });
  const settled = Array.from({ length: p.misses }, (_, m) =>
    node(fetch.at(m).need.or(primary.at(m).need).or(secondary.at(m).need).not(), { name: `settled_${m}` }),
  );
  return {
    entries,
    details,
    fetch,
    primary,
    secondary,
    /** Does something to one entry, told by its number. */
    at: (miss: UInt, what: (m: number) => void, only?: Bit): void => {
      const chosen = decode(miss, p.misses);
      for (let m = 0; m < p.misses; m++)
        when(only === undefined ? chosen.bit(m) : chosen.bit(m).and(only), () => what(m));
    },
    /** No answer is wanted. */
    settled: (m: number): Bit => settled[m] as Bit,
  };
}
export type MissTable = ReturnType<typeof missTable>;
