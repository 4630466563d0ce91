/** What goes into the spill and comes out. Page: docs/supernic/spill.md. */
import {
  axi4Master,
  input,
  type Inside,
  output,
  portArray,
  sink,
  source,
  mergePorts as together,
  uint,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { classBits, dagBits, FrameBeat, inlets, QueueHeads, userClasses } from "../inside/index.ts";
import { busOf, RingState, RingWrite, SpillCounts, type SpillParameters } from "./records.ts";

/** Heads of users' class queues, by inlet and class. */
export const spillHeads = (p: Pick<SpillParameters, "ports">): number => inlets(p) * userClasses;

export const spillPorts = (p: SpillParameters) =>
  together(
    {
      /** Of the class queues, by inlet, the loop port's last. */
      heads: input(vec(QueueHeads(p), inlets(p))),
      /** By head of a user: its DAG does not wait (`DagGate`). */
      open: input(uint(spillHeads(p))),
      /** As the merge sees them. */
      shown: output(vec(QueueHeads(p), inlets(p))),
    },
    portArray("take", inlets(p), sink(uint(classBits))),
    portArray("frames", inlets(p), source(FrameBeat)),
    portArray("takeQueue", inlets(p), source(uint(classBits))),
    portArray("fromQueue", inlets(p), sink(FrameBeat)),
    {
      /** Users whose tokens are used up. */
      dry: input(uint(p.users)),
      ring: input(RingWrite(p)),
      rings: output(vec(RingState(p), p.rings)),
      /** The gate of this DAG is to be opened; the ring is free when it is. */
      opens: source(uint(dagBits)),
      counts: output(SpillCounts),
    },
    axi4Master("m", busOf(p)),
  );
export type SpillIo = Inside<ReturnType<typeof spillPorts>>;
