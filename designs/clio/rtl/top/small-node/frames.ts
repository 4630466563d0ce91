/** Frames in, as far as the match-and-action table, and frames out. */
import { arbiter, connect, instance, type InstanceOf, node, type StreamIn } from "../../../../../hdl-dsl/index.ts";
import { FrameBuffer } from "../../../../shared/frame/index.ts";
import { Mat } from "../../dispatch/mat.ts";
import type { AccessRead } from "../../memory/access-read.ts";
import { NetRx } from "../../network/net-rx.ts";
import { NetTx } from "../../network/net-tx.ts";
import type { Reply } from "../../records/records.ts";
import { type Build, slots, type SmallNodeParameters } from "./ports.ts";

/** The node's addresses, which are fixed. */
const configOf = (p: SmallNodeParameters) => ({
  mac: p.mac,
  ip: p.ip,
  nativePort: p.nativePort,
  clientPort: p.clientPort,
  acceptAnyMac: 0,
});

export function framesIn({ io, p, w }: Build) {
  const netRx = instance(NetRx({ ...w, clientPorts: p.clientPorts, compact: true }));
  const buffer = instance(FrameBuffer(w));
  const mat = instance(Mat({ slots, maxData: p.maxData, compact: true }));
  connect(io.rx, netRx.rx);
  netRx.config.set(configOf(p));
  buffer.write.set(netRx.bufferWrite);
  connect(netRx.request, mat.request);
  mat.matWrite.set({ en: 0, opcode: 0, entry: { action: 0, write: 0, silent: 0, operation: 0, replyOpcode: 0 } });
  mat.rules.toArray().forEach(r => r.set({ valid: 0, pid: 0, action: 0 }));
  mat.matOpcode.set(0);
  // No way to a slow path: its requests end here, in the cycle in which they come.
  mat.slow.ready.set(1);
  const dropped = node(mat.slow.fire);
  mat.slowRelease.set(dropped);

  return { netRx, buffer, mat, dropped };
}
export type FramesIn = ReturnType<typeof framesIn>;

/** @param replies in the order of their turns */
export function framesOut(
  { io, p, w }: Build,
  { netRx, buffer }: FramesIn,
  data: InstanceOf<typeof AccessRead>["data"],
  replies: StreamIn<ReturnType<typeof Reply>>[],
) {
  const netTx = instance(NetTx({ ...w, compact: true }));
  connect(
    arbiter(replies, {
      policy: "priority",
      name: "replies",
    }),
    netTx.reply,
  );
  netTx.config.set(configOf(p));
  netTx.context.set(netRx.contextWrite.value);
  netTx.word.set(0);
  netTx.waitNs.set(0);
  connect(data, netTx.data);
  netTx.raw.valid.set(0);
  netTx.raw.payload.set({ data: 0, keep: 0, last: 0, user: 0 });
  connect(netTx.echoJob, buffer.echoJob);
  connect(buffer.echoData, netTx.echoData);
  connect(netTx.tx, io.tx);

  return netTx;
}
