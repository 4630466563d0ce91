import { beatsOfBody, BodyCollector } from "./bodies.ts";
import type { OffloadParameters } from "../../offload/index.ts";
import { Fifo, ProtocolError, type Sent, StreamSink, StreamSource } from "../../../../sim/index.ts";
import type { Surroundings } from "./surroundings.ts";

/** A request for the offload, as a process sends it. */
export interface OffloadCallRequest {
  readonly opcode: number;
  readonly pid: number;
  /** Everything behind the Clio header. */
  readonly body: Uint8Array;
}
/** A reply. `cycle` is the edge at which its header was taken, `end` that of its last byte. */
export interface OffloadReplyOf {
  readonly status: number;
  readonly opcode: number;
  readonly body: Uint8Array;
  readonly more: boolean;
  readonly cycle: number;
  readonly end: number;
}
/**
 * A request on its way. `taken`: the edge at which the offload took it; `done`: the edge of its last reply's last byte.
 */
export interface OffloadCall extends OffloadCallRequest {
  readonly context: number | undefined;
  readonly taken: number | undefined;
  readonly done: number | undefined;
  readonly replies: readonly OffloadReplyOf[];
}

interface Call extends OffloadCallRequest {
  context: number | undefined;
  taken: number | undefined;
  done: number | undefined;
  readonly replies: OffloadReplyOf[];
  header: Sent<unknown> | undefined;
}
interface ReplyHeader {
  readonly call: Call;
  readonly status: number;
  readonly opcode: number;
  readonly more: boolean;
  readonly cycle: number;
}

/**
 * The side of an offload that processes see: requests under free contexts, replies against the
 * rules of designs/clio/offload.
 */
export class Calls {
  readonly #p: OffloadParameters;
  readonly #s: Surroundings;
  readonly #request;
  readonly #requestData;
  readonly #reply;
  readonly #replyData;
  readonly #bodies: BodyCollector<ReplyHeader>;
  /** By context: the request that has it. */
  readonly #contexts: (Call | undefined)[];
  readonly #waiting = new Fifo<Call>();
  readonly #handed: Call[] = [];
  /** Requests without their last reply. */
  open = 0;
  #cycle = 0;

  constructor(s: Surroundings, parameters: OffloadParameters) {
    this.#p = parameters;
    this.#s = s;
    this.#contexts = Array.from({ length: parameters.contexts }, () => undefined);
    this.#bodies = new BodyCollector("reply_data", parameters.beatBytes, (header, body) =>
      this.#complete(header, body),
    );
    const { sim, io, pause, hold } = s;
    this.#request = new StreamSource(sim, io.request, { pause: pause("request") });
    this.#requestData = new StreamSource(sim, io.requestData, { pause: pause("requestData") });
    this.#reply = new StreamSink(sim, io.reply, { pause: pause("reply") });
    const paused = pause("replyData");
    this.#replyData = new StreamSink(sim, io.replyData, { pause: () => paused() || (hold && !this.#bodies.owes) });
  }

  ask(request: OffloadCallRequest): OffloadCall {
    const call: Call = {
      ...request,
      context: undefined,
      taken: undefined,
      done: undefined,
      replies: [],
      header: undefined,
    };
    this.#waiting.push(call);
    this.open++;
    return call;
  }

  /** The request that has a context and has not been answered. */
  active(context: number): OffloadCall | undefined {
    const call = this.#contexts[context];
    return call?.taken === undefined ? undefined : call;
  }
  /** Requests that the offload has taken and not answered. */
  get taken(): readonly OffloadCall[] {
    return this.#contexts.filter(c => c?.taken !== undefined) as readonly OffloadCall[];
  }
  /** Beats on reply_data that belong to no reply. */
  get stray(): number {
    return this.#bodies.early + (this.#s.io.replyData.valid.value !== 0 && !this.#bodies.owes ? 1 : 0);
  }

  /** @returns whether anything moved */
  sample(cycle: number): boolean {
    this.#cycle = cycle;
    let moved = false;
    while (this.#handed[0]?.header?.cycle !== undefined) {
      const call = this.#handed.shift() as Call;
      call.taken = call.header?.cycle;
      moved = true;
    }
    for (let seen = this.#reply.take(); seen; seen = this.#reply.take(), moved = true) this.#answer(seen.value, cycle);
    for (let seen = this.#replyData.take(); seen; seen = this.#replyData.take(), moved = true) {
      this.#bodies.beat({ data: BigInt(seen.value.data), last: seen.value.last });
    }
    this.#hand();
    return moved;
  }

  forget(): void {
    this.#request.forget();
    this.#requestData.forget();
    this.#bodies.forget();
    this.#reply.received.length = this.#replyData.received.length = this.#handed.length = 0;
    while (this.#waiting.shift());
    this.#contexts.fill(undefined);
    this.open = 0;
  }

  /** Gives waiting requests a context, any of the free ones, and hands them over. */
  #hand(): void {
    while (this.#waiting.length > 0) {
      const free = this.#contexts.flatMap((c, i) => (c === undefined ? [i] : []));
      if (free.length === 0) return;
      const call = this.#waiting.shift() as Call,
        context = this.#s.random.pick(free);
      this.#contexts[context] = call;
      call.context = context;
      call.header = this.#request.send({ context, opcode: call.opcode, pid: call.pid, length: call.body.length });
      for (const beat of beatsOfBody(call.body, this.#p.beatBytes, this.#s.random)) this.#requestData.send(beat);
      this.#handed.push(call);
    }
  }

  #answer(
    payload: Readonly<Record<"context" | "status" | "opcode" | "length" | "more", number | bigint>>,
    cycle: number,
  ): void {
    const context = Number(payload.context),
      call = this.#contexts[context],
      length = Number(payload.length);
    if (call?.taken === undefined) {
      throw new ProtocolError(
        `reply: a reply to context ${context} at cycle ${cycle}, which has no request${call ? " yet" : ""}; ` +
          "a context is the request's until its last reply",
      );
    }
    if (length > this.#s.mostReply) {
      throw new ProtocolError(
        `reply: length = ${length} at cycle ${cycle} is more than the ${this.#s.mostReply} bytes that a frame has room for`,
      );
    }
    const more = Number(payload.more) !== 0;
    if (!more) this.#contexts[context] = undefined;
    this.#bodies.header({ call, status: Number(payload.status), opcode: Number(payload.opcode), more, cycle }, length);
  }

  #complete({ call, ...reply }: ReplyHeader, body: Uint8Array): void {
    call.replies.push({ ...reply, body, end: this.#cycle });
    if (reply.more) return;
    call.done = this.#cycle;
    this.open--;
  }
}
