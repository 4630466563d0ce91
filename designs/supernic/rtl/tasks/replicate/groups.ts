/** The groups of nodes, as they are configured. */
import {
  type Bit,
  constant,
  fromBits,
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
} from "../../../../../hdl-dsl/index.ts";
import { replicaGroups, replicaNodes, replicaPlaces, replicaRow } from "../../../wire/index.ts";
import type { TaskConfig } from "../interface.ts";
import { swapped } from "../ip.ts";
import { groupBits, GroupRow, nodeMask, type NodeRow } from "./records.ts";

type NodeOf = Val<typeof NodeRow>;
const each = <T>(of: (i: number) => T): T[] => Array.from({ length: replicaNodes.most }, (_, i) => of(i));

/** A group that is not configured since the last reset has no nodes. */
export function groupsOf(config: Val<typeof TaskConfig>) {
  const { valid, at, data } = config,
    isNode = node(valid.andNot(at.shr(7).any()), { name: "config_node" }),
    isGroup = node(valid.and(at.shr(groupBits).eq(replicaPlaces.group(0) >> groupBits)), { name: "config_group" }),
    ofNode = at.bits(1, 2),
    group = at.bits(3, groupBits);
  const table = { depth: replicaGroups, collision: "undefined", style: "distributed" } as const,
    tables = each(i => ({
      place: ram(struct({ mac: uint(48), port: uint(4) }), { ...table, name: `places_${i}` }),
      address: ram(uint(32), { ...table, name: `addresses_${i}` }),
    })),
    rows = ram(GroupRow, { ...table, name: "groups" }),
    on = reg(uint(replicaGroups), { init: 0, name: "group_is_on" });
  for (const [i, { place, address }] of tables.entries()) {
    const mine = node(isNode.and(ofNode.eq(i)), { name: `config_node_${i}` });
    place.write(mine.andNot(at.bit(0)), group, { mac: data.trunc(48), port: data.bits(replicaRow.port, 4) });
    address.write(mine.and(at.bit(0)), group, data.trunc(32));
  }
  const row = at.trunc(groupBits).is(groupBits);
  const given = data.bits(replicaRow.nodes, 3),
    // Whatever is written, copies end.
    count = mux(given.gt(replicaNodes.most), constant(replicaNodes.most, 3), given);
  rows.write(isGroup, row, { user: data.trunc(6), nodes: count });
  when(isGroup, () => on.set(on.or(fromBits(Array.from({ length: replicaGroups }, (_, i) => row.eq(i))))));

  const isOn = (g: UInt): Bit => orTree(Array.from({ length: replicaGroups }, (_, i) => g.eq(i).and(on.bit(i))));
  return {
    /** The row of a group. */
    row: (g: UInt) => {
      const { user, nodes } = rows.readAsync(g);
      return { user, nodes: mux(isOn(g), nodes, 0).is(3) };
    },
    nodes: (g: UInt): readonly NodeOf[] =>
      tables.map(({ place, address }) => ({ ...place.readAsync(g), ip: address.readAsync(g) })),
  };
}
export type Groups = ReturnType<typeof groupsOf>;

/** One of them. */
export function nodeOf(nodes: readonly NodeOf[], which: UInt): NodeOf {
  const is = nodes.map((_, i) => which.eq(i)),
    of = <const W extends number>(values: readonly UInt<W>[]): UInt<W> => onehotMux(is, values);
  return { mac: of(nodes.map(n => n.mac)), ip: of(nodes.map(n => n.ip)), port: of(nodes.map(n => n.port)) };
}
/** The nodes that there are, a bit each. */
export const maskOf = (nodes: UInt): UInt => fromBits(Array.from({ length: nodeMask }, (_, i) => nodes.gt(i)));
/** Bytes of a number in the order of the wire. */
export const onWire = (n: UInt): UInt => {
  const words = Array.from({ length: n.width / 16 }, (_, i) => swapped(n.bits(16 * i, 16)));
  return fromBits(words.toReversed().flatMap(w => Array.from({ length: 16 }, (_, b) => w.bit(b))));
};
