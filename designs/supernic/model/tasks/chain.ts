/** What a region must do with a packet: its tasks' models one after another, held to their declarations. */
import { type Declared, payloadUse, taskHeaderBytes, trailerBytes } from "../../wire/index.ts";
import type { TaskAnswerModel, TaskModel, TaskPacketModel } from "./task.ts";

/** A task of a chain. */
export interface ChainTask {
  readonly declared: Declared;
  readonly model: TaskModel;
}
/** What is to go in front of a packet, and what is left out. */
export interface Front {
  readonly prepend: number;
  readonly frontBytes: number;
  readonly dropFront: number;
}
/** A packet that enters a region, and the slots that it takes. */
export interface ChainEntry extends TaskPacketModel, Front {
  readonly run: readonly number[];
}
/** A frame that a task made, and the slot of the task. */
export interface Made {
  readonly slot: number;
  readonly port: number;
  readonly bytes: Uint8Array;
}
/** A packet behind the region. */
export interface ChainExit extends Front {
  readonly header: Uint8Array;
  /** Bytes that were written, a bit each. */
  readonly mask: bigint;
  /** Undefined: the packet's own was not given. */
  readonly payload?: Uint8Array | undefined;
  /** What stands behind the payload, or that its last 16 bytes are left out. */
  readonly trailer?: TaskAnswerModel["trailer"];
  readonly reply: boolean;
  /** Frames that its tasks made. */
  readonly made?: readonly Made[];
  /** It has no order among the packets of its flow. */
  readonly unordered?: boolean;
  readonly dropped: boolean;
  /** Slots that it was to take behind the one that dropped it. */
  readonly refund: readonly number[];
}

const has = (bytes: bigint, i: number): boolean => ((bytes >> BigInt(i)) & 1n) === 1n;

/** The answer wants more in front, or less of the packet, than is declared or there is. */
function growsTooFar(at: ChainEntry & Front, a: TaskAnswerModel, d: Declared): boolean {
  const { prepend = 0, frontBytes = 0, dropFront = 0 } = a;
  return (
    frontBytes > d.growth ||
    prepend > 0 !== frontBytes > 0 ||
    (prepend > 0 && at.prepend > 0) ||
    dropFront > d.leavesOut ||
    (dropFront > 0 && at.dropFront > 0) ||
    dropFront > at.headBytes ||
    (a.trailer === "cut" && at.payloadBytes <= trailerBytes) ||
    (dropFront === at.headBytes && at.payloadBytes === 0)
  );
}

/** A payload behind a task that writes it. @throws RangeError for a model that changes its length */
function written(before: Uint8Array | undefined, after: Uint8Array | undefined): Uint8Array | undefined {
  if (before !== undefined && after !== undefined && before.length !== after.length)
    throw new RangeError(`a task made ${after.length} bytes of payload from ${before.length}`);
  return after ?? before;
}

/** A packet's way through a chain, as docs/supernic/region.md has it; tasks keep their state. */
export function throughChain(tasks: readonly ChainTask[], entry: ChainEntry): ChainExit {
  const header = Uint8Array.from(entry.header);
  const front = { prepend: entry.prepend, frontBytes: entry.frontBytes, dropFront: entry.dropFront };
  let mask = 0n,
    reply = false,
    unordered = false,
    trailer: TaskAnswerModel["trailer"],
    { payload } = entry;
  const made: Made[] = [];
  for (const [i, slot] of entry.run.entries()) {
    const task = tasks[slot];
    if (task === undefined) throw new RangeError(`slot ${slot} of a chain of ${tasks.length} has no task`);
    const { declared, model } = task;
    const seen = header.map((b, at) => (has(declared.reads, at) ? b : 0));
    const { payload: _, ...told } = entry,
      use = payloadUse(declared);
    const answer = model.answer({ ...told, header: seen, ...(use !== "none" && payload !== undefined && { payload }) });
    made.push(...(answer.made ?? []).map(m => ({ slot, ...m })));
    if (answer.unordered === true) unordered = true;
    if (use === "write") payload = written(payload, answer.payload);
    if (answer.verdict === "drop" || growsTooFar({ ...entry, ...front }, answer, declared))
      return { header, mask, ...front, payload, reply, made, unordered, dropped: true, refund: entry.run.slice(i + 1) };
    for (const [at, byte] of answer.writes ?? [])
      if (at < taskHeaderBytes && has(declared.writes, at)) {
        header[at] = byte;
        mask |= 1n << BigInt(at);
      }
    if (answer.prepend) Object.assign(front, { prepend: answer.prepend, frontBytes: answer.frontBytes ?? 0 });
    if (answer.dropFront) front.dropFront = answer.dropFront;
    reply ||= answer.verdict === "reply";
    trailer = answer.trailer ?? trailer;
  }
  const trailers = trailer && { trailer };
  return { header, mask, ...front, payload, ...trailers, reply, made, unordered, dropped: false, refund: [] };
}
