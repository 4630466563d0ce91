import {
  bit,
  type Bit,
  constant,
  fromBits,
  type InstanceOf,
  mux,
  node,
  onehotMux,
  orTree,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ago, counter, numberAgo } from "./arithmetic.ts";
import { type DrfLane, laneLatency } from "./lane.ts";
import { type DrfParameters, groupBitsOf, groupsOf, pitchBits, placeBitsOf, userBitsOf } from "./parameters.ts";

type Lane = InstanceOf<typeof DrfLane>;

/** A user, and a group of resources. */
interface PairValue {
  readonly valid: Bit;
  readonly user: UInt;
  readonly group: UInt;
}
/** The same so many cycles later. */
const pairAgo = (name: string, v: PairValue, cycles: number): PairValue => ({
  valid: ago(`${name}_valid`, v.valid, cycles),
  user: numberAgo(`${name}_user`, v.user, cycles).is(v.user.width),
  group: numberAgo(`${name}_group`, v.group, cycles).is(v.group.width),
});

/** What all lanes are asked, one pair a cycle: shares of all users group by group, then uses user by user. */
export interface Passes {
  /** In the cycle of their answers. */
  readonly shares: PairValue;
  readonly uses: PairValue;
  /** The last use is at its row. */
  readonly done: Bit;
}

/** Asks the lanes. A group's shares wait for its inverses, a user's uses for its pitch. */
export function passesOf(
  p: DrfParameters,
  lanes: readonly Lane[],
  o: { readonly clear: Bit; readonly inverses: readonly Bit[]; readonly pitch: (user: UInt) => Pitch },
): Passes {
  const groups = groupsOf(p),
    byGroup = {
      user: counter("share_user", p.users, userBitsOf(p)),
      group: counter("share_group", groups, groupBitsOf(p)),
    },
    byUser = {
      user: counter("use_user", p.users, userBitsOf(p)),
      group: counter("use_group", groups, groupBitsOf(p)),
    };
  const sharing = reg(uint(1), { init: 0, name: "sharing" }),
    using = reg(uint(1), { init: 0, name: "using" });
  const ready = onehotMux(
      o.inverses.map((_, g) => byGroup.group.value.eq(g)),
      o.inverses,
    ),
    pitch = o.pitch(byUser.user.value);
  const sharesNow = node(sharing.bit(0).and(ready), { name: "shares_now" }),
    usesNow = node(using.bit(0).and(pitch.valid), { name: "uses_now" }),
    sharesEnd = node(sharesNow.and(byGroup.user.last).and(byGroup.group.last), { name: "shares_end" }),
    usesEnd = node(usesNow.and(byUser.user.last).and(byUser.group.last), { name: "uses_end" });
  when(sharesNow, () => {
    byGroup.user.step();
    when(byGroup.user.last, () => byGroup.group.step());
  });
  when(usesNow, () => {
    byUser.group.step();
    when(byUser.group.last, () => byUser.user.step());
  });
  when(o.clear, () => sharing.set(1)).elseWhen(sharesEnd, () => sharing.set(0));
  when(sharesEnd, () => using.set(1)).elseWhen(usesEnd, () => using.set(0));

  const byPitch = using.bit(0),
    user = mux(byPitch, byUser.user.value, byGroup.user.value).is(userBitsOf(p)),
    group = mux(byPitch, byUser.group.value, byGroup.group.value).is(groupBitsOf(p));
  const shares = pairAgo("share", { valid: sharesNow, user, group }, laneLatency),
    uses = pairAgo("use", { valid: usesNow, user, group }, laneLatency),
    place = numberAgo("place", fromBits([...bitsOf(group), ...bitsOf(user)]), laneLatency).is(placeBitsOf(p));
  for (const lane of lanes) {
    lane.ask.set({ byPitch, user, group, pitch: pitch.value });
    lane.keep.set({ valid: shares.valid, place });
  }
  return { shares, uses, done: ago("uses_done", usesEnd, laneLatency + 1) };
}
const bitsOf = (v: UInt): Bit[] => Array.from({ length: v.width }, (_, i) => v.bit(i));

/** A user's largest share, and whether something stops it. */
export const Top = (p: DrfParameters) =>
  struct({ valid: bit, user: uint(userBitsOf(p)), share: uint(f.shareBits), stopped: bit });
type TopValue = Val<ReturnType<typeof Top>>;

/** The larger of each two, and an odd one. */
const larger = (name: string, list: readonly UInt[]): UInt[] =>
  Array.from({ length: Math.ceil(list.length / 2) }, (_, i) => {
    const [a, b] = [list[2 * i] as UInt, list[2 * i + 1]];
    return b === undefined ? a : node(mux(a.gt(b), a, b).is(a.width), { name: `${name}_${i}` });
  });
/** Two rounds of `larger`, behind registers. */
const largerTwice = (name: string, list: readonly UInt[]): UInt[] =>
  larger(`${name}_b`, larger(`${name}_a`, list)).map((v, i) => numberAgo(`${name}_${i}`, v, 1));

/** The largest share of each user: of the lanes, then of the groups. It comes behind its last group. */
export function topsOf(p: DrfParameters, lanes: readonly Lane[], shares: PairValue): TopValue {
  let list = lanes.map(l => l.share as UInt),
    rounds = 0;
  while (list.length > 1) list = largerTwice(`largest_${rounds++}`, list);
  const pair = pairAgo("largest", shares, rounds),
    stopsNow = ago("lane_stops", orTree(lanes.map(l => l.stops)), rounds),
    [largest] = list as [UInt];
  const Kept = struct({ share: uint(f.shareBits), stopped: bit }),
    kept = ram(Kept, {
      depth: 2 ** userBitsOf(p),
      collision: "old",
      style: "distributed",
      name: "tops_so_far",
    });
  const before = kept.readAsync(pair.user),
    isFirst = pair.group.eq(0),
    isLast = pair.group.eq(groupsOf(p) - 1);
  const share = mux(isFirst.or(largest.gt(before.share)), largest.is(f.shareBits), before.share),
    stopped = stopsNow.or(before.stopped.andNot(isFirst));
  kept.write(pair.valid, pair.user, { share, stopped });
  const top = reg(Top(p), { init: { valid: 0 }, name: "top" });
  top.set({ valid: pair.valid.and(isLast), user: pair.user, share, stopped });
  return top;
}

/** Weight by one by the largest share; 0 for who does not rise. */
export interface Pitch {
  readonly valid: Bit;
  readonly value: UInt;
}
/** Keeps pitches, which come in the order of their users. */
export function pitchesOf(
  p: DrfParameters,
  o: {
    readonly clear: Bit;
    readonly answer: { readonly valid: Bit; readonly up: UInt };
    readonly user: UInt;
    readonly weight: UInt;
    readonly rises: Bit;
  },
): (user: UInt) => Pitch {
  const pitches = ram(uint(pitchBits), {
    depth: 2 ** userBitsOf(p),
    collision: "old",
    style: "distributed",
    name: "pitches",
  });
  const product = o.answer.up.resize(f.shareBits).mul(o.weight),
    value = mux(o.rises, product, constant(0, pitchBits)).is(pitchBits),
    valid = ago("pitch_valid", o.answer.valid, 1);
  const user = numberAgo("pitch_user", o.user, 1).is(userBitsOf(p));
  pitches.write(valid, user, numberAgo("pitch", value, 1).is(pitchBits));
  const count = reg(uint(userBitsOf(p) + 1), { init: 0, name: "pitches_there" });
  when(o.clear, () => count.set(0)).elseWhen(valid, () => count.set(count.add(1)));
  return asked => ({ valid: count.gt(asked.zext(count.width)), value: pitches.readAsync(asked) });
}
