/** What a network task must do, packet by packet: the oracle beside its hardware. */
import { type StateWord, type TaskVerdictName } from "../../wire/index.ts";

/** A packet as a task sees it. */
export interface TaskPacketModel {
  /** 64 bytes; those that the task did not declare are 0. */
  readonly header: Uint8Array;
  readonly uid: number;
  readonly user: number;
  readonly ingress: number;
  readonly flowHash: number;
  readonly headBytes: number;
  readonly payloadBytes: number;
  readonly noL4: boolean;
  readonly arg: number;
  /** Of a task that declares payload: `payloadBytes` bytes. */
  readonly payload?: Uint8Array;
}
/** A task's answer. What is left out is nothing: no byte is written, and nothing goes in front. */
export interface TaskAnswerModel {
  readonly verdict: TaskVerdictName;
  /** Bytes of the header that it writes, by their number. */
  readonly writes?: ReadonlyMap<number, number>;
  readonly prepend?: number;
  readonly frontBytes?: number;
  readonly dropFront?: number;
  /** Of a task that writes payload: as many bytes in place of those that came. */
  readonly payload?: Uint8Array;
  /** Which of several packets this answer is given to, nobody can tell: it has no order among those of its flow. */
  readonly unordered?: boolean;
  /** Of a task that makes frames: those that it makes of this packet, in their order. */
  readonly made?: readonly { readonly port: number; readonly bytes: Uint8Array }[];
  /** Of a task with a trailer: the bytes that it puts behind, or that the last 16 of the payload are left out. */
  readonly trailer?: Uint8Array | "cut";
  /** What this answer takes for true. */
  readonly claim?: TaskClaim;
}
/** What only a frame that leaves shows: whether the answer can still be, and that it was so. */
export interface TaskClaim {
  possible(): boolean;
  shown(): void;
  /** The packet does not leave, whatever this task says: nothing will show it. */
  hidden(): void;
}
/** Frames that a task makes by itself: no packet's answer has them. */
export interface OwnFrames {
  /** A frame has left. @returns what is wrong with it, "" when nothing is; undefined: it is none of the task's */
  left(port: number, frame: Uint8Array): string | undefined;
  /** What must come yet. */
  readonly outstanding: number;
  /** The run is over. @param lost frames that counters tell of. @returns what was wrong */
  finish(lost: number): readonly string[];
}
export interface TaskModel {
  answer(packet: TaskPacketModel): TaskAnswerModel;
  /** Of a task that makes frames by itself. */
  readonly own?: OwnFrames;
  /** A word of configuration; a task without any ignores it. */
  configure?(at: number, data: bigint): void;
  /** Of a task that keeps state: its words that are not 0, in the order of their places. */
  words?(): readonly StateWord[];
  /** A word of state is written. */
  put?(word: StateWord): void;
}

export const passOn: TaskAnswerModel = { verdict: "forward" };
/** Dummy and delay: every packet goes on as it is. */
export const identity = (): TaskModel => ({ answer: () => passOn });

/** Every byte of the payload changed by `arg`. */
export const xorModel = (): TaskModel => ({
  answer: ({ payload, arg }) => ({ verdict: "forward", ...(payload && { payload: payload.map(b => b ^ arg) }) }),
});

/** Bytes that are written from byte `from` on. */
export const writesAt = (from: number, bytes: readonly number[]): [number, number][] =>
  bytes.map((b, i) => [from + i, b & 255]);
