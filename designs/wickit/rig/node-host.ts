import { encode } from "../../shared/wire/index.ts";
import { opcode, status } from "../../clio/wire/index.ts";
import { OffloadHost, type OffloadHostOptions, type OffloadPorts } from "../../clio/rig/index.ts";
import { type Bench, ProtocolError } from "../../../sim/index.ts";
import type { WicCall } from "../model/index.ts";
import { loadProgram, wicHead } from "../wire/index.ts";
import type { WicReplyOf } from "./client-host.ts";
import { bytesOfWords, wordsOfBytes } from "./clio-memory.ts";

export interface NodeHostOptions extends OffloadHostOptions {
  /** The process that asks, and the one that may load the image. */
  readonly process: number;
  readonly loader: number;
}

/** The body of a WIC request. */
export const wicRequestBody = ({ program, words }: WicCall): Uint8Array =>
  new Uint8Array([...encode(wicHead, { program, unused: new Uint8Array(6) }), ...bytesOfWords(words)]);

/** Requests for an engine at the node, with the node's memory around it: the same calls as `ClientHost` has. */
export class NodeHost {
  readonly host: OffloadHost;
  readonly #o: NodeHostOptions;

  constructor(b: Bench<OffloadPorts>, o: NodeHostOptions) {
    this.host = new OffloadHost(b, o);
    this.#o = o;
  }

  /** Eight instructions a request, each with its place. */
  async load(image: readonly number[]): Promise<void> {
    for (let at = 0; at < image.length; at += 8) {
      const words = image.slice(at, at + 8).map((w, i) => (BigInt(at + i) << 32n) | BigInt(w));
      const reply = await this.#ask({ program: loadProgram, words }, this.#o.loader);
      if (reply.status !== status.OK) throw new ProtocolError("the node refuses the image");
    }
  }
  call(call: WicCall): Promise<WicReplyOf> {
    return this.#ask(call, this.#o.process);
  }
  all(calls: readonly WicCall[]): Promise<WicReplyOf[]> {
    return Promise.all(calls.map(c => this.call(c)));
  }
  drained(): Promise<void> {
    return this.host.drained();
  }

  async #ask(call: WicCall, pid: number): Promise<WicReplyOf> {
    const { replies, taken } = await this.host.call({ opcode: opcode.WIC, pid, body: wicRequestBody(call) }),
      [reply] = replies;
    if (!reply || taken === undefined) throw new ProtocolError("a request has no reply");
    return { status: reply.status, words: wordsOfBytes(reply.body), taken, replied: reply.cycle };
  }
}
