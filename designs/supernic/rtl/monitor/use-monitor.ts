import { bit, constant, input, module, mux, node, output, reg, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { pickOf } from "../../../shared/frame/index.ts";
import { ago, numberAgo } from "../drf/index.ts";
import { EntryWrite, Released } from "../inside/index.ts";
import {
  countedResources,
  fairName,
  type FairParameters,
  portResource,
  resourceAt,
  resourcesOf,
  tallyBits,
  typesOf,
} from "./parameters.ts";
import { Admitted, Counted, Decided, Place } from "./records.ts";
import { admittedTally, cellTally, decidedTally } from "./use-tallies.ts";

/** Cycles from an event to its tally; `ends` waits as long, so that all agree on what comes with it. */
export const useLatency = 2;
/** Cycles from `ask` to `counted`. */
export const countedLatency = 2;
const useMonitorPorts = (p: FairParameters) => ({
  admitted: input(Admitted(p)),
  decided: input(Decided(p)),
  released: input(Released(p)),
  dagUse: input(EntryWrite("dagUse")),
  /** Types of which a packet counts as a beat. */
  packets: input(uint(typesOf(p))),
  ends: input(bit),
  /** A place of the epoch that is over. */
  ask: input(Place(p)),
  counted: output(Counted),
});

/**
 * What users use of each resource (docs/supernic/monitors.md). What comes in the cycle of `ends` counts for the epoch
 * that ends. 4 cycles behind `ends` that epoch can be asked for: `counted` answers 2 cycles later, initiation interval
 * 1. Nothing waits. Reset: all counts are 0; what DAGs use stays.
 */
export const UseMonitor = module(
  "UseMonitor",
  (p: FairParameters) => useMonitorPorts(p),
  (io, p) => {
    const admitted = admittedTally(p, io),
      decided = decidedTally(p, io.admitted, io.decided),
      cells = cellTally(p, io.admitted, io.released),
      ends = ago("ends", io.ends, useLatency);
    for (const tally of [admitted, decided, cells]) {
      tally.ends.set(ends);
      tally.of.set(io.ask.user);
    }

    // By resource, in two steps.
    const types = typesOf(p),
      none = constant(0, tallyBits),
      list: UInt[] = Array.from({ length: resourcesOf(p) }, () => none);
    for (let t = 0; t < types; t++) list[t] = admitted.counts.at(1 + t);
    list[resourceAt(p, "lane")] = admitted.counts.at(1 + types);
    list[resourceAt(p, "writes")] = admitted.counts.at(2 + types);
    list[resourceAt(p, "reads")] = decided.counts.at(1);
    list[resourceAt(p, "cells")] = cells.counts.at(0);
    for (let q = 0; q < p.ports; q++) list[portResource(p, q)] = decided.counts.at(2 + q);
    const { resource } = io.ask,
      low = Math.min(3, resource.width - 1),
      group = numberAgo("asked_group", resource.bits(low, resource.width - low), 1);
    const ofGroup = Array.from({ length: Math.ceil(list.length / 2 ** low) }, (_, g) =>
      numberAgo(`of_group_${g}`, pickOf(resource.trunc(low), list.slice(g * 2 ** low, (g + 1) * 2 ** low)), 1),
    );
    const leaves = node(resource.eq(resourceAt(p, "reads")).or(resource.ge(portResource(p, 0))), { name: "leaves" }),
      bytes = mux(
        ago("asked_leaves", leaves, 1),
        numberAgo("decided_bytes", decided.counts.at(0), 1),
        numberAgo("arrived_bytes", admitted.counts.at(0), 1),
      );
    const counted = reg(Counted, { name: "counted_q" });
    counted.set({ use: pickOf(group, ofGroup).is(tallyBits), bytes: bytes.is(tallyBits) });
    io.counted.set(counted);
    if (countedResources(p) > 2 ** resource.width) throw new RangeError("UseMonitor: resources have no room");
  },
  { nameOf: p => `UseMonitor_${fairName(p)}` },
);
