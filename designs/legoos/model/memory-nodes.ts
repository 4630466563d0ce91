import {
  accessBody,
  dissect,
  type Dissected,
  opcode,
  replyFrame,
  type RequestHeaders,
  status,
} from "../../clio/wire/index.ts";
import { concat, decode, encode } from "../../shared/wire/index.ts";
import { compoundBody, flushAndFetch, part, partShift } from "../wire/index.ts";

/** A reply, and what it answers. */
export interface NodeReply {
  readonly frame: Uint8Array;
  readonly kind: "read" | "write";
}
/**
 * Clio nodes as the ExCache's model sees them: flat memory of each, READ and WRITE by Clio's wire, a tracked WRITE once
 * however often it comes, and a compound as its two halves. Untouched memory is zero.
 */
export class MemoryNodes {
  readonly #memory = new Map<string, Uint8Array>();
  readonly #done = new Set<string>();
  readonly #expired = new Set<string>();
  /** The status that an access has, 0 for one that is done. A fault model. */
  refuse: (o: { readonly pid: number; readonly va: bigint; readonly write: boolean; readonly node: number }) => number =
    () => status.OK;
  /** Requests by kind, as they came. */
  readonly seen = { read: 0, write: 0, compound: 0 };
  /** WRITEs that were done. */
  written = 0;
  readonly #macs: ReadonlyMap<number, bigint>;

  /** @param macs of the nodes by IPv4 address */
  constructor(macs: ReadonlyMap<number, bigint>) {
    this.#macs = macs;
  }

  /** The replies to a frame; none to one that is for nobody here. */
  receive(frame: Uint8Array): readonly NodeReply[] {
    const d = { ...dissect(frame), native: true };
    if (!complete(d)) return [];
    const mac = this.#macs.get(d.ipv4.dst);
    if (mac === undefined || mac !== d.ethernet.dst) return [];
    const { clio, body } = d;
    if (clio.opcode === opcode.READ) {
      this.seen.read += 1;
      const { va, length } = decode(accessBody, body);
      return [this.#read(d, va, length)];
    }
    const data = body.subarray(accessBody.bytes);
    if (clio.opcode === opcode.WRITE) {
      this.seen.write += 1;
      return [this.#write(d, decode(accessBody, body).va, data)];
    }
    if (clio.opcode !== flushAndFetch) return [];
    this.seen.compound += 1;
    const { flushVa, fetchVa } = decode(compoundBody, body),
      tag = (part.fetch << partShift) | (clio.tag & ((1 << partShift) - 1));
    return [
      this.#write(d, flushVa, data),
      this.#read({ ...d, clio: { ...clio, tag, flagTracked: 0 } }, fetchVa, data.length),
    ];
  }

  /** Bytes of a line at a node. */
  line(node: number, pid: number, va: bigint, bytes: number): Uint8Array {
    return this.#memory.get(keyOf(node, pid, va)) ?? new Uint8Array(bytes);
  }
  has(node: number, pid: number, va: bigint): boolean {
    return this.#memory.has(keyOf(node, pid, va));
  }
  set(node: number, pid: number, va: bigint, bytes: Uint8Array): void {
    this.#memory.set(keyOf(node, pid, va), bytes);
  }

  #read(d: RequestHeaders, va: bigint, length: number): NodeReply {
    const node = d.ipv4.dst,
      code = this.refuse({ pid: d.clio.pid, va, write: false, node });
    const body =
      code === status.OK
        ? concat(encode(accessBody, { va, length }), this.line(node, d.clio.pid, va, length))
        : encode(accessBody, { va, length: 0 });
    return { kind: "read", frame: this.#reply(d, 0x41, code, body) };
  }
  #write(d: RequestHeaders, va: bigint, data: Uint8Array): NodeReply {
    const { clio, ipv4 } = d,
      operation = `${ipv4.dst} ${clio.flagRetry === 1 ? clio.retryOf : clio.requestId}`;
    let code: number = status.OK;
    if (!this.#done.has(operation)) {
      // Of an operation that was once told to begin anew, no repetition is done.
      const refused = this.refuse({ pid: clio.pid, va, write: true, node: ipv4.dst });
      code = this.#expired.has(operation) ? status.EXPIRED : refused;
      if (code === status.EXPIRED || code === status.YIELD) this.#expired.add(operation);
      if (code === status.OK) {
        this.#done.add(operation);
        this.set(ipv4.dst, clio.pid, va, data.slice());
        this.written += 1;
      }
    }
    return { kind: "write", frame: this.#reply(d, 0x51, code, encode(accessBody, { va, length: data.length })) };
  }
  #reply(d: RequestHeaders, code: number, outcome: number, body: Uint8Array): Uint8Array {
    return replyFrame({ mac: d.ethernet.dst, ip: d.ipv4.dst }, d, code, outcome, body);
  }
}

const keyOf = (node: number, pid: number, va: bigint): string => `${node} ${pid} ${va}`;
function complete(d: Dissected): d is Dissected & RequestHeaders & { readonly body: Uint8Array } {
  return d.ethernet !== undefined && d.ipv4 !== undefined && d.udp !== undefined && d.body !== undefined;
}
