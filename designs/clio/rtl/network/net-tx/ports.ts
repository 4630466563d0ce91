/** Parameters and ports of net_tx. */
import { input, type Inside, output, sink, source, uint } from "../../../../../hdl-dsl/index.ts";
import {
  AxisBeat,
  BufferBeat,
  BufferJob,
  ReadBeat,
  Release,
  slotBeatBits,
  slotBits,
} from "../../../../shared/frame/index.ts";
import { cells } from "../../../../shared/stream/index.ts";
import { NetConfig, Reply, ReplyContext, waitBits } from "../../records/records.ts";
import { ContextRead } from "../reply-contexts.ts";
import { headerBytes } from "../reply-frame.ts";

export interface NetTxParameters {
  readonly beatBytes: number;
  readonly slots: number;
  readonly frameBytes: number;
  /**
   * Without the registers between the stages and at the output (cells.ts): 3 cycles from `reply` to its first beat. One
   * reply waits behind the one being sent, and two in front of both.
   */
  readonly compact?: true;
}

export const netTxPorts = (p: NetTxParameters) => ({
  config: input(NetConfig),
  reply: sink(Reply(p)),
  contextRead: output(ContextRead(p)),
  context: input(ReplyContext),
  /** The word kept for a slot, in the same cycle. */
  wordSlot: output(uint(slotBits(p))),
  word: input(uint(64)),
  /** Nanoseconds that a client has to wait, as they are when a reply with `replyWord.wait` is built. */
  waitNs: input(uint(waitBits)),
  data: sink(ReadBeat(p.beatBytes)),
  echoJob: source(BufferJob(p)),
  echoData: sink(BufferBeat(p.beatBytes)),
  raw: sink(AxisBeat(p.beatBytes)),
  tx: source(AxisBeat(p.beatBytes)),
  release: output(Release(p)),
});

/** Widths that the stages share. */
export function build(io: Inside<ReturnType<typeof netTxPorts>>, p: NetTxParameters) {
  const headerBeats = Math.ceil(headerBytes / p.beatBytes);
  return {
    io,
    p,
    beatBytes: p.beatBytes,
    compact: p.compact === true,
    ...cells(p.compact === true),
    laneBits: Math.log2(p.beatBytes),
    beatBits: slotBeatBits(p),
    /** Beats with bytes of the header, and their bytes. */
    headerBeats,
    headerLanes: headerBeats * p.beatBytes,
  };
}
export type Build = ReturnType<typeof build>;
