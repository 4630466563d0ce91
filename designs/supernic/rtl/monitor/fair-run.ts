/** A run of the unit: what goes into it, and where its rates go. */
import {
  type Bit,
  mux,
  node,
  ram,
  reg,
  type StreamIn,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import type { Rate } from "../drf/index.ts";
import { EntryWrite, ownEntry, tableEntry } from "../inside/index.ts";
import { type FairParameters, fairUserBits, fairUsers, tallyBits, userPlaces } from "./parameters.ts";
import type { Demand } from "./records.ts";

/** A list by user. */
export const listOf = <const S extends Parameters<typeof ram>[0]>(
  p: FairParameters,
  name: string,
  shape: S,
  init?: [0],
) =>
  ram(shape, {
    depth: userPlaces(p),
    collision: "old",
    style: "distributed",
    name,
    ...(init && { init }),
  });

/** A run's beats: of each user as soon as its demand is there. */
export function beatsOf(p: FairParameters, demand: Val<ReturnType<typeof Demand>>, begins: Bit) {
  const bits = fairUserBits(p),
    demands = listOf(p, "demand_list", uint(f.rateBits), [0]),
    takes = listOf(p, "taken_list", uint(tallyBits), [0]),
    known = reg(uint(bits + 1), { init: 0, name: "known_demands" }),
    user = reg(uint(bits + 1), { init: fairUsers(p), name: "beat_user" }),
    group = reg(uint(1), { init: 0, name: "beat_group" });
  demands.write(demand.valid, demand.user, demand.bytes);
  takes.write(demand.valid, demand.user, demand.taken);
  when(begins, () => known.set(0)).elseWhen(demand.valid, () => known.set(known.add(1)));
  const there = node(user.lt(known), { name: "beat_is_there" }),
    at = user.trunc(bits);
  return {
    there,
    at,
    group,
    demand: demands.readAsync(at),
    demandOf: (of: UInt): UInt => demands.readAsync(of.is(bits)),
    takenOf: (of: UInt): UInt => takes.readAsync(of.is(bits)),
    done: node(user.eq(fairUsers(p)), { name: "beats_done" }),
    step: (fire: Bit): void => {
      when(begins, () => user.set(0)).elseWhen(fire, () => {
        group.set(group.not());
        when(group.bit(0), () => user.set(user.add(1)));
      });
    },
  };
}

/** Software's entries, and between them the unit's rates with what software has said of their users. */
export function meteredOf(
  p: FairParameters,
  users: Val<ReturnType<typeof EntryWrite<"user">>>,
  rates: StreamIn<ReturnType<typeof Rate>>,
  hardware: Bit,
) {
  const { limited, class: userClass, contexts, cells } = tableEntry("user").fields,
    Said = struct({ limited, class: userClass, contexts, cells }),
    said = listOf(p, "said", Said, [0]),
    metered = reg(EntryWrite("user"), { init: { en: 0 }, name: "metered_q" });
  const { user, bytes } = rates.payload;
  said.write(ownEntry(users, p.users), users.index.resize(fairUserBits(p)).is(fairUserBits(p)), {
    limited: users.value.limited,
    class: users.value.class,
    contexts: users.value.contexts,
    cells: users.value.cells,
  });
  rates.ready.set(users.en.not());
  metered.en.set(users.en.or(rates.fire.and(hardware)));
  metered.index.set(mux(users.en, users.index, user.zext(users.index.width)));
  metered.value.set(mux(users.en, users.value, { ...said.readAsync(user), bytes }));
  return metered;
}
