import { clioMessage, dissect, type Dissected, opcode, replyCode, replyFrame, status } from "../../clio/wire/index.ts";
import { type Endpoint, udpFrame } from "../../shared/wire/index.ts";
import { ProtocolError } from "../../../sim/index.ts";
import type { WicCall } from "../model/index.ts";
import type { WicReplyOf } from "./client-host.ts";
import { wordsOfBytes } from "./clio-memory.ts";
import { wicRequestBody } from "./node-host.ts";

export interface WicClientOptions {
  readonly own: Endpoint;
  readonly node: Endpoint;
  readonly pid: number;
  /** Cycles until a request is sent again. */
  readonly timeout: number;
  /** Number of the first request. */
  readonly firstId?: number;
  /** When the frame has gone is known behind it, or not at all. */
  readonly send: (frame: Uint8Array) => { readonly cycle: number | undefined } | undefined;
}
interface Operation {
  readonly call: WicCall;
  readonly first: number;
  readonly done: (r: WicReplyOf) => void;
  readonly taken: { readonly cycle: number | undefined } | undefined;
  due: number;
  result: WicReplyOf | undefined;
}
type Headers = Required<Pick<Dissected, "ethernet" | "ipv4" | "udp" | "clio">>;

/**
 * A client of a Clio node that asks for WICs, and again when no reply comes or the reply is BUSY. Checks each reply
 * byte by byte against the one that the node's wire format makes of its request, and that all replies of an operation
 * say the same.
 */
export class WicClient {
  readonly #o: WicClientOptions;
  readonly #operations = new Map<number, Operation>();
  /** Those without a reply. */
  readonly #open = new Set<Operation>();
  readonly #asked = new Map<number, { readonly operation: Operation; readonly headers: Headers }>();
  #next: number;
  /** Requests sent again, replies of BUSY, and replies that came once more. */
  repeated = 0;
  busy = 0;
  doubled = 0;
  /** Number of the newest request, and of the one that was answered last. */
  asked = 0;
  answered = 0;

  constructor(o: WicClientOptions) {
    this.#o = o;
    this.#next = o.firstId ?? 1;
  }
  /** Operations without a reply. */
  get waiting(): number {
    return this.#open.size;
  }
  /** Number of the newest operation. */
  get newest(): number {
    return [...this.#operations.keys()].at(-1) ?? Number.NaN;
  }
  call(call: WicCall, cycle: number): Promise<WicReplyOf> {
    return new Promise(done => {
      const first = this.#next++ >>> 0;
      const operation = { call, first, done, due: cycle + this.#o.timeout, result: undefined };
      const { frame, headers } = this.#frame(call, first, undefined);
      const whole: Operation = { ...operation, taken: this.#o.send(frame) };
      this.#operations.set(first, whole);
      this.#open.add(whole);
      this.#asked.set(first, { operation: whole, headers });
    });
  }
  /** The same request once more, as a network doubles it or a client has lost patience. */
  again(first: number): void {
    const operation = this.#operations.get(first);
    if (!operation) throw new RangeError(`there is no operation ${first}`);
    const id = this.#next++ >>> 0,
      { frame, headers } = this.#frame(operation.call, id, first);
    this.#asked.set(id, { operation, headers });
    this.#o.send(frame);
    this.repeated++;
  }
  /** Who has waited too long asks again. */
  tick(cycle: number): void {
    for (const o of this.#open)
      if (o.due <= cycle) {
        o.due = cycle + this.#o.timeout;
        this.again(o.first);
      }
  }
  /** Nobody waits any more: what comes later is nobody's. */
  forget(): void {
    this.#operations.clear();
    this.#open.clear();
    this.#asked.clear();
  }
  receive(frame: Uint8Array, cycle: number): void {
    const { clio, body } = dissect(frame),
      asked = clio && this.#asked.get(clio.requestId);
    if (!asked || !body) throw new ProtocolError("a reply that no request has");
    const refused = clio.status === status.BUSY || clio.status === status.MALFORMED,
      expected = replyFrame(
        this.#o.node,
        { ...asked.headers, native: true },
        refused ? opcode.WIC : replyCode(opcode.WIC),
        clio.status,
        body,
      );
    if (Buffer.compare(expected, frame) !== 0)
      throw new ProtocolError(`a reply is ${hex(frame)}; the node's would be ${hex(expected)}`);
    if (clio.status !== status.OK && body.length > 0) throw new ProtocolError("a refusal with words");
    const { operation: o } = asked;
    this.answered = clio.requestId;
    if (clio.status === status.BUSY) {
      this.busy++;
      return;
    }
    const result = {
      status: clio.status,
      words: wordsOfBytes(body),
      taken: o.taken?.cycle ?? Number.NaN,
      replied: cycle,
    };
    if (o.result !== undefined) {
      this.doubled++;
      if (o.result.status !== result.status || String(o.result.words) !== String(result.words))
        throw new ProtocolError(
          `operation ${o.first} is answered ${o.result.status} ${o.result.words.join()}, then ${result.status} ${result.words.join()}`,
        );
      return;
    }
    o.result = result;
    this.#open.delete(o);
    o.done(result);
  }
  #frame(call: WicCall, id: number, first: number | undefined) {
    this.asked = id;
    const { own, node, pid } = this.#o;
    const header = {
      ...{ pid, tag: id & 0xff, opcode: opcode.WIC, seqId: (id * 7) & 0xff, flagTracked: 1, requestId: id },
      ...(first !== undefined && { flagRetry: 1, retryOf: first }),
    };
    const frame = udpFrame(own, node, clioMessage(header, wicRequestBody(call))),
      { ethernet, ipv4, udp, clio } = dissect(frame);
    if (!ethernet || !ipv4 || !udp || !clio) throw new ProtocolError("a request that is none");
    return { frame, headers: { ethernet, ipv4, udp, clio } };
  }
}
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
