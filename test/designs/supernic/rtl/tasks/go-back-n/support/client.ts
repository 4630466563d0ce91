/** A client: it opens a session, speaks Go-Back-N as CLib does, and opens another one when that fails. */
import { clioHeader, opcode, sessionBody, status } from "../../../../../../../designs/clio/wire/index.ts";
import { GbnSession } from "../../../../../../../designs/shared/go-back-n/software/index.ts";
import { decode } from "../../../../../../../designs/shared/wire/index.ts";
import { clientEnd, nodeEnd, openFrame, parsedGbn, sessionFrame } from "./frames.ts";

export interface ClientOptions {
  readonly number: number;
  readonly node: number;
  readonly first: number;
  readonly now: () => number;
  readonly send: (frame: Uint8Array) => void;
  readonly deliver: (payload: Uint8Array, life: number) => void;
  readonly timeout: number;
  readonly ackDelay: number;
  readonly ackEvery?: number;
  readonly tries?: number;
}

export class GbnClient {
  readonly o: ClientOptions;
  readonly slot = 5;
  /** How often it has begun anew. */
  life = 0;
  session: GbnSession | undefined;
  number = 0;
  busy = 0;
  #name = 0;
  #askedAt = 0;
  #wants = false;

  constructor(o: ClientOptions) {
    this.o = o;
  }
  get #ends() {
    return [clientEnd(this.o.number), nodeEnd(this.o.node)] as const;
  }
  /** Begins anew: what it had in flight is lost. */
  open(): void {
    this.life++;
    this.session = undefined;
    this.#wants = true;
    this.#name = this.slot + 1024 * (this.life + 100 * this.o.number);
    this.#ask();
  }
  #ask(): void {
    this.#askedAt = this.o.now();
    this.o.send(openFrame(...this.#ends, this.slot, this.#name));
  }
  put(payload: Uint8Array): void {
    this.session?.put(payload, this.o.now());
  }
  tick(): void {
    const now = this.o.now();
    if (this.#wants && this.session === undefined && now - this.#askedAt > this.o.timeout) this.#ask();
    if (this.session && this.session.due <= now) this.session.tick(now);
    if (this.session?.failed === true) this.open();
  }
  take(frame: Uint8Array): void {
    const { gbn, body } = parsedGbn(frame);
    if (gbn.dstSlot !== this.slot) return;
    if (gbn.srcSlot === 0) this.#managed(body);
    else if (gbn.srcSlot === this.number) this.session?.take(gbn, body, this.o.now());
  }
  #managed(body: Uint8Array): void {
    const clio = decode(clioHeader, body),
      { session } = decode(sessionBody, body, clioHeader.bytes);
    if (!this.#wants || this.session || clio.requestId !== this.#name || clio.opcode !== opcode.OPEN_SESSION + 1)
      return;
    if (clio.status === status.BUSY) this.busy++;
    if (clio.status !== status.OK) return;
    this.number = session;
    const { first, timeout, ackDelay, ackEvery = 32, tries = 7, send, deliver } = this.o,
      { life } = this;
    this.session = new GbnSession({
      ...{ slot: this.slot, session, first, timeout, ackDelay, ackEvery, tries },
      send: (header, payload) => send(sessionFrame(...this.#ends, header, payload)),
      deliver: payload => deliver(payload, life),
    });
  }
}
