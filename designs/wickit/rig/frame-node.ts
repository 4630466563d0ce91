import type { OffloadMemory } from "../../clio/model/index.ts";
import {
  accessBody,
  clioHeader,
  dissect,
  type Dissected,
  frameOffsets,
  opcode,
  replyCode,
  replyFrame,
  status,
} from "../../clio/wire/index.ts";
import { concat, decode, encode, type Endpoint, ethernetHeader, udpFrame } from "../../shared/wire/index.ts";
import { ProtocolError, type Random, type Simulation } from "../../../sim/index.ts";

export interface FrameNodeOptions {
  readonly memory: OffloadMemory;
  readonly own: Endpoint;
  readonly client: Endpoint;
  readonly random: Random;
  /** Cycles from a request's last beat to its reply, and so many more at random. */
  readonly latency: number;
  readonly jitter?: number;
  /** Probabilities, for frames of each way. */
  readonly loss?: number;
  readonly duplicate?: number;
  readonly corrupt?: number;
  /** Of a request: answered BUSY. */
  readonly busy?: number;
}
/** Where the frames of a client come out, and the node's go in. */
export interface FrameEnds {
  take(): { readonly bytes: Uint8Array } | undefined;
  send(bytes: Uint8Array, o: { readonly damaged: boolean }): unknown;
}
type Request = Required<Dissected>;
interface Event {
  readonly at: number;
  readonly act: () => void;
}

const recorded: ReadonlySet<number> = new Set([
  opcode.WRITE,
  opcode.ATOMIC_TAS,
  opcode.ATOMIC_CAS,
  opcode.ATOMIC_FAA,
  opcode.ATOMIC_STORE,
]);

/**
 * A Clio node as a client's frames see it, behind a network with faults: memory, and a retry buffer that forgets
 * nothing (docs/clio/wire-format.md). Checks each frame byte by byte against the one that the wire format makes of its
 * fields, and that numbers are used as the format says.
 */
export class FrameNode {
  readonly #sim: Simulation;
  readonly #mac: FrameEnds;
  readonly #o: FrameNodeOptions;
  readonly #done = new Map<number, { readonly status: number; readonly code: number; readonly body: Uint8Array }>();
  readonly #ids = new Set<number>();
  #events: Event[] = [];
  #greeted = false;
  /** Requests that came, and those of them that were done in memory. */
  came = 0;
  performed = 0;
  /** It answers nothing, and does nothing. */
  silent = false;
  /** The number that the next greeting must have, when that is known. */
  firstNumber: number | undefined;

  constructor(sim: Simulation, mac: FrameEnds, o: FrameNodeOptions) {
    this.#sim = sim;
    this.#mac = mac;
    this.#o = o;
    sim.onEdge({ sample: cycle => this.#sample(cycle) });
  }

  #sample(cycle: number): void {
    for (let f = this.#mac.take(); f; f = this.#mac.take()) {
      const { bytes } = f;
      this.#travel(cycle, damaged => this.#request(bytes, damaged, this.#sim.cycle));
    }
    const due = this.#events.filter(e => e.at <= cycle);
    this.#events = this.#events.filter(e => e.at > cycle);
    for (const e of due) e.act();
  }
  /** A frame's way through the network: lost, doubled, damaged, late. */
  #travel(cycle: number, act: (damaged: boolean) => void): void {
    const { random, loss = 0, duplicate = 0, corrupt = 0, latency, jitter = 0 } = this.#o;
    const copies = random.chance(loss) ? 0 : random.chance(duplicate) ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      const damaged = random.chance(corrupt);
      this.#events.push({ at: cycle + Math.floor(latency / 2) + random.between(0, jitter), act: () => act(damaged) });
    }
  }

  #broken(frame: Uint8Array): Uint8Array {
    const out = frame.slice(),
      at = this.#o.random.between(0, out.length - 1);
    out[at] = (out[at] ?? 0) ^ (1 << this.#o.random.between(0, 7));
    return out;
  }

  #request(frame: Uint8Array, damaged: boolean, cycle: number): void {
    const q = dissect(frame) as Request;
    this.#check(frame, q);
    if (this.silent) return;
    const reply = (code: number, state: number, ...body: Uint8Array[]): void => {
      const bytes = replyFrame(this.#o.own, { ...q, native: true }, code, state, ...body);
      this.#travel(cycle, bad => this.#mac.send(bad ? this.#broken(bytes) : bytes, { damaged: bad }));
    };
    if (damaged) {
      reply(q.clio.opcode, status.NACK);
      return;
    }
    this.came++;
    if (q.clio.opcode === opcode.FENCE) {
      this.#greeted = true;
      reply(opcode.FENCE, status.OK);
      return;
    }
    if (!this.#greeted) throw new ProtocolError("a request came before the greeting was answered");
    if (this.#o.random.chance(this.#o.busy ?? 0)) {
      reply(q.clio.opcode, status.BUSY);
      return;
    }
    const operation = q.clio.flagRetry === 1 ? q.clio.retryOf : q.clio.requestId,
      known = this.#done.get(operation);
    if (known && recorded.has(q.clio.opcode)) {
      reply(known.code, known.status, known.body);
      return;
    }
    const { va, length } = decode(accessBody, q.body);
    const answer = this.#o.memory.access({
        opcode: q.clio.opcode,
        pid: q.clio.pid,
        va,
        length,
        data: q.body.subarray(accessBody.bytes),
      }),
      malformed = answer.status === status.MALFORMED;
    this.performed++;
    const result = {
      status: answer.status,
      code: malformed ? q.clio.opcode : replyCode(q.clio.opcode),
      body: malformed ? new Uint8Array() : concat(encode(accessBody, { va, length: answer.length }), answer.data),
    };
    this.#done.set(operation, result);
    reply(result.code, result.status, result.body);
  }

  #check(frame: Uint8Array, q: Dissected): void {
    const { client, own } = this.#o;
    if (!q.clio || !q.ipv4) throw new ProtocolError(`a frame of ${frame.length} bytes that is no Clio request`);
    const message = frame.slice(frameOffsets.clio, frameOffsets.clio + q.clio.size),
      expected = udpFrame(client, own, message),
      bytes = ethernetHeader.bytes + q.ipv4.totalLength;
    const wrong = Array.from({ length: bytes }, (_, i) => i).find(i => expected[i] !== frame[i]);
    if (wrong !== undefined || q.clio.flagTracked !== 1 || q.clio.size < clioHeader.bytes)
      throw new ProtocolError(`byte ${wrong ?? "of the Clio header"} of a request is not what the wire format says`);
    // Requests of before a reset may still be under way; only the greeting is surely behind it.
    const greets = q.clio.opcode === opcode.FENCE && this.firstNumber !== undefined;
    if (greets && q.clio.requestId !== this.firstNumber)
      throw new ProtocolError(`the greeting has number ${q.clio.requestId}, not ${this.firstNumber}`);
    if (greets) this.firstNumber = undefined;
    this.#ids.add(q.clio.requestId);
  }
  /** Requests by their numbers: each frame that was sent has one of its own. */
  get numbers(): number {
    return this.#ids.size;
  }
}
