import {
  addressBits,
  bit,
  type Bit,
  cat,
  constant,
  decode,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { saturated } from "../drf/index.ts";
import { tallyBits } from "./parameters.ts";

export interface TallyParameters {
  readonly users: number;
  readonly columns: number;
  /** Bits of what is added at once. */
  readonly amountBits: number;
  /** The last columns that wrap; the others stay at their largest number. */
  readonly wraps: number;
}

/** Users whose place has been written since a half began. */
function writtenOf(name: string, users: number, adds: Bit, user: UInt, clear: Bit) {
  const written = reg(uint(users), { init: 0, name });
  when(clear, () => written.set(0)).elseWhen(adds, () => written.set(written.or(decode(user, users).is(users))));
  return written;
}

/**
 * Counts by user, of this epoch and of the one before (docs/supernic/monitors.md). What comes in the cycle of `ends`
 * counts for the epoch that ends; `counts` has it from the next cycle on, until `ends` comes again. Latency: an amount
 * is added in its cycle, initiation interval 1; `counts` are of the user `of` in the same cycle. Nothing waits. Reset:
 * all counts are 0.
 */
export const Tally = module(
  "Tally",
  (p: TallyParameters) => ({
    add: input(struct({ valid: bit, user: uint(addressBits(p.users)), amounts: vec(uint(p.amountBits), p.columns) })),
    ends: input(bit),
    of: input(uint(addressBits(p.users))),
    counts: output(vec(uint(tallyBits), p.columns)),
    /** The user has added something in the epoch that has ended. */
    some: output(bit),
  }),
  (io, p) => {
    const places = 2 ** addressBits(p.users),
      half = reg(bit, { init: 0, name: "half" }),
      { valid, user, amounts } = io.add;
    when(io.ends, () => half.set(half.not()));
    // The half that has been read begins anew.
    const writtenAs = (h: number, is: Bit) =>
        writtenOf(`written_${h}`, places, valid.and(is), user, io.ends.andNot(is)),
      low = writtenAs(0, half.not()),
      high = writtenAs(1, half),
      now = node(mux(half, high, low).is(places), { name: "written_now" }),
      before = node(mux(half, low, high).is(places), { name: "written_before" }),
      goesOn = node(now.shr(user).bit(0), { name: "goes_on" }),
      isThere = node(before.shr(io.of).bit(0), { name: "is_there" });
    for (let c = 0; c < p.columns; c++) {
      const counts = ram(uint(tallyBits), {
        depth: 2 * places,
        collision: "old",
        style: "distributed",
        name: `list_${c}`,
      });
      const at = cat(half, user),
        so = mux(goesOn, counts.readAsync(at), constant(0, tallyBits)),
        wide = node(so.zext(tallyBits + 1).add(amounts.at(c).zext(tallyBits + 1)), { name: `sum_${c}` }),
        sum = c < p.columns - p.wraps ? saturated(`sum_${c}`, wide, tallyBits) : wide.trunc(tallyBits);
      counts.write(valid, at, sum.is(tallyBits));
      io.counts.at(c).set(mux(isThere, counts.readAsync(cat(half.not(), io.of)), constant(0, tallyBits)));
    }
    io.some.set(isThere);
  },
  { nameOf: p => `Tally_u${p.users}_n${p.columns}_a${p.amountBits}_w${p.wraps}` },
);
