/** What goes into the egress and comes out. Page: docs/supernic/egress.md. */
import {
  bit,
  input,
  output,
  portArray,
  sink,
  source,
  struct,
  mergePorts as together,
  uint,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { ReadBeat } from "../../../shared/frame/index.ts";
import { HeaderJob, HeaderRead } from "../headers/index.ts";
import {
  beatBytes,
  cellIndexBits,
  ctxBits,
  type DeviceSizes,
  EntryWrite,
  Finished,
  inlets,
  Known,
  payloadBeats,
  Released,
  TxBeat,
  userClasses,
} from "../inside/index.ts";
import { trailerBytes, type TrailerUse } from "../../wire/index.ts";
import { portBits, TernaryWrite } from "../match/index.ts";
import { FirstCell } from "../store/index.ts";

export interface EgressParameters extends Pick<
  DeviceSizes,
  "ports" | "users" | "contexts" | "cells" | "frameBytes" | "macs"
> {
  /** Cycles for which a class may be paused at a port until its packets are dropped. */
  readonly pauseCycles: number;
  /** What tasks do behind payloads, in the order of their ports; left out: nothing. */
  readonly trailers?: readonly TrailerUse[];
}
type Trailing = Pick<EgressParameters, "trailers">;
/** Tasks with a trailer, and those of them that put one. */
export const trailersOf = ({ trailers = [] }: Trailing): readonly TrailerUse[] => trailers;
export const puttersOf = (p: Trailing): number => trailersOf(p).filter(use => use === "puts").length;
/** What a module's name says of them. */
export const trailerName = (p: Trailing): string =>
  trailersOf(p)
    .map(use => `_${use}`)
    .join("");
/** A packet has a trailer from now on. */
export const TrailerOf = (p: Pick<DeviceSizes, "contexts">) =>
  struct({ valid: bit, ctx: uint(ctxBits(p)), bytes: uint(8 * trailerBytes) });
const macBits = 48;
/** Bytes that a frame can grow by: a template, a tag and a shim, and a trailer. */
const grows = (p: Trailing): number => 64 + 4 + 8 + (puttersOf(p) > 0 ? trailerBytes : 0);
/** Beats of the longest frame that leaves. */
export const longestBeats = (p: Pick<DeviceSizes, "frameBytes"> & Trailing): number =>
  Math.ceil((p.frameBytes + grows(p)) / beatBytes);

/** What stands still while packets leave. */
export const EgressConfig = (p: Pick<DeviceSizes, "macs" | "ports">) =>
  struct({
    /** Ports that lead to peers. */
    rings: uint(p.ports),
    /** The sNIC's number, for shims. */
    origin: uint(8),
    hasUplink: bit,
    uplink: uint(portBits),
    /** The bit of the users' class that leaves first, or none. */
    urgent: uint(userClasses),
    /** MACs that count. */
    macs: uint(p.macs),
  });
/** A packet is dropped, for a cycle. */
export const EgressEvents = struct({
  /** A frame has left as a whole. */
  left: bit,
  /** A task has dropped it. */
  task: bit,
  /** There is no port for it. */
  nowhere: bit,
  /** It has been in the loop port already. */
  again: bit,
  /** Its class has been paused for too long. */
  paused: bit,
});

export const payloadBeatBits = (p: Pick<DeviceSizes, "frameBytes">): number =>
  Math.ceil(Math.log2(payloadBeats(p) + 1));
/** What to read of the packet store. */
export const PayloadJob = (p: Pick<DeviceSizes, "cells" | "frameBytes">) =>
  struct({ first: uint(cellIndexBits(p)), beats: uint(payloadBeatBits(p)) });

export const egressPorts = (p: EgressParameters) =>
  together(
    {
      finished: sink(Finished(p)),
      look: output(struct({ valid: bit, ctx: uint(ctxBits(p)) })),
      /** Destination MAC of what `look` names; what more is known of it, a cycle later. */
      dst: input(uint(macBits)),
      known: input(Known(p)),
      config: input(EgressConfig(p)),
      users: input(EntryWrite("user")),
      dags: input(EntryWrite("dag")),
      templates: input(EntryWrite("template")),
      macs: input(TernaryWrite(p.macs, macBits)),
      entries: input(EntryWrite("macEntry")),
      leave: source(HeaderJob(p)),
      left: sink(HeaderRead(p)),
      read: source(PayloadJob(p)),
      payload: sink(ReadBeat(beatBytes)),
      release: output(struct({ valid: bit, ctx: uint(ctxBits(p)) })),
      releaseCells: source(FirstCell(p)),
      released: output(Released(p)),
      /** By port, the loop port last: frames may be chosen for it. Those that have not begun must fit one longest. */
      room: input(uint(inlets(p))),
      /** By port, classes that are paused. */
      paused: input(vec(uint(8), p.ports)),
      events: output(EgressEvents),
      /** Where a packet goes, a bit for its port; it is dropped when that is so. */
      decided: output(struct({ valid: bit, ctx: uint(ctxBits(p)), dropped: bit, ports: uint(inlets(p)) })),
    },
    portArray("trailer", trailersOf(p).length, input(TrailerOf(p))),
    portArray("out", inlets(p), source(TxBeat)),
  );
