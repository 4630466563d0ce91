import type { FrameClient } from "../../workload/index.ts";
import { clioHeader, frameOffsets, opcode, status } from "../../wire/index.ts";
import { decode } from "../../../shared/wire/index.ts";
import type { SimulatedNode } from "../../rig/index.ts";
import { CheckFailed } from "../../../shared/command-line/index.ts";

/** A request and its answer at the node's ports. Times are edges. */
export interface Answer {
  readonly in: { readonly start: number; readonly end: number };
  readonly out: { readonly start: number; readonly end: number };
  readonly frame: Uint8Array;
  /** From the last beat in to the first beat out, cycles. */
  readonly latency: number;
}

/** Quiet cycles between requests: work behind an answer (an entry on its way to memory) has ended. */
const pause = 24;

/** Sends a node one request at a time. */
export class Probe {
  private readonly node: SimulatedNode;
  constructor(node: SimulatedNode) {
    this.node = node;
  }

  /** Makes the client known, which would cost its first write a cycle. */
  async greet(client: FrameClient): Promise<void> {
    await this.ask(client.request(opcode.FENCE, 0));
  }

  /** @param data what a read must give @throws CheckFailed when the answer is not OK, or gives other data */
  async ask(request: Uint8Array, data?: Uint8Array): Promise<Answer> {
    const { bench, mac } = this.node;
    await bench.cycles(pause);
    const sent = this.node.send(request);
    await bench.until(() => mac.received.length > 0);
    const frame = this.node.take();
    if (frame === undefined || sent.start === undefined || sent.end === undefined)
      throw new CheckFailed("an answer came before its request was in");
    const { status: code } = decode(clioHeader, frame.bytes, frameOffsets.clio);
    if (code !== status.OK) throw new CheckFailed(`the node answers a request of a figure with status ${code}`);
    const got = frame.bytes.subarray(-(data?.length ?? 1));
    if (data?.some((b, i) => b !== got[i]) === true)
      throw new CheckFailed("a read of a figure gives other data than stand in its page");
    return {
      in: { start: sent.start, end: sent.end },
      out: { start: frame.start, end: frame.end },
      frame: frame.bytes,
      latency: frame.start - sent.end,
    };
  }
}
