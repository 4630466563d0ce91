import type { NodeAddress } from "../../../../designs/clio/client/index.ts";
import { OffloadAccess, type OffloadAnswer, type OffloadMemory } from "../../../../designs/clio/model/index.ts";
import { clioHeader, dissect, frameOffsets, replyFrame } from "../../../../designs/clio/wire/index.ts";
import { encodeInto } from "../../../../designs/shared/wire/index.ts";
import type { Attachment, LinkOptions, NetworkModel } from "../../../../sim/index.ts";
import { modelNode } from "../software/model-node.ts";

export interface ModelStationOptions {
  readonly given?: Readonly<Record<string, unknown>>;
  readonly name?: string;
  /** From a frame's arrival to its reply, ns. */
  readonly serviceNs?: number;
  readonly out?: LinkOptions;
  readonly in?: LinkOptions;
  /**
   * The node's offloads: the answer to a request of the extend path, or the frames of it; undefined: none of them
   * has that opcode.
   */
  readonly offloads?: (
    memory: OffloadMemory,
    pid: number,
    code: number,
    body: Uint8Array,
  ) => OffloadAnswer | readonly OffloadAnswer[] | undefined;
  /**
   * Planted fault: the frame that the node takes in the place of one that arrives; undefined: none, the frame got lost.
   */
  readonly alter?: (frame: Uint8Array) => Uint8Array | undefined;
}

export interface ModelStation {
  readonly address: NodeAddress;
  readonly mac: bigint;
  readonly attachment: Attachment;
  readonly model: Awaited<ReturnType<typeof modelNode>>;
  close(): Promise<void>;
}

/** The frame as if it were no retry: a node that takes frames so executes every retry as if it were new. */
export function asNew(frame: Uint8Array): Uint8Array {
  if (dissect(frame).clio?.flagRetry !== 1) return frame;
  const out = frame.slice();
  encodeInto(clioHeader, { flagRetry: 0 }, out, frameOffsets.clio);
  return out;
}

/**
 * A whole node in TypeScript on a simulated network: reference model, retry memory and the real slow path. A request is
 * executed as it arrives.
 */
export async function modelStation(network: NetworkModel, o: ModelStationOptions = {}): Promise<ModelStation> {
  const model = await modelNode({ ...o.given }),
    { runtime, node, hardware } = model,
    { time } = network;
  let slow: Promise<unknown> = Promise.resolve();
  const send = (frame: Uint8Array): void => {
    time.after(o.serviceNs ?? 400, () => attachment.send(frame));
  };
  const space = new OffloadAccess(model.memory, model.config);
  const offloadReplies = (frame: Uint8Array): Uint8Array[] | undefined => {
    const { ethernet, ipv4, udp, clio } = dissect(frame);
    if (!ethernet || !ipv4 || !udp || !clio) return undefined;
    const given = o.offloads?.(
        space,
        clio.pid,
        clio.opcode,
        frame.slice(frameOffsets.body, frameOffsets.clio + clio.size),
      ),
      native = udp.dstPort === runtime.nativePort;
    return (
      given &&
      [given].flat().map(a => replyFrame(runtime, { ethernet, ipv4, udp, clio, native }, a.opcode, a.status, a.body))
    );
  };
  const attachment: Attachment = network.attach(o.name ?? "node", {
    mac: runtime.mac,
    ...(o.out && { out: o.out }),
    ...(o.in && { in: o.in }),
    receive: (frame, damaged) => {
      const taken = o.alter ? o.alter(frame) : frame;
      if (taken === undefined) return;
      const outcome = node.receive(taken, damaged);
      if (outcome.kind === "reply") send(outcome.frame);
      if (outcome.kind === "forward" && outcome.to === "extend") {
        const answers = offloadReplies(outcome.frame);
        if (answers) {
          for (const a of answers) send(a);
          return;
        }
      }
      // The fake hardware takes one request after another.
      if (outcome.kind === "forward")
        slow = slow.then(async () => {
          send(await hardware.request(outcome.frame));
        });
    },
  });
  return {
    address: { ip: runtime.ip, port: runtime.nativePort },
    mac: runtime.mac,
    attachment,
    model,
    close: async () => {
      await slow;
      await model.close();
    },
  };
}
