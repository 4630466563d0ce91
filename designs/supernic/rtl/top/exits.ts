/** What leaves: from the stores by the egress, past them by the switch lane, and both at each port. */
import {
  arbiter,
  arrayOf,
  bit,
  cat,
  connect,
  fromBits,
  instance,
  type InstanceOf,
  map,
  portOf,
  reg,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { ternaryChunks } from "../../wire/index.ts";
import { makeWaysOf, type RegionContent, trailerWaysOf } from "../core/index.ts";
import { Egress } from "../egress/index.ts";
import { beatBytes, inlets, tableEntry } from "../inside/index.ts";
import { peers, SwitchLane } from "../lane/index.ts";
import { connectMakers } from "./makers.ts";
import type { Middle } from "./middle.ts";
import type { Controlled, Io, Ways } from "./ports.ts";
import type { DeviceParameters } from "./records.ts";
import type { Stores } from "./stores.ts";
import { ternaryOf, writeOf } from "./tables.ts";

type EgressBlock = InstanceOf<typeof Egress>;
type LaneBlock = InstanceOf<typeof SwitchLane>;

/** Bytes of a header as the number that they are on the wire: the first one highest. */
const asNumber = (bytes: UInt): UInt =>
  cat(...Array.from({ length: bytes.width / 8 }, (_, i) => bytes.bits(8 * i, 8))).is(bytes.width);

/** The two blocks that give frames to ports. */
export const exitsOf = (chains: readonly RegionContent[], p: DeviceParameters) => ({
  egress: instance("egress", Egress({ ...p, trailers: trailerWaysOf(chains) })),
  lane: instance("lane", SwitchLane(p)),
});

/** Packets out of the stores. */
export function joinEgress(
  egress: EgressBlock,
  trailers: number,
  { scheduler, inside }: Middle,
  { headers, store, merge, descriptors }: Stores,
  { control, users, dags }: Controlled,
): void {
  const { set, bus } = control;
  for (let i = 0; i < trailers; i++) portOf(egress, "trailer", i).set(portOf(inside, "trailer", i));
  connect(scheduler.finished, egress.finished);
  headers.look.set(egress.look.ctx);
  descriptors.look.set(egress.look.ctx);
  egress.known.set({ ...descriptors.packet, ...descriptors.front });
  egress.dst.set(asNumber(headers.dst));
  egress.config.set({
    rings: set.rings,
    origin: set.origin,
    hasUplink: set.hasUplink,
    uplink: set.uplink,
    urgent: set.urgent,
    macs: set.macs,
  });
  egress.users.set(users);
  egress.dags.set(dags);
  egress.templates.set(writeOf(bus, "template"));
  egress.macs.set(ternaryOf(bus, "macWord", Math.ceil(Math.log2(ternaryChunks(48)))));
  egress.entries.set(writeOf(bus, "macEntry"));
  connect(egress.leave, headers.leave);
  connect(headers.left, egress.left);
  connect(egress.read, store.leaveJob);
  connect(store.leave, egress.payload);
  headers.release.set(egress.release);
  descriptors.release.set(egress.release);
  connect(egress.releaseCells, store.release0);
  merge.released.set(egress.released);
}

/** Frames past the stores, and those of software and of tasks that make some. */
export function joinLane(
  lane: LaneBlock,
  chains: readonly RegionContent[],
  io: Io,
  { rx, loop }: Ways,
  { inside }: Middle,
  { control }: Controlled,
  p: DeviceParameters,
): void {
  const n = inlets(p),
    { set, bus } = control;
  rx.forEach((r, i) => lane.heads.at(i).set(r.heads));
  arrayOf(lane, "take", n).forEach((take, i) => connect(take, (rx[i] ?? loop).takeSwitch));
  arrayOf(lane, "frames", n).forEach((frames, i) => connect((rx[i] ?? loop).toSwitch, frames));
  connectMakers(io.fromSoftware, inside, makeWaysOf(chains), lane.fromSoftware, p);
  connect(lane.toSoftware, io.toSoftware);
  lane.config.mac.set(set.mac);
  lane.config.origin.set(set.origin);
  lane.config.rings.set(set.rings);
  const peer = writeOf(bus, "peer");
  for (let i = 0; i < peers; i++) {
    const kept = reg(tableEntry("peer"), { init: 0, name: `peer_${i}` });
    when(peer.en.and(peer.index.eq(i)), () => kept.set(peer.value));
    lane.config.peers.at(i).set({ mac: kept.mac.is(48), port: kept.port.is(4), far: kept.far.bit(0) });
  }
}

/** Both lanes to each port; to the loop port in turns. */
export function joinPorts(egress: EgressBlock, lane: LaneBlock, { loop, outlets }: Ways, p: DeviceParameters): void {
  const n = inlets(p);
  const loopRoom = reg(bit, { init: 0, name: "loop_room" });
  loopRoom.set(loop.full.any().not());
  const room = fromBits([...outlets.map(o => o.tx.room), loopRoom]).is(n);
  egress.room.set(room);
  lane.room.set(room);
  const fromEgress = arrayOf(egress, "out", n),
    fromLane = arrayOf(lane, "out", n);
  outlets.forEach(({ tx }, i) => {
    egress.paused.at(i).set(tx.paused);
    lane.paused.at(i).set(tx.paused);
  });
  fromEgress.forEach((out, i) => {
    const other = fromLane[i] ?? out,
      outlet = outlets[i];
    if (outlet === undefined)
      connect(
        map(
          arbiter([out, other], { last: v => v.last, name: "to_loop" }),
          AxisBeat(beatBytes),
          ({ data, keep, last, user }) => ({ data, keep, last, user }),
          { name: "looping" },
        ),
        loop.rx,
      );
    else {
      connect(out, outlet.tx.lane0);
      connect(other, outlet.tx.lane1);
    }
  });
}
