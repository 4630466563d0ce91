/** The nodes behind, as they are configured. */
import { node, onehotMux, reg, type UInt, type Val, when } from "../../../../../hdl-dsl/index.ts";
import { gbnNodes, gbnRow } from "../../../wire/index.ts";
import type { TaskConfig } from "../interface.ts";
import { NodeRow } from "./records.ts";

export type Nodes = readonly Val<typeof NodeRow>[];
/** After a reset there are none. */
export function nodesOf({ valid, at, data }: Val<typeof TaskConfig>): Nodes {
  return Array.from({ length: gbnNodes }, (_, i) => {
    const row = reg(NodeRow, { init: 0, name: `node_${i}` }),
      mine = node(valid.and(at.shr(1).eq(i)), { name: `config_node_${i}` });
    when(mine.andNot(at.bit(0)), () => {
      row.mac.set(data.bits(gbnRow.mac, 48));
      row.port.set(data.bits(gbnRow.port, 4));
    });
    when(mine.and(at.bit(0)), () => {
      row.ip.set(data.bits(gbnRow.ip, 32));
      row.user.set(data.bits(gbnRow.user, 6));
      row.valid.set(data.bit(gbnRow.valid));
    });
    return row;
  });
}
/** MAC and address of one of them. */
export function addressOf(nodes: Nodes, which: UInt) {
  const is = nodes.map((_, i) => which.eq(i));
  return {
    mac: onehotMux(
      is,
      nodes.map(n => n.mac),
    ),
    ip: onehotMux(
      is,
      nodes.map(n => n.ip),
    ),
  };
}
