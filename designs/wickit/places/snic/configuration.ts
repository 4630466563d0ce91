/** The words of configuration as the engine and its client have them. */
import { bit, node, reg, uint, type UInt, type Val, when } from "../../../../hdl-dsl/index.ts";
import type { TaskConfig } from "../../../supernic/rtl/index.ts";
import { snicLifeBits, snicNodeRow, snicOwnRow, snicPatienceRow, snicPlaces } from "../../wire/index.ts";
import { udpPorts } from "../../../clio/wire/index.ts";

/** Registers; a word counts from the next cycle on. Reset: the task does nothing. */
export function configurationOf(config: Val<typeof TaskConfig>) {
  const held = (name: string, place: number, bits: number): UInt => {
    const q = reg(uint(bits), { init: 0, name });
    when(config.valid.and(config.at.eq(place)), () => q.set(config.data.trunc(bits)));
    return q;
  };
  const row = held("node_row", snicPlaces.node, 43),
    nodeMac = held("node_mac", snicPlaces.nodeMac, 48).is(48),
    mac = held("own_mac", snicPlaces.ownMac, 48).is(48),
    own = held("own_row", snicPlaces.own, 64),
    patience = held("patience", snicPlaces.patience, 64);
  const nodeIp = row.bits(snicNodeRow.ip, 32).is(32),
    ip = own.bits(snicOwnRow.ip, 32).is(32),
    port = own.bits(snicOwnRow.port, 16).is(16),
    pid = own.bits(snicOwnRow.pid, 16).is(16);
  return {
    load: node(config.valid.and(config.at.lt(snicPlaces.node)), { name: "loads" }),
    user: row.bits(snicNodeRow.user, 6),
    nodePort: row.bits(snicNodeRow.port, 4).is(4),
    base: held("base", snicPlaces.base, 64).is(64),
    life: held("life", snicPlaces.life, snicLifeBits),
    client: {
      on: row.bit(snicNodeRow.valid).is(bit.width),
      ...{ mac, ip, port, nodeMac, nodeIp, pid },
      nodePort: udpPorts.native,
      firstId: patience.bits(snicPatienceRow.firstId, 32).is(32),
      timeout: patience.bits(snicPatienceRow.timeout, 24).is(24),
      tries: patience.bits(snicPatienceRow.tries, 8).is(8),
    },
  };
}
export type Configuration = ReturnType<typeof configurationOf>;
