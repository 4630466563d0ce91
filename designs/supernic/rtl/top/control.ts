import {
  bit,
  cat,
  connect,
  constant,
  module,
  mux,
  node,
  reg,
  struct,
  type UInt,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { valueWords } from "../../registers/index.ts";
import { tableValueBits } from "../../wire/index.ts";
import { inlets, tableEntry } from "../inside/index.ts";
import { controlPorts, registersOf } from "./control/ports.ts";
import { showCounter, showRegion, showSlot, showTaskState } from "./control/shown.ts";
import { fairSetOf } from "./fairness.ts";
import { behindBus, writeOf } from "./tables.ts";

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
  controlPorts,
  (io, p) => {
    const registers = registersOf(p);
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
    io.set.urgent.set(registers.urgent);
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
    const slot = writeOf(bus, "slot"),
      // The scheduler keeps the limit.
      { limit: _, ...held } = tableEntry("slot").fields;
    for (let region = 0; region < p.regions; region++)
      for (let s = 0; s < p.slots; s++) {
        const kept = reg(struct(held), { init: 0, name: `slot_${region}_${s}` }),
          place = io.slots.at(region * p.slots + s);
        when(slot.en.and(slot.index.eq(region * 8 + s)), () => {
          const { limit: _of, ...value } = slot.value;
          kept.set(value);
        });
        place.set({
          busyAt: kept.busyAt.resize(place.busyAt.width),
          patience: kept.patience,
          quiesce: kept.quiesce,
          isolate: kept.isolate,
        });
      }

    // What software looks at.
    showSlot(io, p, registers);
    showRegion(io, p, registers);
    showTaskState(io, registers);
    showCounter(io, registers);
  },
  { nameOf: p => `Control_p${p.ports}_r${p.regions}_s${p.slots}_c${p.contexts}_k${p.cells}` },
);
