import { bit, input, output, sink, source, struct, uint, vec } from "../../../../hdl-dsl/index.ts";
import { flowHashBits, type TableName, tables } from "../../wire/index.ts";
import {
  CameBack,
  ctxBits,
  dagBits,
  type DeviceSizes,
  Finished,
  Started,
  tableEntry,
  userBits,
} from "../inside/index.ts";

/** Sizes of the device that the scheduler needs. All others may be anything. */
export type SchedulerParameters = DeviceSizes;

/** A packet that has been taken in, and wants to go through its DAG. */
export const ToSchedule = (p: Pick<DeviceSizes, "contexts">) =>
  struct({
    ctx: uint(ctxBits(p)),
    dag: uint(dagBits),
    user: uint(userBits),
    flowHash: uint(flowHashBits),
    /** Its packets may overtake each other. */
    unordered: bit,
  });

/** Software writes an entry of one table: always taken, in force in the next cycle. */
export const TableWrite = <N extends TableName>(name: N) =>
  struct({ en: bit, index: uint(Math.ceil(Math.log2(tables[name].entries))), value: tableEntry(name) });

/** What is inside the scheduler, for the invariants. */
export const SchedulerInside = (p: Pick<DeviceSizes, "contexts" | "branches">) =>
  struct({
    /** Packets that arrived and are not finished. */
    packets: uint(ctxBits(p) + 1),
    /** Branches that wait for a flow that is marked. */
    waiting: uint(ctxBits(p) + 1 + Math.ceil(Math.log2(p.branches))),
  });

export const schedulerPorts = (p: SchedulerParameters) =>
  ({
    arrive: sink(ToSchedule(p)),
    /** A branch that starts; it is never made to wait. */
    start: output(Started(p)),
    /** Regions whose way has room: at most 8 more start for a region after its bit has fallen. */
    open: input(uint(p.regions)),
    /** Slots whose FIFO is so full that candidates wait, by region. */
    busy: input(vec(uint(p.slots), p.regions)),
    /** Slots whose task takes a packet in this cycle, by region. */
    give: input(vec(uint(p.slots), p.regions)),
    back: sink(CameBack(p)),
    finished: source(Finished(p)),
    dagStage: input(TableWrite("dagStage")),
    dag: input(TableWrite("dag")),
    chain: input(TableWrite("chain")),
    slot: input(TableWrite("slot")),
    mark: input(TableWrite("mark")),
    inside: output(SchedulerInside(p)),
    /** Credits that are out, by region and slot. */
    held: output(vec(uint(6), p.regions * p.slots)),
    /** Branches that were sent to each region and are not back, by region. */
    loads: output(vec(SchedulerInside(p).fields.waiting, p.regions)),
  }) as const;
