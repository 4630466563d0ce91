import {
  bit,
  connect,
  fifo,
  fork,
  input,
  map,
  mergePorts,
  module,
  portArray,
  portOf,
  ram,
  sink,
  source,
  stage,
  struct,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import type { PayloadUse } from "../../wire/index.ts";
import { Arrived, beatBytes, ctxBits, type DeviceSizes } from "../inside/index.ts";
import { ofWriters } from "../region/index.ts";
import { StoreJob, type StoreParameters } from "../store/index.ts";

export interface PayloadJobsParameters extends Pick<DeviceSizes, "contexts" | "cells"> {
  readonly store: StoreParameters;
  /** What the tasks do that have a way to payloads, at most two. */
  readonly uses: readonly PayloadUse[];
}
/** Jobs of writes that wait for their beats. */
const writesWaiting = 32;

/**
 * Turns the contexts of packets whose payload a task needs into jobs of the packet store (docs/supernic/payload.md).
 * `arrive` says where a packet's payload is; it counts from the next cycle on. Each way has a bus of its own, to read
 * and to write. Latency 1 cycle, initiation interval 1. Full: a way waits when 32 of its writes have not begun, or
 * when its bus takes no more jobs; other ways go on. Reset: no job waits.
 */
export const PayloadJobs = module(
  "PayloadJobs",
  (p: PayloadJobsParameters) =>
    mergePorts(
      // Of what arrives only where its payload is.
      { arrive: input(struct({ valid: bit, packet: Arrived(p) }), { unused: true }) },
      portArray("job", p.uses.length, sink(struct({ ctx: uint(ctxBits(p)) }))),
      portArray("read", p.uses.length, source(StoreJob(p.store))),
      ofWriters("back", p.uses, source(StoreJob(p.store))),
    ),
  (io, p) => {
    const Job = StoreJob(p.store),
      { valid, packet } = io.arrive,
      job = { first: packet.firstCell, beats: beatsIn(packet.payloadBytes).resize(Job.fields.beats.width) };
    p.uses.forEach((use, i) => {
      // A copy for each way: both may ask in one cycle.
      const places = ram(Job, { depth: p.contexts, collision: "undefined", style: "distributed", name: `places_${i}` });
      places.write(valid, packet.ctx, job);
      const asked = map(portOf(io, "job", i), Job, ({ ctx }) => places.readAsync(ctx), { name: `asked_${i}` }),
        found = stage(asked, "full", { name: `found_${i}` }),
        read = portOf(io, "read", i);
      if (use === "read") {
        connect(found, read);
        return;
      }
      const [reads, writes] = fork(found, 2, "eager", { name: `job_${i}` });
      connect(reads, read);
      connect(fifo(writes, writesWaiting, { name: `writes_${i}`, style: "distributed" }), portOf(io, "back", i));
    });
  },
  { nameOf: p => `PayloadJobs_c${p.contexts}_k${p.cells}_${p.uses.join("_")}` },
);
/** Beats that so many bytes take. */
const beatsIn = (bytes: UInt): UInt =>
  bytes
    .zext(bytes.width + 1)
    .add(beatBytes - 1)
    .shr(Math.log2(beatBytes));
