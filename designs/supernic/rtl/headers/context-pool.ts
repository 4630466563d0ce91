import {
  addressBits,
  bit,
  type Bit,
  constant,
  fromBits,
  input,
  type Inside,
  instance,
  module,
  mux,
  node,
  onehotMux,
  output,
  priority,
  ram,
  reg,
  sink,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { CellList } from "../store/index.ts";

export interface PoolParameters {
  /** Contexts, a power of two of 4 or more. */
  readonly contexts: number;
  readonly users: number;
  /** Users have quotas, and what each holds is counted. Left out: so it is. */
  readonly byUser?: false;
}
export const countsUsers = (p: PoolParameters): boolean => p.byUser !== false;
/** Bits of the number of copies that a packet has beside itself. */
export const copiesBits = 3;
export const contextBits = (p: Pick<PoolParameters, "contexts">): number => Math.log2(p.contexts);
/** Bits of a number of contexts. */
export const contextCountBits = (p: Pick<PoolParameters, "contexts">): number => contextBits(p) + 1;
export const poolUserBits = (p: Pick<PoolParameters, "users">): number => addressBits(p.users);

/** A packet that wants in. */
export const Want = (p: PoolParameters) =>
  struct({
    user: uint(poolUserBits(p)),
    /** Contexts beside its own. */
    copies: uint(copiesBits),
    /** Contexts that must be left free when it is in. */
    keep: uint(contextCountBits(p)),
  });
/** A context for the packet that is in. */
export const Given = (p: PoolParameters) => struct({ valid: bit, ctx: uint(contextBits(p)), last: bit });

/** Of each user: what it may hold, and what it does. */
export const userPorts = (p: PoolParameters) => ({
  quotas: input(vec(uint(contextCountBits(p)), p.users)),
  held: output(vec(uint(contextCountBits(p)), p.users)),
});

/** Bits of how much of a quota is left, as far as one packet can ask for it, and the one just before. */
const slackBits = 5;

const poolPorts = (p: PoolParameters) => ({
  want: sink(Want(p)),
  given: output(Given(p)),
  taken: input(bit),
  avoided: input(struct({ valid: bit, bank: uint(1) })),
  release: input(struct({ valid: bit, ctx: uint(contextBits(p)) })),
  ...(countsUsers(p) ? userPorts(p) : ({} as ReturnType<typeof userPorts>)),
  free: output(uint(contextCountBits(p))),
});
type PoolIo = Inside<ReturnType<typeof poolPorts>>;
/** A packet that enters, and a context that came back a cycle ago. */
interface Entering {
  readonly enters: Bit;
  readonly back: Bit;
  readonly wanted: UInt;
}

/** What is left of a user's quota, at most as much as counts; a cycle late. */
function slackOf(name: string, quota: UInt, held: UInt): UInt {
  const most = 2 ** slackBits - 1,
    left = node(quota.sub(held), { name: `${name}_left` }),
    over = held.gt(quota);
  const slack = reg(uint(slackBits), { init: 0, name: `${name}_slack` });
  const many = left.width > slackBits ? left.shr(slackBits).any() : constant(0, 1);
  slack.set(priority([over, constant(0, slackBits)], [many, constant(most, slackBits)], left.resize(slackBits)));
  return slack;
}

/**
 * Who holds what: all contexts of a packet from when it is taken, each to when it is released. Who holds a context that
 * comes back is known a cycle later. @returns whether the quota of the packet that wants in has room for it
 */
function quotasOf(io: PoolIo, p: PoolParameters, { enters, back, wanted }: Entering): Bit {
  const bits = contextCountBits(p),
    { user, copies } = io.want.payload,
    many = wanted.resize(bits);
  const users = ram(uint(poolUserBits(p)), { depth: p.contexts, collision: "old", style: "distributed" }),
    insideUser = reg(uint(poolUserBits(p))),
    backUser = reg(uint(poolUserBits(p)));
  when(enters, () => insideUser.set(user));
  users.write(io.taken, io.given.ctx, insideUser);
  backUser.set(users.readAsync(io.release.ctx));
  const before = reg(uint(copiesBits + 1), { init: 0, name: "wanted_before" }),
    userBefore = reg(uint(poolUserBits(p)), { name: "user_before" });
  before.set(mux(enters, wanted, constant(0, copiesBits + 1)));
  userBefore.set(user);
  const slacks = Array.from({ length: p.users }, (_, i) => {
    const n = reg(uint(bits), { init: 0, name: `held_by_${i}` }),
      more = node(enters.and(user.eq(i)), { name: `more_of_${i}` }),
      less = node(back.and(backUser.eq(i)), { name: `less_of_${i}` });
    const stays = node(n.sub(less.zext(bits)), { name: `stays_with_${i}` });
    n.set(mux(more, stays.add(many), stays));
    io.held.at(i).set(n);
    return slackOf(`user_${i}`, io.quotas.at(i), n);
  });

  // The slack does not know of the packet before.
  const known = slackBits + 1,
    slack = onehotMux(
      slacks.map((_, i) => user.eq(i)),
      slacks,
    ),
    due = node(mux(userBefore.eq(user), before, constant(0, copiesBits + 1)), { name: "due" });
  return node(slack.zext(known).gt(copies.zext(known).add(due.zext(known))), { name: "quota_allows" });
}

/**
 * The free contexts, even and odd ones in a list each, and how many each user holds. A packet is taken from `want` when
 * its user's quota and the free contexts suffice for it and all its copies, and all are counted then. Without `byUser`
 * there are no quotas, and who holds what is not counted. `given` offers it
 * one after the other in the cycles behind; `taken`, only with a valid one, takes it. It is of the bank `avoided` only
 * when the other one has none, and may change until it is taken. `release` is always taken; a quota sees it 2 cycles
 * later. Latency 1 from `want` to `given`, initiation interval a cycle a context. Reset: all are free, nobody holds
 * any. A context that is released must be out.
 */
export const ContextPool = module(
  "ContextPool",
  poolPorts,
  (io, p) => {
    const bits = contextCountBits(p),
      count = uint(bits);
    const lists = [0, 1].map(b => instance(`list_${b}`, CellList({ cells: p.contexts / 2 })));
    const { release } = io,
      { copies, keep } = io.want.payload;

    // The packet that gets its contexts now.
    const inside = reg(bit, { init: 0 }),
      left = reg(uint(copiesBits));
    const took = io.taken,
      last = node(left.any().not(), { name: "is_last" }),
      room = node(inside.not().or(took.and(last)), { name: "room" });

    const back = reg(bit, { init: 0 });
    back.set(release.valid);
    const enters = node(io.want.fire, { name: "enters" }),
      wanted = node(copies.zext(copiesBits + 1).add(1), { name: "wanted" }),
      // A packet that wants more than there are never enters.
      many = wanted.resize(bits);
    const free = reg(count, { init: p.contexts });
    // Both ends are ready before it is known who enters.
    const stay = node(free.add(back.zext(bits)), { name: "stay_free" });
    free.set(mux(enters, stay.sub(many), stay));
    io.free.set(free);

    const allowed = countsUsers(p) ? quotasOf(io, p, { enters, back, wanted }) : constant(1, 1),
      most = Math.max(bits, copiesBits) + 1,
      enough = node(free.zext(most).gt(copies.zext(most).add(keep.zext(most))), {
        name: "contexts_suffice",
      });
    io.want.ready.set(room.and(allowed).and(enough));
    when(room, () => inside.set(enters));
    when(enters, () => {
      left.set(copies);
    }).elseWhen(took, () => left.set(left.sub(1)));

    // Of the bank that is not avoided, else by turns, and of the other one when it has none.
    const turn = reg(uint(1), { init: 0, name: "turn" }),
      likes = node(mux(io.avoided.valid, io.avoided.bank.not(), turn), { name: "likes" });
    when(took, () => turn.set(io.given.ctx.trunc(1).not()));
    const has = fromBits(lists.map(l => l.offer.valid)),
      bank = node(mux(has.shr(likes).bit(0), likes, likes.not()), { name: "bank" });
    const picks = [bank.eq(0), bank.eq(1)],
      number = onehotMux(
        picks,
        lists.map(l => l.offer.payload),
      );
    io.given.set({
      valid: inside.and(has.any()),
      ctx: number
        .zext(contextBits(p))
        .shl(1)
        .or(bank.zext(contextBits(p))),
      last,
    });
    lists.forEach((list, b) => {
      list.offer.ready.set(took.and(picks[b] ?? took));
      list.back.set({
        valid: release.valid.and(release.ctx.bit(0).eq(b)),
        cell: release.ctx.shr(1).trunc(contextBits(p) - 1),
      });
    });
  },
  { nameOf: p => `ContextPool_c${p.contexts}_u${p.users}${countsUsers(p) ? "" : "_uncounted"}` },
);
