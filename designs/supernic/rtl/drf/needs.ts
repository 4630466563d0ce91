import {
  addressBits,
  type Bit,
  cat,
  constant,
  decode,
  mux,
  node,
  ram,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { allOnes } from "./arithmetic.ts";
import { bankUsers, type DrfParameters, gapBits } from "./parameters.ts";

interface Told {
  readonly need: { readonly valid: Bit; readonly user: UInt; readonly level: UInt };
  /** Users whose demand counts, and the level now: both stay from `look` on until the need has been read. */
  readonly bound: UInt;
  readonly level: UInt;
  /** The least need is to be found anew. */
  readonly look: Bit;
}
/** The next level at which somebody has its demand. */
export interface Need {
  /** How far it is, and whose it is. None: all bits set, and nobody. */
  readonly missing: UInt;
  readonly users: UInt;
}
/** Cycles from `look` to the need. */
export const needLatency = bankUsers + 2;

/** The least need of eight users, one a cycle. */
function bankOf(o: Told, b: number, at: UInt, now: Bit) {
  const bits = addressBits(bankUsers),
    list = ram(uint(f.levelBits), {
      depth: bankUsers,
      collision: "old",
      style: "distributed",
      name: `needs_${b}`,
    });
  const { valid, user, level } = o.need,
    // Few users have one bank.
    isHere = user.width > bits ? valid.and(user.shr(bits).eq(b)) : valid;
  list.write(isHere, user.resize(bits).is(bits), level.is(f.levelBits));
  const least = reg(uint(f.levelBits), { name: `least_${b}` }),
    users = reg(uint(bankUsers), { name: `least_users_${b}` }),
    need = list.readAsync(at.is(bits)),
    mine = o.bound.shr(b * bankUsers).resize(bankUsers),
    counts = node(now.and(mine.shr(at).bit(0)), { name: `counts_${b}` }),
    one = decode(at, bankUsers).is(bankUsers);
  when(o.look, () => {
    least.set(allOnes(f.levelBits).is(f.levelBits));
    users.set(0);
  })
    .elseWhen(counts.and(need.lt(least)), () => {
      least.set(need);
      users.set(one);
    })
    .elseWhen(counts.and(need.eq(least)), () => users.set(users.or(one)));
  return { least: least as UInt, users: users as UInt };
}
type Found = ReturnType<typeof bankOf>;

/** The lesser of two, and the users of both when they are alike. */
function lesser(name: string, a: Found, b: Found): Found {
  const isLess = node(b.least.lt(a.least), { name: `${name}_less` }),
    isSame = node(b.least.eq(a.least), { name: `${name}_same` }),
    only = (list: UInt, on: Bit): UInt => mux(on, list, constant(0, list.width));
  return {
    least: node(mux(isLess, b.least, a.least), { name }),
    users: cat(only(b.users, isLess.or(isSame)), only(a.users, isLess.not())),
  };
}

/** Looks through the needs of all users, eight of a bank one by one, while the gaps of resources are found. */
export function needsOf(p: DrfParameters, o: Told): Need {
  const at = reg(uint(addressBits(bankUsers)), { init: 0, name: "need_at" }),
    looking = reg(uint(1), { init: 0, name: "need_looks" }),
    now = looking.bit(0);
  when(o.look, () => {
    at.set(0);
    looking.set(1);
  }).elseWhen(now, () => {
    at.set(at.add(1));
    when(at.eq(bankUsers - 1), () => looking.set(0));
  });
  const banks = Array.from({ length: Math.ceil(p.users / bankUsers) }, (_, b) => bankOf(o, b, at, now)),
    all = banks.reduce((a, b, i) => lesser(`least_to_${i}`, a, b));
  const beyond = node(all.least.sub(o.level), { name: "need_beyond" }),
    far = beyond.bits(gapBits, beyond.width - gapBits).any(),
    missing = reg(uint(gapBits), { name: "missing" }),
    users = reg(uint(p.users), { name: "needing" });
  missing.set(mux(far, allOnes(gapBits), beyond.trunc(gapBits)).is(gapBits));
  users.set(all.users.resize(p.users).is(p.users));
  return { missing, users };
}
