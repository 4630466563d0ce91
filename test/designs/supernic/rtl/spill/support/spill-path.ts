/** Spill, gate and merge as they stand in the device, between class queues and stores. */
import {
  axi4Master,
  bit,
  connect,
  input,
  instance,
  mergePorts,
  module,
  mux,
  output,
  portArray,
  portOf,
  sink,
  source,
  struct,
  uint,
  vec,
} from "../../../../../../hdl-dsl/index.ts";
import { Entered, Entry } from "../../../../../../designs/supernic/rtl/headers/index.ts";
import {
  Arrived,
  beatBytes,
  cellBeats,
  classBits,
  ctxBits,
  type DeviceSizes,
  EntryWrite,
  FrameBeat,
  inlets,
  payloadBeats,
  QueueHeads,
  Released,
} from "../../../../../../designs/supernic/rtl/inside/index.ts";
import { Merge } from "../../../../../../designs/supernic/rtl/merge/index.ts";
import { DagGate } from "../../../../../../designs/supernic/rtl/reconfigure/index.ts";
import {
  busOf,
  RingState,
  RingWrite,
  Spill,
  SpillCounts,
  type SpillParameters,
} from "../../../../../../designs/supernic/rtl/spill/index.ts";
import { FirstCell, StoreBeat } from "../../../../../../designs/supernic/rtl/store/index.ts";

export type PathParameters = SpillParameters & Pick<DeviceSizes, "contexts" | "cells">;

export const SpillPath = module(
  "SpillPath",
  (p: PathParameters) =>
    mergePorts(
      { heads: input(vec(QueueHeads(p), inlets(p))) },
      portArray("take", inlets(p), source(uint(classBits))),
      portArray("frames", inlets(p), sink(FrameBeat)),
      {
        enter: source(Entry(p)),
        entered: sink(Entered(p)),
        freeContexts: input(uint(Math.log2(p.contexts) + 1)),
        write: source(StoreBeat({ ...p, cellBeats, beatBytes, payloadBeats: payloadBeats(p) })),
        stored: sink(FirstCell(p)),
        freeCells: input(uint(Math.log2(p.cells) + 1)),
        released: input(Released(p)),
        epoch: input(bit),
        users: input(EntryWrite("user")),
        arrived: source(Arrived(p)),
        decided: input(struct({ valid: bit, ctx: uint(ctxBits(p)) })),
        wait: input(EntryWrite("wait")),
        look: input(uint(8)),
        dagInside: output(uint(9)),
        settled: output(bit),
        ring: input(RingWrite(p)),
        rings: output(vec(RingState(p), p.rings)),
        counts: output(SpillCounts),
        /** Heads as the merge sees them, by inlet and class, and which of them it has taken in this cycle. */
        seen: output(vec(struct({ valid: bit, uid: uint(16), length: uint(14), taken: bit }), 4 * inlets(p))),
      },
      axi4Master("m", busOf(p)),
    ),
  (io, p) => {
    const spill = instance("spill", Spill(p)),
      gate = instance("gate", DagGate(p)),
      merge = instance("merge", Merge(p)),
      n = inlets(p);
    for (let i = 0; i < n; i++)
      for (let k = 0; k < 6; k++) {
        const head = io.heads.at(i).at(k);
        spill.heads.at(i).at(k).set(head);
        merge.heads.at(i).at(k).set(spill.shown.at(i).at(k));
        if (k < 4) {
          const { valid, facts } = spill.shown.at(i).at(k),
            take = portOf(merge, "take", i);
          io.seen.at(4 * i + k).set({
            valid,
            uid: facts.uid,
            length: facts.length,
            taken: take.valid.and(take.ready).and(take.payload.eq(k)),
          });
        }
        if (k < 4) gate.heads.at(4 * i + k).set({ valid: head.valid, dag: head.facts.dag });
      }
    spill.open.set(gate.open);
    spill.dry.set(merge.dry);
    for (let i = 0; i < n; i++) {
      connect(portOf(merge, "take", i), portOf(spill, "take", i));
      connect(portOf(spill, "frames", i), portOf(merge, "frames", i));
      connect(portOf(spill, "takeQueue", i), portOf(io, "take", i));
      connect(portOf(io, "frames", i), portOf(spill, "fromQueue", i));
    }
    spill.ring.set(io.ring);
    for (let r = 0; r < p.rings; r++) io.rings.at(r).set(spill.rings.at(r));
    io.counts.set(spill.counts);
    connect(spill.mAr, io.mAr);
    connect(io.mR, spill.mR);
    connect(spill.mAw, io.mAw);
    connect(spill.mW, io.mW);
    connect(io.mB, spill.mB);
    // Software's entry goes first.
    spill.opens.ready.set(io.wait.en.not());
    gate.wait.set({
      en: io.wait.en.or(spill.opens.valid),
      index: mux(io.wait.en, io.wait.index, spill.opens.payload.resize(io.wait.index.width)),
      value: { waits: io.wait.value.waits.and(io.wait.en) },
    });
    gate.taken.set(merge.events.taken);
    const { ctx, dag } = merge.arrived.payload;
    gate.arrived.set({ valid: merge.arrived.fire, ctx, dag });
    gate.decided.set(io.decided);
    gate.look.set(io.look);
    gate.next.set(1);
    io.dagInside.set(gate.shown.inside);
    io.settled.set(gate.shown.settled);
    connect(merge.enter, io.enter);
    connect(io.entered, merge.entered);
    merge.freeContexts.set(io.freeContexts);
    connect(merge.write, io.write);
    connect(io.stored, merge.stored);
    merge.freeCells.set(io.freeCells);
    merge.released.set(io.released);
    merge.epoch.set(io.epoch);
    merge.users.set(io.users);
    connect(merge.arrived, io.arrived);
  },
  { nameOf: p => `SpillPath_p${p.ports}_n${p.rings}_f${p.frameBytes}` },
);
