import {
  arbiter,
  arrayOf,
  bit,
  type Bit,
  connect,
  constant,
  type Def,
  fork,
  instance,
  type InstanceOf,
  liteSlavePorts,
  map,
  mergePorts,
  module,
  node,
  portArray,
  reg,
  sink,
  source,
  type UInt,
  uint,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { Counters } from "../../../shared/counters/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { registerAddressBits } from "../../registers/index.ts";
import { ternaryChunks, ruleKeyBits } from "../../wire/index.ts";
import { Descriptors, Dispatch, regions, Return } from "../core/index.ts";
import { Egress, type EgressParameters } from "../egress/index.ts";
import { HeaderStore } from "../headers/index.ts";
import { beatBytes, cellBeats, inlets, payloadBeats, type TableBus } from "../inside/index.ts";
import { FromSoftware, type LaneParameters, SwitchLane, ToSoftware } from "../lane/index.ts";
import { LinkReceive, TxPort } from "../link/index.ts";
import { MatchAction } from "../match/index.ts";
import { Merge } from "../merge/index.ts";
import { RxPort } from "../port/index.ts";
import { Scheduler } from "../scheduler/index.ts";
import { PacketStore } from "../store/index.ts";
import type { Task } from "../tasks/index.ts";
import { Control, counterBlocks, counterIndexBits } from "./control.ts";
import {
  fateBits,
  loopCounterBits,
  middleBits,
  middleCounterBits,
  portCounterBits,
  receiverBits,
  senderBits,
} from "./counts.ts";
import type { DeviceParameters, DeviceSet } from "./records.ts";
import { ternaryOf, writeOf } from "./tables.ts";

/** Bytes that a frame grows by at most on its way: a template, a tag, and a shim; or as much by a redirect. */
const mostGrowth = 64 + 4 + 8;
/** The partner of a link is whoever is at its other end: a group address that no bridge passes on (802.1Q, 8.6.3). */
const nearest = 0x0180c200000en;
const macBits = 48,
  chunkBits = (keyBits: number): number => Math.ceil(Math.log2(ternaryChunks(keyBits)));

const ports = (p: DeviceParameters) =>
  mergePorts(
    portArray("rx", p.ports, sink(AxisBeat(beatBytes))),
    portArray("tx", p.ports, source(AxisBeat(beatBytes))),
    {
      ...liteSlavePorts(registerAddressBits),
      fromSoftware: sink(FromSoftware(p)),
      toSoftware: source(ToSoftware),
    },
  );
export type SuperNicPorts = ReturnType<typeof ports>;

type Set = Val<ReturnType<typeof DeviceSet>>;
type Bus = Val<typeof TableBus>;

/** A way into the device, with its part of the tables. The loop port is the last. */
function inletOf(i: number, p: DeviceParameters, set: Set, bus: Bus) {
  const isLoop = i === p.ports,
    rx = instance(isLoop ? "loop" : `rx_${i}`, RxPort(p)),
    ofPort = (mask: UInt): Bit => (isLoop ? constant(0, 1) : mask.bit(i));
  rx.judged.set({ reliable: ofPort(set.reliable), peer: ofPort(set.peers), class: set.classes.at(i) });
  rx.config.set({
    mac: set.mac,
    port: i,
    control: ofPort(set.control),
    hasUplink: set.hasUplink,
    uplink: set.uplink,
    rings: set.rings,
    rules: set.rules.at(i),
    macs: set.macs,
  });
  const action = writeOf(bus, "ruleAction", i),
    entry = writeOf(bus, "macEntry", i),
    uid = writeOf(bus, "uid", i);
  rx.tables.set({
    rules: ternaryOf(bus, "ruleWord", chunkBits(ruleKeyBits), i),
    actions: { ...action, value: { ...action.value, action: codeOf(action.value.action) } },
    macs: ternaryOf(bus, "macWord", chunkBits(macBits), i),
    entries: entry,
    uids: uid,
  });
  rx.users.set(writeOf(bus, "user"));
  return rx;
}
