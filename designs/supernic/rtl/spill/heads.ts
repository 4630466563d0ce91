/** Which heads a ring takes. Page: docs/supernic/spill.md. */
import { bit, type Bit, fromBits, node, orTree, reg, type UInt } from "../../../../hdl-dsl/index.ts";
import { inlets, twoTurns, userClasses } from "../inside/index.ts";
import { spillHeads, type SpillIo } from "./ports.ts";
import type { SpillParameters } from "./records.ts";
import type { Ring } from "./rings.ts";

/** Heads of users by number: inlet and class, and the head itself. */
export const placesOf = (io: SpillIo, p: SpillParameters) =>
  Array.from({ length: spillHeads(p) }, (_, h) => {
    const i = Math.floor(h / userClasses),
      k = h % userClasses,
      head = io.heads.at(i).at(k),
      /** It is the core's, and its gate is closed. */
      isClosed = node(head.valid.and(head.facts.outcome.is("core")).andNot(io.open.bit(h)), {
        name: `is_closed_${h}`,
      });
    return { i, k, h, head, isClosed };
  });
export type Places = ReturnType<typeof placesOf>;

/** Rings that can take a frame of the longest kind, a bit each. */
export const takesFromOf = (p: SpillParameters, rings: readonly Ring[], closing: UInt): UInt =>
  fromBits(rings.map((r, j) => r.room.andNot(r.spoiled).andNot(closing.bit(j)))).is(p.rings);

/**
 * By head: whether its DAG's ring takes it, and whether that is full; as of the cycle before. Of those that may go, one
 * is chosen while `idle`: round robin over inlets, and the classes of each.
 */
export function chooseHead(p: SpillParameters, places: Places, rings: readonly Ring[], takesFrom: UInt, idle: Bit) {
  const looked = places.map(({ head, h, isClosed }) => {
    const asks = reg(bit, { init: 0, name: `asks_ring_${h}` }),
      full = reg(bit, { init: 0, name: `waits_ring_${h}` }),
      match = rings.map((r, j) =>
        node(isClosed.and(r.held).andNot(r.discards).and(r.dag.eq(head.facts.dag)), { name: `is_of_${h}_${j}` }),
      );
    asks.set(orTree(match.map((m, j) => m.and(takesFrom.bit(j)))));
    full.set(orTree(match.map((m, j) => m.andNot(takesFrom.bit(j)))));
    return { asks, full };
  });
  const turn = twoTurns(
      "divert",
      Array.from({ length: inlets(p) }, (_, i) =>
        Array.from({ length: userClasses }, (_, k) =>
          (looked[i * userClasses + k] as (typeof looked)[number]).asks.and(idle),
        ),
      ),
    ),
    chosen = places.map(({ i, k }) => (turn.groups[i] as Bit).and((turn.members[i] as readonly Bit[])[k] as Bit)),
    any = node(orTree(turn.groups), { name: "divert_any" });
  const waits = node(orTree(looked.map(l => l.full)), { name: "waits_for_ring" });
  return { chosen, any, waits, groups: turn.groups, numbers: turn.numbers };
}
