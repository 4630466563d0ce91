import { type Bit, constant, decode, mux, node, ram, reg, type UInt, uint, when } from "../../../../hdl-dsl/index.ts";
import { type FairParameters, userPlaces } from "./parameters.ts";

interface Adds {
  readonly valid: Bit;
  readonly user: UInt;
  readonly amount: UInt;
}
/** All that was added for each user since reset, as a number that wraps. */
function sinceReset(name: string, p: FairParameters, { valid, user, amount }: Adds, bits: number) {
  const places = userPlaces(p),
    sums = ram(uint(bits), { depth: places, collision: "old", style: "distributed", name }),
    written = reg(uint(places), { init: 0, name: `${name}_written` });
  const sumOf = (of: UInt, what: string): UInt => {
    const is = node(written.shr(of).bit(0), { name: `${name}_${what}` });
    return mux(is, sums.readAsync(of), constant(0, bits));
  };
  when(valid, () => written.set(written.or(decode(user, places).is(places))));
  sums.write(valid, user, node(sumOf(user, "goes_on").add(amount.zext(bits)), { name: `${name}_sum` }).is(bits));
  return (of: UInt): UInt => sumOf(of, "is_there");
}

/** What a user holds: all that it took, less all that it gave back. Both count from the next cycle on. */
export function heldBy(p: FairParameters, takes: Adds, gives: Adds, bits: number): (user: UInt) => UInt {
  const took = sinceReset("took", p, takes, bits),
    gave = sinceReset("gave", p, gives, bits);
  return user => node(took(user).sub(gave(user)).is(bits), { name: "holds" });
}
