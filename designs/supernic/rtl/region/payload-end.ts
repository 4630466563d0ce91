/** A slot's end of the way to payloads: docs/supernic/payload.md. */
import {
  bit,
  type Bit,
  constant,
  node,
  reg,
  sink,
  source,
  type StreamOut,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { passQueue } from "../../../shared/stream/index.ts";
import { type Declared, payloadUse } from "../../wire/index.ts";
import { PayloadBeat, payloadBits } from "../tasks/index.ts";
import { beatBits, type BeatEnds, comeIn, Due, goBack, type Packets } from "./payload-beats.ts";
import { ChainPacket, type ChainParameters } from "./records.ts";

const powerOfTwo = (n: number): number => 2 ** Math.max(1, Math.ceil(Math.log2(n)));

/** A packet whose payload a slot's task needs. */
export const PayloadJob = (p: ChainParameters) => struct({ ctx: ChainPacket(p).fields.ctx });
/** The ports of a slot whose task has payload; one that only reads has no `back` and `taskBack`. */
export const payloadEndPorts = (p: ChainParameters) => ({
  job: source(PayloadJob(p)),
  payload: sink(PayloadBeat),
  taskPayload: source(PayloadBeat),
  back: source(PayloadBeat),
  taskBack: sink(PayloadBeat),
});
/** Those of them that a slot has whose task declares this. */
export function payloadEndPortsOf(declared: Declared, p: ChainParameters): ReturnType<typeof payloadEndPorts> {
  const { back, taskBack, ...reading } = payloadEndPorts(p),
    use = payloadUse(declared);
  const has = use === "none" ? {} : use === "read" ? reading : { back, taskBack, ...reading };
  return has as ReturnType<typeof payloadEndPorts>;
}

/** What the slot has to know: all but `stray` is there early in the cycle. */
export interface PayloadEnd {
  /** The beats of the oldest packet have come and gone, both ways; it may leave. */
  readonly done: Bit;
  /** Their number was not what it should be. */
  readonly wrong: Bit;
  /** A beat has moved that was due. */
  readonly progress: Bit;
  /** The store lets the task wait. */
  readonly held: Bit;
  /** The task gives a beat, and none is due. */
  readonly stray: Bit;
}
/**
 * Asks for the payload of each packet that the task takes, hands its beats on, and takes the task's in return. For each
 * packet the store sees exactly as many beats as there are: of too few the rest is given here, of too many the rest is
 * thrown away. While the task is `off` nothing of it counts, and all that is due moves without it.
 * Full: a beat that goes back waits for the store, behind at most 3 others. Reset: nothing is due.
 */
export function payloadEnd(
  io: BeatEnds & { readonly job: StreamOut<ReturnType<typeof PayloadJob>> },
  declared: Declared,
  places: number,
  contexts: number,
  packets: Packets,
): PayloadEnd {
  const { comes, ctx, takes, payloadBytes, off } = packets,
    depth = powerOfTwo(declared.holds);
  const waiting = passQueue("payload_ctx", uint(Math.log2(contexts)), powerOfTwo(places), comes, ctx);
  waiting.ready.set(takes);
  const taken = reg(bit, { init: 0, name: "payload_taken" }),
    takenCtx = reg(uint(Math.log2(contexts)), { name: "payload_taken_ctx" }),
    due = reg(Due, { name: "payload_due" });
  taken.set(takes);
  takenCtx.set(waiting.payload);
  due.set({
    some: payloadBytes.any().andNot(off),
    lastAt: payloadBytes
      .sub(1)
      .shr(Math.log2(payloadBits / 8))
      .trunc(beatBits),
  });

  const jobs = passQueue("payload_jobs", uint(Math.log2(contexts)), depth, taken.and(due.some), takenCtx);
  io.job.valid.set(jobs.valid);
  io.job.payload.set({ ctx: jobs.payload });
  jobs.ready.set(io.job.ready);

  const come = comeIn(io, depth, taken, due.some, packets);
  if (payloadUse(declared) === "read") return { ...come, wrong: constant(0, 1), stray: constant(0, 1) };
  const go = goBack(io, depth, taken, due, packets);
  return {
    done: node(come.done.and(go.done), { name: "payload_done" }),
    wrong: go.wrong,
    progress: come.progress.or(go.progress),
    held: come.held.or(go.held),
    stray: go.stray,
  };
}
