import {
  arbiter,
  arrayOf,
  bit,
  cat,
  connect,
  constant,
  type Def,
  fromBits,
  instance,
  liteSlavePorts,
  map,
  mergePorts,
  module,
  portArray,
  portOf,
  reg,
  sink,
  source,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { registerAddressBits } from "../../registers/index.ts";
import { ternaryChunks } from "../../wire/index.ts";
import {
  chainsOf,
  Descriptors,
  Dispatch,
  memoryWaysOf,
  nameOfContent,
  type RegionContent,
  regions,
  Return,
  stayingTasks,
} from "../core/index.ts";
import { Egress } from "../egress/index.ts";
import { HeaderStore } from "../headers/index.ts";
import { beatBytes, cellBeats, inlets, payloadBeats, tableEntry } from "../inside/index.ts";
import { FromSoftware, peers, SwitchLane, ToSoftware } from "../lane/index.ts";
import { keptBits } from "../link/index.ts";
import { Merge } from "../merge/index.ts";
import { Scheduler, ToSchedule } from "../scheduler/index.ts";
import { bytesAt, makersOf, payloadUses, silent, trailerUses } from "../region/index.ts";
import { PacketStore } from "../store/index.ts";
import { Control } from "./control.ts";
import { middleBits, middleCounterBits } from "./counts.ts";
import { fairness } from "./fairness.ts";
import { countersOf, inletOf, loopCounts, outletOf } from "./inlets.ts";
import { connectMakers } from "./makers.ts";
import { connectMemories, memoryDevicePorts } from "./memory.ts";
import { connectPayload } from "./payload.ts";
import { type DeviceParameters, queuedBits } from "./records.ts";
import { ternaryOf, writeOf } from "./tables.ts";
import { waiting } from "./waiting.ts";

const plainPorts = (p: DeviceParameters) =>
  mergePorts(
    portArray("rx", p.ports, sink(AxisBeat(beatBytes))),
    portArray("tx", p.ports, source(AxisBeat(beatBytes))),
    {
      ...liteSlavePorts(registerAddressBits),
      fromSoftware: sink(FromSoftware(p)),
      toSoftware: source(ToSoftware),
    },
  );
/** A device without memory has none of its ports, and nobody asks for them. */
const ports = (p: DeviceParameters) =>
  mergePorts(
    plainPorts(p),
    (p.memory === undefined ? {} : memoryDevicePorts(p.memory)) as ReturnType<typeof memoryDevicePorts>,
  );
export type SuperNicPorts = ReturnType<typeof ports>;

/** Bytes of a header as the number that they are on the wire: the first one highest. */
const asNumber = (bytes: UInt): UInt =>
  cat(...Array.from({ length: bytes.width / 8 }, (_, i) => bytes.bits(8 * i, 8))).is(bytes.width);

/** Bytes of a header that tasks of these chains read. */
const readBy = (contents: readonly RegionContent[]): bigint =>
  chainsOf(contents)
    .map(tasks =>
      bytesAt(
        tasks.map(t => t.declared),
        0,
      ),
    )
    .reduce((a, b) => a | b, 0n);

/**
 * The device (paper, chapter 5; docs/supernic/device.md has the picture): ports with their links, merge, stores,
 * scheduler, regions with these chains, egress, switch lane, loop port, and registers. `rx<i>` never waits. `tx<i>`
 * gives a frame's beats without a gap, as far as the MAC takes them. Latency, bounds and what happens when full stand
 * at the blocks. Reset: nothing is inside; tables stay, and software writes all of them before it lets frames come.
 */
export function superNic(chains: readonly RegionContent[]): (p: DeviceParameters) => Def<SuperNicPorts> {
  return module(
    "SuperNic",
    ports,
    (io, p) => {
      const memories = memoryWaysOf(chains);
      if (memories !== (p.memory?.ways ?? 0))
        throw new RangeError(
          `SuperNic: the regions have ${memories} ways to memory, and it has ${p.memory?.ways ?? 0} of them; give it as many`,
        );
      const n = inlets(p),
        control = instance("control", Control(p)),
        { set, bus } = control;
      connect(io.sAw, control.sAw);
      connect(io.sW, control.sW);
      connect(control.sB, io.sB);
      connect(io.sAr, control.sAr);
      connect(control.sR, io.sR);

      // Tables that several blocks have.
      const users = writeOf(bus, "user"),
        dags = writeOf(bus, "dag");

      // In and out.
      const rx = Array.from({ length: n }, (_, i) => inletOf(i, p, set, bus, users)),
        [loop] = rx.slice(p.ports);
      if (loop === undefined) throw new RangeError("SuperNic: there is a loop port");
      const outlets = rx.slice(0, p.ports).map((r, i) => outletOf(i, p, set, r, control.counter));
      arrayOf(io, "rx", p.ports).forEach((port, i) => {
        const inlet = rx[i];
        if (inlet !== undefined) connect(port, inlet.rx);
      });
      arrayOf(io, "tx", p.ports).forEach((port, i) => {
        const outlet = outlets[i];
        if (outlet !== undefined) connect(outlet.tx.tx, port);
      });
      control.down.set(fromBits(outlets.map(o => o.tx.down)).is(p.ports));

      // The stores, and what comes into them.
      const headers = instance("headers", HeaderStore({ ...p, dispatched: readBy(chains) })),
        storeSizes = { ...p, cellBeats, beatBytes, payloadBeats: payloadBeats(p) },
        store = instance("store", PacketStore(storeSizes)),
        merge = instance("merge", Merge(p)),
        descriptors = instance("descriptors", Descriptors(p));
      for (let u = 0; u < p.users; u++) headers.quotas.at(u).set(p.contexts);
      arrayOf(merge, "take", n).forEach((take, i) => connect(take, (rx[i] ?? loop).takeMerge));
      arrayOf(merge, "frames", n).forEach((frames, i) => connect((rx[i] ?? loop).toMerge, frames));
      connect(merge.enter, headers.enter);
      connect(headers.entered, merge.entered);
      merge.freeContexts.set(headers.free);
      connect(merge.write, store.write);
      connect(store.stored, merge.stored);
      merge.freeCells.set(store.free);
      merge.epoch.set(control.part);
      control.freeContexts.set(headers.free);
      control.freeCells.set(store.free);
      silent(store.release1);

      // Scheduler, regions, and back.
      const scheduler = instance("scheduler", Scheduler(p)),
        dispatch = instance("dispatch", Dispatch(p)),
        inside = instance("regions", regions(chains)(p)),
        back = instance("return", Return(p));
      const arrive = { valid: merge.arrived.fire, packet: merge.arrived.payload };
      descriptors.arrive.set(arrive);
      connectPayload(store, inside, arrive, { ...p, store: storeSizes, uses: payloadUses(stayingTasks(chains)) });
      if (p.memory !== undefined) connectMemories(io, inside, control.part, p.memory);
      connect(
        map(merge.arrived, ToSchedule(p), ({ ctx, dag, user, flowHash, unordered }) => ({
          ctx,
          dag,
          user,
          flowHash,
          unordered,
        })),
        scheduler.arrive,
      );
      scheduler.dagStage.set(writeOf(bus, "dagStage"));
      scheduler.dag.set(dags);
      scheduler.chain.set(writeOf(bus, "chain"));
      scheduler.slot.set(writeOf(bus, "slot"));
      scheduler.mark.set(writeOf(bus, "mark"));
      dispatch.start.set(scheduler.start);
      scheduler.open.set(dispatch.open);
      dispatch.accepts.set(inside.accepts);
      connect(dispatch.read, headers.dispatch);
      connect(headers.dispatched, dispatch.header);
      descriptors.tell.set(dispatch.tell);
      dispatch.told.set(descriptors.told);
      connect(dispatch.enter, inside.enter);
      for (let r = 0; r < p.regions; r++) {
        scheduler.busy.at(r).set(inside.busy.at(r));
        scheduler.give.at(r).set(inside.give.at(r));
      }
      for (let i = 0; i < p.regions * p.slots; i++) {
        inside.control.at(i).set(control.slots.at(i));
        control.state.at(i).set(inside.state.at(i));
      }
      inside.config.set(control.config);
      inside.stateAsk.set(control.stateAsk);
      control.stateSaid.set(inside.stateSaid);
      inside.region.set(writeOf(bus, "region"));
      for (let r = 0; r < p.regions; r++) {
        control.regions.at(r).set(inside.status.at(r));
        control.loads.at(r).set(scheduler.loads.at(r).resize(control.loads.at(r).width));
      }
      connect(inside.leave, back.leave);
      connect(back.write, headers.back);
      back.clearing.set(descriptors.clearing);
      descriptors.said.set(back.said);
      connect(back.back, scheduler.back);

      // Out again.
      const trailers = trailerUses(stayingTasks(chains)),
        egress = instance("egress", Egress({ ...p, trailers })),
        lane = instance("lane", SwitchLane(p));
      trailers.forEach((_, i) => portOf(egress, "trailer", i).set(portOf(inside, "trailer", i)));
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
      control.shown.set(fairness(p, { set: control.fair, part: control.part, bus, users, rx, merge, egress }));

      const { dagLook: look, dagNext: next } = control;
      control.gate.set(waiting(p, { bus, rx, merge, egress, look, next }));

      // The switch lane, and software.
      rx.forEach((r, i) => lane.heads.at(i).set(r.heads));
      arrayOf(lane, "take", n).forEach((take, i) => connect(take, (rx[i] ?? loop).takeSwitch));
      arrayOf(lane, "frames", n).forEach((frames, i) => connect((rx[i] ?? loop).toSwitch, frames));
      connectMakers(io.fromSoftware, inside, makersOf(stayingTasks(chains)), lane.fromSoftware, p);
      connect(lane.toSoftware, io.toSoftware);
      lane.config.mac.set(set.mac);
      lane.config.origin.set(set.origin);
      const peer = writeOf(bus, "peer");
      for (let i = 0; i < peers; i++) {
        const kept = reg(tableEntry("peer"), { init: 0, name: `peer_${i}` });
        when(peer.en.and(peer.index.eq(i)), () => kept.set(peer.value));
        lane.config.peers.at(i).set({ mac: kept.mac.is(48), port: kept.port.is(4) });
      }

      // Both lanes to each port; to the loop port in turns.
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

      // What is inside, and what is counted.
      rx.forEach((r, i) =>
        control.inside.at(i).set({
          queued: r.waiting.resize(queuedBits),
          kept: outlets[i]?.tx.kept ?? constant(0, keptBits),
        }),
      );
      control.inside.at(n).set({ queued: lane.held.resize(queuedBits), kept: 0 });
      outlets.forEach((o, i) => control.counts.at(i).set(o.count));
      control.counts.at(p.ports).set(loopCounts(loop, control.counter));
      control.counts
        .at(n)
        .set(
          countersOf(
            "counts_middle",
            middleCounterBits,
            control.counter,
            middleBits({ merge: merge.events, egress: egress.events, lane: lane.events, store: store.events }),
          ),
        );
    },
    {
      nameOf: p =>
        `SuperNic_p${p.ports}_${chains.map(nameOfContent).join("__")}_c${p.contexts}_k${p.cells}_u${p.users}_r${p.regions}_s${p.slots}_f${p.frameBytes}`,
    },
  );
}
