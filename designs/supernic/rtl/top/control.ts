import {
  bit,
  bitsFor,
  cat,
  connect,
  constant,
  decode,
  input,
  instance,
  liteSlavePorts,
  module,
  mux,
  node,
  onehotMux,
  output,
  pack,
  reg,
  RegisterSlave,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { counterBits } from "../../../shared/counters/rtl/index.ts";
import { buildValues, registerAddressBits, snicMap, valueWords } from "../../registers/index.ts";
import { tableValueBits } from "../../wire/index.ts";
import { branchesOf, SlotConfig } from "../core/index.ts";
import { dagBits, inlets, TableBus, tableEntry } from "../inside/index.ts";
import { GateShown, RegionStateAsk, RegionStatus, statePatience, StateReader } from "../reconfigure/index.ts";
import { Shown } from "../monitor/index.ts";
import { SlotControl, SlotState, StateSaid } from "../region/index.ts";
import { FairSet, fairSetOf } from "./fairness.ts";
import { type DeviceParameters, DeviceSet, Inside } from "./records.ts";
import { behindBus, writeOf } from "./tables.ts";

/** Bits of the number of a counter of a block, and of the number of a block. */
export const counterIndexBits = 6;
export const counterBlockBits = 4;
/** Blocks that count: each port, the loop port, and the middle of the device. */
export const counterBlocks = (p: DeviceParameters): number => inlets(p) + 1;

/** An epoch has 64 parts: a pulse for each, as evenly as cycles allow. */
function epochParts(cycles: UInt<24>) {
  const bits = 25,
    sum = reg(uint(bits), { init: 0, name: "epoch_sum" }),
    part = reg(bit, { init: 0, name: "epoch_part" });
  const more = node(sum.add(64), { name: "epoch_more" }),
    over = node(more.ge(cycles.zext(bits)), { name: "epoch_over" });
  sum.set(mux(over, more.sub(cycles.zext(bits)), more));
  part.set(over);
  return part;
}

/**
 * The device's registers on AXI4-Lite (docs/supernic/registers.md), the tables' bus behind them, the controls of the
 * slots, and the parts of an epoch. Latency: that of `RegisterSlave`; an entry is written 2 cycles after its write. A
 * counter that is selected can be read 4 cycles later. Reset: registers have the build's values; slots have no credits
 * and are not held.
 */
export const Control = module(
  "Control",
  (p: DeviceParameters) => ({
    ...liteSlavePorts(registerAddressBits),
    set: output(DeviceSet(p)),
    bus: output(TableBus),
    part: output(bit),
    fair: output(FairSet(p)),
    shown: input(Shown),
    /** DAGs that wait: the one that is looked at, what is seen, and that the scan goes on. */
    dagLook: output(uint(dagBits)),
    dagNext: output(bit),
    gate: input(GateShown),
    slots: output(vec(SlotControl({ ...p, places: p.credits }), p.regions * p.slots)),
    config: output(SlotConfig),
    state: input(vec(SlotState({ ...p, places: p.credits }), p.regions * p.slots)),
    /** To the state of the tasks, and what they say. */
    stateAsk: output(RegionStateAsk),
    stateSaid: input(StateSaid),
    /** Of the regions: how each is, and branches that the scheduler has sent there. */
    regions: input(vec(RegionStatus(branchesOf(p)), p.regions)),
    loads: input(vec(uint(bitsFor(branchesOf(p).contexts)), p.regions)),
    down: input(uint(p.ports)),
    freeContexts: input(uint(Math.log2(p.contexts) + 1)),
    freeCells: input(uint(Math.log2(p.cells) + 1)),
    counter: output(uint(counterIndexBits)),
    counts: input(vec(uint(counterBits), counterBlocks(p))),
    /** Frames that each of these blocks has now. */
    inside: input(vec(Inside, counterBlocks(p))),
  }),
  (io, p) => {
    const registers = instance("registers", RegisterSlave({ map: snicMap, values: buildValues(p) }));
    connect(io.sAw, registers.sAw);
    connect(io.sW, registers.sW);
    connect(registers.sB, io.sB);
    connect(io.sAr, registers.sAr);
    connect(registers.sR, io.sR);

    // What stands still.
    const r = registers as unknown as Readonly<Record<string, UInt>>,
      of = (name: string): UInt => r[name] ?? constant(0, 1);
    io.set.mac.set(cat(registers.macHigh, registers.macLow));
    io.set.origin.set(registers.origin);
    io.set.hasUplink.set(registers.hasUplink);
    io.set.uplink.set(registers.uplink);
    io.set.rings.set(registers.rings.trunc(p.ports));
    io.set.reliable.set(registers.reliable.trunc(p.ports));
    io.set.peers.set(registers.peerPorts.trunc(p.ports));
    io.set.control.set(registers.control.trunc(p.ports));
    io.set.macs.set(cat(registers.macsHigh, registers.macsLow).resize(p.macs));
    const restart = reg(uint(p.ports), { init: 0, name: "restart" });
    restart.set(registers.restart.trunc(p.ports));
    io.set.restart.set(restart);
    for (let i = 0; i < inlets(p); i++) {
      io.set.classes.at(i).set(registers.portClasses.bits(3 * i, 3));
      io.set.rules.at(i).set(of(`rules${i}`).resize(p.rules));
    }
    io.part.set(epochParts(registers.epochCycles));
    io.fair.set(fairSetOf(p, registers));
    registers.fairUse.set(io.shown.use);
    registers.fairDemand.set(io.shown.demand);
    registers.fairTaken.set(io.shown.taken);
    registers.fairRate.set(io.shown.rate);
    io.dagLook.set(registers.dagLook);
    io.dagNext.set(registers.waitingNext);
    registers.waitingDag.set(io.gate.dag);
    registers.waitingIs.set(io.gate.waits);
    registers.dagInside.set(io.gate.inside);
    registers.dagSettled.set(io.gate.settled);
    registers.down.set(io.down.zext(registers.down.width));
    registers.freeContexts.set(io.freeContexts.resize(12));
    registers.freeCells.set(io.freeCells.resize(12));

    // The tables.
    const bus = behindBus({
      en: registers.tableWrite,
      table: registers.table,
      ports: registers.tablePorts,
      index: registers.tableIndex,
      value: cat(...Array.from({ length: valueWords }, (_, i) => of(`value${valueWords - 1 - i}`))).is(tableValueBits),
    });
    io.bus.set(bus);
    const task = writeOf(bus, "task");
    io.config.set({
      valid: task.en,
      at: task.value.at,
      data: task.value.data,
      region: task.index.bits(3, 3),
      slot: task.index.bits(0, 3),
    });
    const slot = writeOf(bus, "slot");
    for (let region = 0; region < p.regions; region++)
      for (let s = 0; s < p.slots; s++) {
        const kept = reg(tableEntry("slot"), { init: 0, name: `slot_${region}_${s}` }),
          place = io.slots.at(region * p.slots + s);
        when(slot.en.and(slot.index.eq(region * 8 + s)), () => kept.set(slot.value));
        place.set({
          busyAt: kept.busyAt.resize(place.busyAt.width),
          patience: kept.patience,
          quiesce: kept.quiesce,
          isolate: kept.isolate,
        });
      }

    // The slot that is looked at, behind a register.
    const looked = reg(SlotState({ ...p, places: p.credits }), { name: "looked" }),
      here = Array.from({ length: p.regions * p.slots }, (_, i) =>
        registers.slotRegion.eq(Math.floor(i / p.slots)).and(registers.slotAt.eq(i % p.slots)),
      );
    looked.set(onehotMux(here, io.state.toArray()));
    registers.slotBusy.set(looked.busy);
    registers.slotQuiet.set(looked.quiet);
    registers.slotOff.set(looked.off);
    registers.slotStuck.set(looked.stuck);
    registers.slotWaiting.set(looked.waiting.resize(6));
    registers.slotInside.set(looked.inside);
    registers.slottook.set(looked.counts.took);
    registers.slotskipped.set(looked.counts.skipped);
    registers.slotdropped.set(looked.counts.dropped);
    registers.slotkilled.set(looked.counts.killed);
    registers.slotbusyCycles.set(looked.counts.busyCycles);
    registers.slotstrays.set(looked.counts.strays);
    registers.slotoutside.set(looked.counts.outside);
    registers.slotgrown.set(looked.counts.grown);

    // The region of that slot.
    const region = reg(RegionStatus(branchesOf(p)), { name: "looked_region" }),
      load = reg(uint(bitsFor(branchesOf(p).contexts)), { name: "looked_load" }),
      there = Array.from({ length: p.regions }, (_, i) => registers.slotRegion.eq(i));
    region.set(onehotMux(there, io.regions.toArray()));
    load.set(onehotMux(there, io.loads.toArray()));
    registers.regionStage.set(pack(region.stage));
    registers.regionOff.set(region.off);
    registers.regionEmpty.set(region.empty);
    registers.regionQuiet.set(region.quiet);
    registers.regionWrong.set(region.wrong);
    registers.regionRefused.set(region.refused);
    registers.regionChain.set(region.chain);
    registers.regionInside.set(region.inside.resize(12));
    registers.regionSent.set(load.resize(12));
    registers.regionKilled.set(region.killed);
    registers.regionStrays.set(region.strays);

    // State of the task of that slot.
    const reader = instance("state_reader", StateReader({ patience: statePatience })),
      { shown } = reader;
    reader.go.set({
      valid: registers.stateRead.or(registers.stateWrite),
      write: registers.stateWrite,
      region: registers.slotRegion,
      slot: registers.slotAt,
      at: registers.stateAt,
      last: registers.stateLast,
      data: cat(registers.statePutHigh, registers.statePutLow),
    });
    io.stateAsk.set(reader.ask);
    reader.said.set(io.stateSaid);
    registers.stateBusy.set(shown.busy);
    registers.stateOutcome.set(pack(shown.outcome));
    registers.stateFound.set(shown.at);
    registers.stateLow.set(shown.data.trunc(32));
    registers.stateHigh.set(shown.data.bits(32, 32));
    registers.stateLates.set(shown.lates);
    registers.stateStrays.set(shown.strays);

    // The counter that is looked at.
    const count = reg(uint(counterBits), { name: "count" }),
      blocks = decode(registers.counterAt.bits(8, counterBlockBits), counterBlocks(p));
    const ofBlock = Array.from({ length: counterBlocks(p) }, (_, i) => blocks.bit(i)),
      inside = reg(Inside, { init: 0, name: "inside_of_block" });
    io.counter.set(registers.counterAt.trunc(counterIndexBits));
    count.set(onehotMux(ofBlock, io.counts.toArray()));
    inside.set(onehotMux(ofBlock, io.inside.toArray()));
    registers.insideQueued.set(inside.queued);
    registers.insideKept.set(inside.kept);
    registers.countLow.set(count.trunc(32));
    registers.countHigh.set(count.bits(32, 16));
  },
  { nameOf: p => `Control_p${p.ports}_r${p.regions}_s${p.slots}_c${p.contexts}_k${p.cells}` },
);
