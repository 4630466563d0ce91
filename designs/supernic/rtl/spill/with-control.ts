/** The spill with its registers, as the device has it. Page: docs/supernic/spill.md. */
import {
  axi4Master,
  connect,
  fromCode,
  input,
  instance,
  liteSlavePorts,
  mergePorts,
  module,
  onehotMux,
  output,
  portArray,
  portOf,
  reg,
  RegisterSlave,
  sink,
  source,
  uint,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { spillAddressBits, spillMap } from "../../registers/index.ts";
import { classBits, dagBits, FrameBeat, inlets, queueClasses, QueueHeads } from "../inside/index.ts";
import { spillHeads } from "./ports.ts";
import { busOf, RingAsk, ringBits, RingState, type SpillParameters } from "./records.ts";
import { Spill } from "./spill.ts";

/**
 * `Spill` behind registers on AXI4-Lite. Latency: that of `RegisterSlave`, and a cycle for what is looked at. Reset: as
 * `Spill`; registers are 0.
 */
export const SpillWithControl = module(
  "SpillWithControl",
  (p: SpillParameters) =>
    mergePorts(
      {
        heads: input(vec(QueueHeads(p), inlets(p))),
        open: input(uint(spillHeads(p))),
        shown: output(vec(QueueHeads(p), inlets(p))),
      },
      portArray("take", inlets(p), sink(uint(classBits))),
      portArray("frames", inlets(p), source(FrameBeat)),
      portArray("takeQueue", inlets(p), source(uint(classBits))),
      portArray("fromQueue", inlets(p), sink(FrameBeat)),
      { dry: input(uint(p.users)), opens: source(uint(dagBits)) },
      axi4Master("m", busOf(p)),
      liteSlavePorts(spillAddressBits),
    ),
  (io, p) => {
    const spill = instance("spill", Spill(p)),
      n = inlets(p),
      values = { buildRings: p.rings, buildRingShift: Math.log2(p.ringBytes) },
      r = instance("registers", RegisterSlave({ map: spillMap, values }));
    for (let i = 0; i < n; i++)
      for (let k = 0; k < queueClasses; k++) {
        spill.heads.at(i).at(k).set(io.heads.at(i).at(k));
        io.shown.at(i).at(k).set(spill.shown.at(i).at(k));
      }
    spill.open.set(io.open);
    spill.dry.set(io.dry);
    for (let i = 0; i < n; i++) {
      connect(portOf(io, "take", i), portOf(spill, "take", i));
      connect(portOf(spill, "frames", i), portOf(io, "frames", i));
      connect(portOf(spill, "takeQueue", i), portOf(io, "takeQueue", i));
      connect(portOf(io, "fromQueue", i), portOf(spill, "fromQueue", i));
    }
    connect(spill.opens, io.opens);
    connect(spill.mAr, io.mAr);
    connect(io.mR, spill.mR);
    connect(spill.mAw, io.mAw);
    connect(spill.mW, io.mW);
    connect(io.mB, spill.mB);

    connect(io.sAw, r.sAw);
    connect(io.sW, r.sW);
    connect(r.sB, io.sB);
    connect(io.sAr, r.sAr);
    connect(r.sR, io.sR);
    spill.ring.set({
      en: r.setRing,
      ring: r.ringAt.resize(ringBits(p)),
      ask: fromCode(RingAsk, r.ringAsk, "fill"),
      dag: r.ringDag.is(dagBits),
    });
    const looked = reg(RingState(p), { init: 0, name: "looked_ring" });
    looked.set(
      onehotMux(
        Array.from({ length: p.rings }, (_, i) => r.ringAt.eq(i)),
        spill.rings.toArray(),
      ),
    );
    r.ringHeld.set(looked.held);
    r.ringDrains.set(looked.drains);
    r.ringDiscards.set(looked.discards);
    r.ringFull.set(looked.full);
    r.ringOf.set(looked.dag.is(8));
    r.ringInside.set(looked.inside.resize(24));
    r.spilled.set(spill.counts.spilled);
    r.restored.set(spill.counts.restored);
    r.spillLost.set(spill.counts.lost);
    r.spillDiscarded.set(spill.counts.discarded);
    r.spillFull.set(spill.counts.fullCycles);
  },
  {
    nameOf: p =>
      `SpillWithControl_p${p.ports}_u${p.users}_f${p.frameBytes}_n${p.rings}_b${p.ringBytes}_m${p.memoryBytes}`,
  },
);
