/** What software looks at: a slot, its region, the state of its task, a counter. */
import { bitsFor, cat, decode, instance, onehotMux, pack, reg, uint } from "../../../../../hdl-dsl/index.ts";
import { counterBits } from "../../../../shared/counters/rtl/index.ts";
import { branchesOf } from "../../core/index.ts";
import { RegionStatus, statePatience, StateReader } from "../../reconfigure/index.ts";
import { SlotState } from "../../region/index.ts";
import { counterBlockBits, counterBlocks, counterIndexBits } from "./ports.ts";
import { type DeviceParameters, Inside } from "../records.ts";
import type { ControlIo, Registers } from "./ports.ts";

/** The slot, behind a register. */
export function showSlot(io: ControlIo, p: DeviceParameters, registers: Registers): void {
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
}

/** The region of that slot. */
export function showRegion(io: ControlIo, p: DeviceParameters, registers: Registers): void {
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
}

/** State of the task of that slot. */
export function showTaskState(io: ControlIo, registers: Registers): void {
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
}

/** The counter. */
export function showCounter(io: ControlIo, p: DeviceParameters, registers: Registers): void {
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
}
