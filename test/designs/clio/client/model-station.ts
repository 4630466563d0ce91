import type { NodeAddress } from "../../../../designs/clio/client/index.ts";
import { classify, ReferenceNode, RetryModel, type Request } from "../../../../designs/clio/model/index.ts";
import { defaultAction, dissect, opcode, replyCode, replyFrame, status, type Action } from "../../../../designs/packets/index.ts";
import type { Attachment, LinkOptions, NetworkModel } from "../../../../sim/index.ts";
import { modelNode } from "../software/model-node.ts";

const kept = new Set<number>([opcode.WRITE, opcode.WRITE_NOREPLY, opcode.DEREF_WRITE, opcode.ATOMIC_TAS, opcode.ATOMIC_CAS, opcode.ATOMIC_FAA, opcode.ATOMIC_STORE]);
const fast = new Set<number>([...kept, opcode.DEREF_READ, opcode.FENCE]);
/** The match-and-action table of a node that has the sync unit. */
const action = (code: number): Action => (fast.has(code) ? "fast" : defaultAction(code));

export interface ModelStationOptions {
  readonly given?: Readonly<Record<string, unknown>>;
  readonly name?: string;
  /** From a frame's arrival to its reply, ns. */
  readonly serviceNs?: number;
  readonly out?: LinkOptions; readonly in?: LinkOptions;
  /** Planted fault: every retry is executed as if it were new. */
  readonly forgetful?: boolean;
  /** Answers in the place of the node, when it gives something: a status, header only. */
  readonly intercept?: (request: Request) => number | undefined;
}

export interface ModelStation {
  readonly address: NodeAddress; readonly mac: bigint;
  readonly attachment: Attachment;
  readonly model: Awaited<ReturnType<typeof modelNode>>;
  /** Requests executed, replies given from memory, and refused as EXPIRED. */
  readonly counts: { executed: number; answered: number; expired: number };
  close(): Promise<void>;
}

/** A whole node in TypeScript on a simulated network: reference model, retry memory and the real slow path. A request is executed as it arrives. */
export async function modelStation(network: NetworkModel, o: ModelStationOptions = {}): Promise<ModelStation> {
  const model = await modelNode({ ...o.given }), { config, runtime } = model, { time } = network;
  const node = new ReferenceNode(config, runtime, model.memory, action), retry = new RetryModel(config), replies = new Map<string, { code: number; status: number; body: Uint8Array }>();
  const counts = { executed: 0, answered: 0, expired: 0 };
  let slot = 0, slow: Promise<unknown> = Promise.resolve();
  const attachment = network.attach(o.name ?? "node", {
    mac: runtime.mac, ...(o.out && { out: o.out }), ...(o.in && { in: o.in }), receive: (frame, damaged) => { receive(frame, damaged); },
  });
  const send = (frame: Uint8Array): void => { time.after(o.serviceNs ?? 400, () => { attachment.send(frame); }); };

  /** The request's own turn, after what the retry memory says of it. */
  function execute(frame: Uint8Array, damaged: boolean, remember?: (reply: Uint8Array) => void): void {
    counts.executed++;
    const outcome = node.receive(frame, damaged);
    if (outcome.kind === "reply") { remember?.(outcome.frame); send(outcome.frame); }
    // The fake hardware takes one request after another.
    if (outcome.kind === "forward") slow = slow.then(async () => { send(await model.hardware.request(outcome.frame)); });
  }
  function receive(frame: Uint8Array, damaged: boolean): void {
    const verdict = classify(frame, node.filter);
    if (damaged || verdict.kind !== "request" || !verdict.request.native) { execute(frame, damaged); return; }
    const { request } = verdict, { clio, ipv4, udp } = request;
    const instead = o.intercept?.(request);
    if (instead !== undefined) { send(replyFrame(runtime, request, clio.opcode, instead)); return; }
    const forgotten = o.forgetful === true && clio.flagRetry === 1;
    const client = BigInt(ipv4.src) << 16n | BigInt(udp.srcPort), operation = clio.flagRetry === 1 ? clio.retryOf : clio.requestId, key = `${client}:${operation}`, mine = slot++;
    const said = retry.request({
      slot: mine, tracked: clio.flagTracked === 1, keeps: kept.has(clio.opcode) && !forgotten, fence: clio.opcode === opcode.FENCE,
      introduces: clio.opcode === opcode.FENCE || (kept.has(clio.opcode) && clio.flagRetry === 0),
      client, operation,
    });
    switch (said.kind) {
      case "pass": case "fence": {
        execute(frame, false, reply => {
          const done = dissect(reply);
          retry.complete(mine, done.clio?.status ?? 0, 0n);
          if (done.clio && done.body) replies.set(key, { code: done.clio.opcode, status: done.clio.status, body: done.body });
        });
        return;
      }
      case "repeats": {
        const known = replies.get(key);
        counts.answered++;
        send(known ? replyFrame(runtime, request, known.code, known.status, known.body) : replyFrame(runtime, request, clio.opcode, status.BUSY));
        return;
      }
      case "expired": counts.expired++; send(replyFrame(runtime, request, replyCode(clio.opcode), status.EXPIRED, new Uint8Array(12))); return;
      case "noPlace": send(replyFrame(runtime, request, clio.opcode, status.BUSY));
    }
  }
  return {
    address: { ip: runtime.ip, port: runtime.nativePort }, mac: runtime.mac, attachment, model, counts,
    close: async () => { await slow; await model.close(); },
  };
}
