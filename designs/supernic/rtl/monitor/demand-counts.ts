/** What a user's demand is made of: what was counted, what holds it back, and what waits. */
import {
  bit,
  type Bit,
  constant,
  decode,
  instance,
  mux,
  node,
  ram,
  reg,
  repeat,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { ago, numberAgo } from "../drf/index.ts";
import { lengthBits } from "../inside/index.ts";
import { type FairParameters, fairUserBits, fairUsers, tallyBits, userPlaces } from "./parameters.ts";
import type { Offered, TakenFrame } from "./records.ts";
import { Tally } from "./tally.ts";

/** What was so at any time in an epoch: its end included. */
export function everOf(name: string, now: UInt, ends: Bit) {
  const width = now.width,
    sofar = reg(uint(width), { init: 0, name: `${name}_so_far` }),
    last = reg(uint(width), { init: 0, name: `${name}_in_epoch` }),
    both = node(sofar.or(now).is(width), { name: `${name}_ever` });
  sofar.set(mux(ends, constant(0, width), both));
  when(ends, () => last.set(both));
  return last;
}

/** What is counted of a user: at each inlet, and what the merge takes. */
interface Counts {
  /** By inlet: offered, kept, and whether there was anything. */
  readonly offered: readonly UInt[];
  readonly kept: readonly UInt[];
  readonly some: readonly Bit[];
  readonly taken: UInt;
}
/** The tallies, a register behind what they count; of this user. */
export function countsOf(
  p: FairParameters,
  o: { readonly offered: readonly Val<typeof Offered>[]; readonly taken: Val<typeof TakenFrame>; readonly ends: Bit },
  user: UInt,
): Counts {
  const userBits = fairUserBits(p),
    ends = ago("ends", o.ends, 1);
  const tally = (name: string, valid: Bit, whose: UInt, amounts: readonly UInt[]) => {
    const it = instance(
      name,
      Tally({ users: fairUsers(p), columns: amounts.length, amountBits: lengthBits, wraps: 1 }),
    );
    it.add.valid.set(ago(`${name}_valid`, valid, 1));
    it.add.user.set(numberAgo(`${name}_user`, whose.resize(userBits), 1).is(userBits));
    amounts.forEach((a, i) => it.add.amounts.at(i).set(numberAgo(`${name}_${i}`, a, 1).is(lengthBits)));
    it.ends.set(ends);
    it.of.set(user.is(userBits));
    return it;
  };
  const offers = o.offered.map(({ valid, kept, user: whose, bytes }, i) =>
    tally(`offers_${i}`, valid, whose, [bytes, mux(kept, bytes, constant(0, lengthBits))]),
  );
  return {
    offered: offers.map(t => t.counts.at(0)),
    kept: offers.map(t => t.counts.at(1)),
    some: offers.map(t => t.some),
    taken: tally("takes", o.taken.valid, o.taken.user, [o.taken.bytes]).counts.at(0),
  };
}

/** What holds a user's frames back at ports, in the epoch that is over. */
interface Held {
  /** By port, classes that were paused. */
  readonly paused: readonly UInt[];
  /** Users whose meter held them. */
  readonly dry: UInt;
  readonly userClass: UInt;
}
/** Ports that hide what they could bring of a user. Each remembers whose frames it has brought. */
export function hiddenOf(
  p: FairParameters,
  user: UInt,
  walks: Bit,
  { paused, dry, userClass }: Held,
  some: readonly Bit[],
) {
  const places = userPlaces(p),
    isDry = node(dry.zext(places).shr(user).bit(0), { name: "was_dry" });
  return paused.map((classes, i) => {
    const users = reg(uint(places), { init: 0, name: `users_of_port_${i}` }),
      wasHere = node(users.shr(user).bit(0), { name: `was_here_${i}` }),
      isPaused = node(classes.shr(userClass).bit(0), { name: `was_paused_${i}` }),
      brought = some[i] as Bit,
      stays = node(brought.or(wasHere.and(isPaused)), { name: `is_here_${i}` }),
      one = decode(user, places);
    when(walks, () =>
      users.set(
        users
          .andNot(one)
          .or(one.and(repeat(stays, places)))
          .is(places),
      ),
    );
    return node(isDry.and(isPaused).and(brought.or(wasHere)), { name: `hides_${i}` });
  });
}

/** What waits in class queues: a list by user, which each walk brings up to date. */
export function backlogOf(p: FairParameters, now: UInt, walks: Bit, ends: Bit) {
  const list = ram(uint(tallyBits), {
      depth: userPlaces(p),
      collision: "old",
      style: "distributed",
      name: "backlogs",
    }),
    isNew = reg(bit, { init: 1, name: "no_backlogs" });
  when(walks.and(ends), () => isNew.set(0));
  return {
    before: mux(isNew, constant(0, tallyBits), list.readAsync(now.is(fairUserBits(p)))),
    write: (en: Bit, user: UInt, bytes: UInt): void => list.write(en, user.is(fairUserBits(p)), bytes.is(tallyBits)),
  };
}
