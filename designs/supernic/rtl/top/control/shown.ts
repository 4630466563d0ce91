/** What software looks at: a slot, its region, the state of its task, a counter. */
import {
  addressBits,
  type Bit,
  bitsFor,
  cat,
  constant,
  instance,
  pack,
  reg,
  uint,
  type UInt,
  unpack,
  when,
  widthOf,
} from "../../../../../hdl-dsl/index.ts";
import { counterBits } from "../../../../shared/counters/rtl/index.ts";
import { pickOf } from "../../../../shared/frame/index.ts";
import { branchesOf } from "../../core/index.ts";
import { RegionStatus, statePatience, StateReader } from "../../reconfigure/index.ts";
import { SlotState } from "../../region/index.ts";
import { counterBlockBits, counterIndexBits } from "./ports.ts";
import { type DeviceParameters, Inside } from "../records.ts";
import type { ControlIo, Registers } from "./ports.ts";

/** Every number is below one that does not fit its bits. */
const isBelow = (n: UInt, count: number): Bit => (count < 2 ** n.width ? n.lt(count) : constant(1, 1));

/** The slot, behind a register. */
export function showSlot(io: ControlIo, p: DeviceParameters, registers: Registers): void {
  const state = SlotState({ ...p, places: p.credits }),
    looked = reg(state, { name: "looked" }),
    states = io.state.toArray().map(s => pack(s));
  const { slotRegion, slotAt } = registers,
    ofRegions = Array.from({ length: p.regions }, (_, r) =>
      pickOf(slotAt.trunc(addressBits(p.slots)), states.slice(r * p.slots, (r + 1) * p.slots)),
    );
  const found = pickOf(slotRegion.trunc(addressBits(p.regions)), ofRegions).is(widthOf(state));
  // Of a slot that there is not: by the registers' reset, which costs no lookup table a bit.
  when(isBelow(slotRegion, p.regions).and(isBelow(slotAt, p.slots)), () => looked.set(unpack(state, found))).otherwise(
    () => looked.set(unpack(state, constant(0, widthOf(state)))),
  );
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
    load = reg(uint(bitsFor(branchesOf(p).contexts)), { name: "looked_load" });
  const status = RegionStatus(branchesOf(p)),
    statuses = io.regions.toArray().map(r => pack(r));
  region.set(unpack(status, pickOf(registers.slotRegion, statuses).is(widthOf(status))));
  load.set(pickOf(registers.slotRegion, io.loads.toArray()));
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
export function showCounter(io: ControlIo, registers: Registers): void {
  const count = reg(uint(counterBits), { name: "count" }),
    block = registers.counterAt.bits(8, counterBlockBits),
    inside = reg(Inside, { init: 0, name: "inside_of_block" });
  io.counter.set(registers.counterAt.trunc(counterIndexBits));
  count.set(pickOf(block, io.counts.toArray()).is(counterBits));
  const allInside = io.inside.toArray().map(i => pack(i));
  inside.set(unpack(Inside, pickOf(block, allInside).is(widthOf(Inside))));
  registers.insideQueued.set(inside.queued);
  registers.insideKept.set(inside.kept);
  registers.countLow.set(count.trunc(32));
  registers.countHigh.set(count.bits(32, 16));
}
