/** The words of configuration as the task has them. */
import { bit, decode, mux, node, ram, reg, struct, uint, type UInt, type Val, when } from "../../../hdl-dsl/index.ts";
import type { TaskConfig } from "../../supernic/rtl/index.ts";
import { taskNodes, taskPlaces, taskRows, taskTimeBits } from "../wire/index.ts";
import { nodeBits } from "./records.ts";

/** Registers, and two small memories of nodes; a word counts from the next cycle on. Reset: nobody is known. */
export function configurationOf(config: Val<typeof TaskConfig>) {
  const { valid, at, data } = config,
    writes = (place: number) => node(valid.and(at.eq(place)), { name: `config_${place}` });
  const held = (name: string, place: number, bits: number): UInt => {
    const q = reg(uint(bits), { init: 0, name });
    when(writes(place), () => q.set(data.trunc(bits)));
    return q;
  };
  const table = { depth: taskNodes, collision: "undefined", style: "distributed" } as const,
    places = ram(struct({ mac: uint(48), port: uint(4) }), { ...table, name: "node_places" }),
    addresses = ram(uint(32), { ...table, name: "node_addresses" }),
    known = reg(uint(taskNodes), { init: 0, name: "nodes_known" }),
    isNode = node(valid.andNot(at.shr(nodeBits + 1).any()), { name: "config_node" }),
    row = at.bits(1, nodeBits);
  places.write(node(isNode.andNot(at.bit(0)), { name: "config_place" }), row, {
    mac: data.trunc(48),
    port: data.bits(taskRows.nodePort, 4),
  });
  const setsAddress = node(isNode.and(at.bit(0)), { name: "config_address" });
  addresses.write(setsAddress, row, data.trunc(32));
  when(setsAddress, () => {
    const one = decode(row, taskNodes);
    known.set(mux(data.bit(taskRows.nodeOn), known.or(one), known.and(one.not())));
  });

  // What is told of nodes: they are looked at one by one.
  const closed = reg(uint(taskNodes), { init: 0, name: "nodes_closed" }),
    lost = reg(uint(taskNodes), { init: 0, name: "nodes_lost" }),
    round = reg(uint(4), { init: 0, name: "round" }),
    tells = writes(taskPlaces.told),
    told = decode(data.bits(taskRows.told.node, nodeBits), taskNodes),
    isLost = data.bit(taskRows.told.lost);
  const ends = reg(uint(taskNodes), { init: 0, name: "lost_is_seen" });
  lost.set(
    lost
      .and(ends.not())
      .or(mux(tells.and(isLost), told, 0))
      .is(taskNodes),
  );
  ends.set(0);
  when(tells, () => {
    closed.set(mux(isLost, closed.or(told), closed.and(told.not())));
    // Answers from before it was lost do not count.
    when(isLost, () => round.set(round.add(1)));
  });

  const own = held("own_row", taskPlaces.own, 64),
    numbers = held("numbers", taskPlaces.numbers, 38),
    work = held("work", taskPlaces.work, 55),
    time = (lsb: number): UInt => work.bits(lsb, taskTimeBits);
  return {
    nodeAt: (n: UInt) => ({ ...places.readAsync(n), ip: addresses.readAsync(n) }),
    known,
    closed,
    lost,
    /** The nodes of this mask have been seen to. */
    seen: (mask: UInt): void => ends.set(mask),
    seeing: ends,
    round,
    mac: held("own_mac", taskPlaces.ownMac, 48).is(48),
    ip: own.bits(taskRows.own.ip, 32).is(32),
    port: own.bits(taskRows.own.port, 16).is(16),
    pid: own.bits(taskRows.own.pid, 16).is(16),
    first: numbers.bits(taskRows.numbers.first, 32).is(32),
    lane: numbers.bits(taskRows.numbers.lane, 6).is(6),
    timeout: time(taskRows.work.timeout),
    backoff: time(taskRows.work.backoff),
    life: time(taskRows.work.life),
    user: work.bits(taskRows.work.user, 6).is(6),
    on: work.bit(taskRows.work.on).is(bit.width),
  };
}
export type Configuration = ReturnType<typeof configurationOf>;
