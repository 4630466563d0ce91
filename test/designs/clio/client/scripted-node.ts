import { Client, type ClientOptions, type NodeAddress, type Receiver } from "../../../../designs/clio/client/index.ts";
import {
  accessBody,
  allocReplyBody,
  clioHeader,
  clioMessage,
  opcode,
  replyCode,
} from "../../../../designs/clio/wire/index.ts";
import { decode, type Decoded, encode } from "../../../../designs/shared/wire/index.ts";
import { SimulatedTime } from "../../../../sim/index.ts";

/** A request as a scripted node sees it. */
export interface Asked {
  readonly atNs: number;
  readonly header: Decoded<typeof clioHeader>;
  readonly body: Uint8Array;
  readonly bytes: number;
  readonly va: bigint;
  readonly length: number;
}
/** An answer, `afterNs` from now. Left out: status OK and the data that the request needs. */
export interface Answer {
  readonly afterNs?: number;
  readonly status?: number;
  readonly requestId?: number;
  readonly opcode?: number;
  readonly pid?: number;
  readonly body?: Uint8Array;
  readonly damaged?: boolean;
  /** Other fields of the reply's header. */
  readonly header?: Partial<Decoded<typeof clioHeader>>;
}

/**
 * A client whose node follows the test's script, request by request. FENCEs are answered by themselves unless the
 * script takes them.
 */
export class ScriptedNode {
  readonly time = new SimulatedTime();
  readonly asked: Asked[] = [];
  readonly client: Client;
  readonly address: NodeAddress = { ip: 0x0a0a0001, port: 1200 };
  /** Called for each request; the answers to it. */
  answers: (asked: Asked) => readonly Answer[] = () => [{}];
  private receiver: Receiver = () => undefined;

  constructor(options: Partial<Omit<ClientOptions, "transport" | "clock">> = {}, greetings = true) {
    this.client = new Client({
      timeoutNs: 10_000,
      random: () => 0.5,
      ...options,
      clock: this.time,
      transport: {
        send: (_to, payload) => this.take(payload, greetings),
        receive: receiver => {
          this.receiver = receiver;
        },
      },
    });
  }

  private take(payload: Uint8Array, greetings: boolean): void {
    const header = decode(clioHeader, payload),
      body = payload.slice(clioHeader.bytes, header.size);
    const { va, length } = body.length >= accessBody.bytes ? decode(accessBody, body) : { va: 0n, length: 0 };
    const asked: Asked = { atNs: this.time.now(), header, body, bytes: payload.length, va, length };
    if (greetings && header.opcode === opcode.FENCE) {
      this.answer(asked, { afterNs: 100 });
      return;
    }
    this.asked.push(asked);
    for (const a of this.answers(asked)) this.answer(asked, a);
  }
  private answer(asked: Asked, answer: Answer): void {
    const {
      afterNs = 1000,
      status = 0,
      requestId = asked.header.requestId,
      pid = asked.header.pid,
      body,
      damaged = false,
    } = answer;
    const given = answer.opcode;
    const code = given ?? (status === 0 || status === 10 ? replyCode(asked.header.opcode) : asked.header.opcode);
    const data = body ?? (asked.header.opcode === opcode.FENCE || status !== 0 ? new Uint8Array() : usual(asked));
    const header = {
      ...asked.header,
      requestId,
      pid,
      opcode: code,
      status,
      size: clioHeader.bytes + data.length,
      ...answer.header,
    };
    this.time.after(afterNs, () => this.receiver(this.address, clioMessage(header, data), damaged));
  }
}

/** The body of a good reply to an access: READs get bytes that tell their address. */
export function usual({ header, va, length }: Asked): Uint8Array {
  if (header.opcode === opcode.ALLOC || header.opcode === opcode.FREE) return new Uint8Array(allocReplyBody.bytes);
  const reads = header.opcode === opcode.READ || header.opcode === opcode.DEREF_READ;
  const withData = reads ? length : replyCode(header.opcode) === replyCode(opcode.READ) ? 8 : 0;
  const out = new Uint8Array(accessBody.bytes + withData);
  out.set(encode(accessBody, { va, length }));
  for (let i = 0; i < withData; i++) out[accessBody.bytes + i] = Number((va + BigInt(i)) % 251n);
  return out;
}
