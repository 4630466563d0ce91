/** Frames in, as far as the match-and-action table, and frames out. */
import { connect, instance, type InstanceOf, stage } from "../../../../../hdl-dsl/index.ts";
import { FrameBuffer, SlotPool, SlotWords } from "../../../../shared/frame/index.ts";
import type { Control } from "../../dispatch/control.ts";
import type { Finish } from "../../dispatch/finish.ts";
import { Mat } from "../../dispatch/mat.ts";
import type { AccessRead } from "../../memory/access-read.ts";
import { NetRx } from "../../network/net-rx.ts";
import { NetTx } from "../../network/net-tx.ts";
import { ProcessKeys } from "../../network/process-keys.ts";
import { ReplyContexts } from "../../network/reply-contexts.ts";
import { operandBits } from "../../records/records.ts";
import type { RetryBuffer } from "../../retry/retry-buffer.ts";
import { SlowRx } from "../../slow-path/slow-rx.ts";
import { wordBits } from "../../sync/sync-ops.ts";
import type { Build } from "./ports.ts";

/** Frames in: net_rx, with slots, headers and bodies kept beside it. */
export function framesIn({ io, p, c, w }: Build, control: InstanceOf<typeof Control>) {
  const pool = instance(SlotPool({ slots: w.slots, releases: 5 }));
  const operands = instance("operands", SlotWords({ slots: w.slots, width: operandBits }));
  const netRx = instance(
    NetRx({
      beatBytes: w.beatBytes,
      slots: w.slots,
      frameBytes: w.frameBytes,
      clientPorts: c.clientPorts,
      ...(p.countsOffloads === true && { internal: true }),
      ...(c.processKeys > 0 && { keys: true }),
    }),
  );
  if (c.processKeys > 0) {
    const keys = instance("keys", ProcessKeys({ keys: c.processKeys }));
    keys.order.set(control.keyOrder);
    keys.read.set(netRx.keyRead);
    netRx.key.set(keys.key);
    netRx.keysClearing.set(keys.clearing);
    control.keysClearing.set(keys.clearing);
  }
  const buffer = instance(FrameBuffer({ slots: w.slots, beatBytes: w.beatBytes, frameBytes: w.frameBytes }));
  const replyContexts = instance(ReplyContexts({ slots: w.slots }));
  connect(io.rx, netRx.rx);
  connect(pool.offer, netRx.slot);
  netRx.config.set(control.config);
  if (p.exportsConfig === true) io.netConfig.set(control.config);
  buffer.write.set(netRx.bufferWrite);
  replyContexts.write.set(netRx.contextWrite);
  operands.write.set(netRx.operandsWrite);

  return { pool, operands, netRx, buffer, replyContexts };
}
export type FramesIn = ReturnType<typeof framesIn>;

/** The three paths: fast, slow, extend. */
export function paths({ io, c, w }: Build, control: InstanceOf<typeof Control>, { netRx, buffer }: FramesIn) {
  const mat = instance(Mat({ slots: w.slots, maxData: c.maxData }));
  connect(netRx.request, mat.request);
  mat.matWrite.set(control.matWrite);
  mat.rules.set(control.rules);
  mat.matOpcode.set(control.matOpcode);
  control.matEntry.set(mat.matEntry);
  const slowRx = instance(SlowRx({ slots: w.slots, beatBytes: w.beatBytes, frameBytes: w.frameBytes }));
  connect(mat.slow, slowRx.frame);
  // The slow path may take its time: whether it can have the buffer is not for the fast path to wait for.
  connect(stage(slowRx.job, "full", { name: "slow_job" }), buffer.slowJob);
  connect(buffer.slowData, slowRx.beats);
  connect(slowRx.socRx, io.socRx);
  mat.slowRelease.set(slowRx.release.valid);

  return { mat, slowRx };
}

/** Frames out. */
export function framesOut(
  { io, w }: Build,
  control: InstanceOf<typeof Control>,
  { replyContexts, buffer }: FramesIn,
  { retry, finish, reader }: Answering,
) {
  const netTx = instance(NetTx({ beatBytes: w.beatBytes, slots: w.slots, frameBytes: w.frameBytes }));
  netTx.config.set(control.config);
  connect(finish.reply, netTx.reply);
  retry.wordSlot.set(netTx.wordSlot);
  netTx.word.set(retry.word.is(wordBits));
  netTx.waitNs.set(retry.waitNs);
  replyContexts.read.set(netTx.contextRead);
  netTx.context.set(replyContexts.value);
  connect(reader.data, netTx.data);
  connect(netTx.echoJob, buffer.echoJob);
  connect(buffer.echoData, netTx.echoData);
  connect(io.socTx, netTx.raw);
  connect(netTx.tx, io.tx);

  return netTx;
}
/** What a reply is made of. */
interface Answering {
  readonly retry: InstanceOf<typeof RetryBuffer>;
  readonly finish: InstanceOf<typeof Finish>;
  readonly reader: InstanceOf<typeof AccessRead>;
}
