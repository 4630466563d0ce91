import { clioHeader, clioMessage, opcode, sessionBody, waitOf } from "../wire/index.ts";
import { concat, decode, encode } from "../../shared/wire/index.ts";
import { gbnHeader, type GbnHeader, gbnTypes, managementSlot } from "../../shared/go-back-n/wire/index.ts";
import { GbnSession } from "../../shared/go-back-n/software/index.ts";
import { ClientError } from "./link/errors.ts";
import type { ClientClock, ClientTransport, NodeAddress, Receiver, Timer } from "./link/transport.ts";

export interface GoBackNOptions {
  readonly clock: ClientClock;
  /** Without a sign of the node for so long, everything unacknowledged is sent again, ns; default 100,000. */
  readonly timeoutNs?: number;
  /**
   * An ACK goes out so much later at the latest, ns; default a tenth of `timeoutNs`. This time must be well below the
   * node's timeout (33 us at 250 MHz).
   */
  readonly ackDelayNs?: number;
  /** Packets in order that are acknowledged at once; default 32. */
  readonly ackEvery?: number;
  /**
   * Timeouts in a row without progress before the session is given up and another one opened; default 7, as the node.
   */
  readonly tries?: number;
  /** 0 <= x < 1: distinguishes two lives of a program. Default Math.random. */
  readonly random?: () => number;
}

/** Payloads that wait while a session is being opened; more are lost, which CLib expects of a network. */
const mostWaiting = 1024;

/** State of a node's link: the session, or the opening of it. */
interface Link {
  readonly to: NodeAddress;
  readonly slot: number;
  /** Name of this life of the session in OPEN_SESSION: the slot, and above it a number of its own. */
  name: number;
  session: GbnSession | undefined;
  number: number;
  waiting: Uint8Array[];
  timer: Timer | undefined;
  /** Time that `timer` is set for. */
  at: number;
}

/**
 * CLib's transport to nodes with `transport = gbn`, over another one that carries UDP payloads (a socket, a simulated
 * station). The transport has one session with each node, opened by the first datagram: OPEN_SESSION on slot 0,
 * repeated until it is answered. Requests reach the node in order and once, replies come back in order and once,
 * whatever the network loses. CLib's own retries then only happen when its timeout is below what Go-Back-N needs; give
 * it a longer one. A session that fails is opened anew and what it had in flight is lost.
 */
export class GoBackNTransport implements ClientTransport {
  readonly #under: ClientTransport;
  readonly #o: Required<GoBackNOptions>;
  readonly #links = new Map<string, Link>();
  #receiver: Receiver = () => undefined;

  /** @throws ClientError when a time is not above 0 */
  constructor(under: ClientTransport, o: GoBackNOptions) {
    const timeoutNs = o.timeoutNs ?? 100_000;
    this.#under = under;
    this.#o = { timeoutNs, ackDelayNs: timeoutNs / 10, ackEvery: 32, tries: 7, random: Math.random, ...o };
    for (const name of ["timeoutNs", "ackDelayNs", "ackEvery"] as const)
      if (!(this.#o[name] > 0)) throw new ClientError(`${name} is ${this.#o[name]}; give a number above 0`);
    under.receive((from, payload, damaged) => this.#arrive(from, payload, damaged));
  }

  /** Packets sent again, over all sessions there are. */
  get resent(): number {
    return [...this.#links.values()].reduce((n, l) => n + (l.session?.resent ?? 0), 0);
  }
  /** The node's number of the session with it; undefined while there is none. */
  sessionOf({ ip, port }: NodeAddress): number | undefined {
    return this.#links.get(`${ip}:${port}`)?.session && this.#links.get(`${ip}:${port}`)?.number;
  }

  send(to: NodeAddress, payload: Uint8Array): void {
    const link = this.#link(to);
    if (link.session === undefined) {
      if (link.waiting.length < mostWaiting) link.waiting.push(payload);
      return;
    }
    link.session.put(payload, this.#o.clock.now());
    this.#arm(link);
  }
  receive(receiver: Receiver): void {
    this.#receiver = receiver;
  }
  /** Ends all sessions: CLOSE_SESSION to each node, unanswered. Operations under way are lost. */
  close(): void {
    for (const link of this.#links.values()) {
      link.timer?.cancel();
      if (link.session !== undefined) this.#manage(link, opcode.CLOSE_SESSION, link.number);
    }
    this.#links.clear();
  }

  #link(to: NodeAddress): Link {
    const key = `${to.ip}:${to.port}`,
      known = this.#links.get(key);
    if (known !== undefined) return known;
    const slots = 2 ** gbnHeader.fields.srcSlot.bits,
      slot = this.#links.size + 1;
    if (slot >= slots)
      throw new ClientError(
        `sessions with ${slots - 1} nodes are open, the most that the wire format can name; use another transport for more`,
      );
    const link: Link = {
      to,
      slot,
      name: slot,
      session: undefined,
      number: 0,
      waiting: [],
      timer: undefined,
      at: Number.POSITIVE_INFINITY,
    };
    this.#links.set(key, link);
    this.#open(link);
    return link;
  }

  /** Requests a session until there is one. */
  #open(link: Link): void {
    link.session = undefined;
    link.name = link.slot + 1024 * (1 + Math.floor(this.#o.random() * (2 ** 22 - 1)));
    this.#ask(link);
  }
  /** Asks, and again whenever nothing has come for a timeout. */
  #ask(link: Link): void {
    this.#manage(link, opcode.OPEN_SESSION, link.name);
    link.timer = this.#o.clock.after(this.#o.timeoutNs, () => this.#ask(link));
  }
  #opened(link: Link, number: number): void {
    link.timer?.cancel();
    link.timer = undefined;
    link.at = Number.POSITIVE_INFINITY;
    link.number = number;
    const { timeoutNs, ackDelayNs, ackEvery, tries, clock } = this.#o;
    link.session = new GbnSession({
      slot: link.slot,
      session: number,
      timeout: timeoutNs,
      ackDelay: ackDelayNs,
      ackEvery,
      tries,
      send: (header, payload) => this.#out(link.to, header, payload),
      deliver: payload => this.#receiver(link.to, payload, false),
    });
    const { waiting } = link;
    link.waiting = [];
    for (const payload of waiting) link.session.put(payload, clock.now());
    this.#arm(link);
  }

  /** One timer for each session, for when it next has something to do. */
  #arm(link: Link): void {
    const { session } = link;
    if (session === undefined) return;
    // The node closes what it had under this slot.
    if (session.failed) {
      this.#open(link);
      return;
    }
    const { due } = session;
    if (link.timer !== undefined && link.at <= due) return;
    link.timer?.cancel();
    link.timer = undefined;
    link.at = due;
    if (due === Number.POSITIVE_INFINITY) return;
    const { clock } = this.#o;
    link.timer = clock.after(Math.max(0, due - clock.now()), () => {
      link.timer = undefined;
      session.tick(clock.now());
      this.#arm(link);
    });
  }
  #manage(link: Link, code: number, session: number): void {
    this.#out(
      link.to,
      { type: gbnTypes.data, sequence: 0, srcSlot: link.slot, dstSlot: managementSlot },
      clioMessage({ opcode: code, requestId: link.name }, encode(sessionBody, { session })),
    );
  }
  #out(to: NodeAddress, header: GbnHeader, payload: Uint8Array): void {
    this.#under.send(to, concat(encode(gbnHeader, { ...header, unused: 0 }), payload));
  }

  #arrive(from: NodeAddress, packet: Uint8Array, damaged: boolean): void {
    const link = this.#links.get(`${from.ip}:${from.port}`);
    // Of a damaged packet nothing can be trusted: it is lost.
    if (damaged || link === undefined || packet.length < gbnHeader.bytes) return;
    const header = decode(gbnHeader, packet),
      payload = packet.slice(gbnHeader.bytes);
    if (header.dstSlot !== link.slot) return;
    if (header.srcSlot === managementSlot) {
      this.#managed(link, payload);
      return;
    }
    if (link.session === undefined || header.srcSlot !== link.number) return;
    link.session.take(header, payload, this.#o.clock.now());
    this.#arm(link);
  }
  /**
   * An answer without a session: to OPEN_SESSION it is the session's number, or BUSY when all are taken. The request's
   * ID comes back as it was, so an answer to an older life is known.
   */
  #managed(link: Link, payload: Uint8Array): void {
    if (link.session !== undefined || payload.length < clioHeader.bytes) return;
    const header = decode(clioHeader, payload);
    if (header.requestId !== link.name) return;
    const waitNs = header.opcode === opcode.OPEN_SESSION ? waitOf(header) : undefined;
    if (waitNs !== undefined) {
      this.#askLater(link, waitNs);
      return;
    }
    const answers = header.opcode === opcode.OPEN_SESSION + 1,
      whole = payload.length >= clioHeader.bytes + sessionBody.bytes;
    if (!answers || !whole) return;
    const { session } = decode(sessionBody, payload, clioHeader.bytes);
    if (session !== 0) this.#opened(link, session);
  }
  /**
   * All sessions are taken: the same request again when the node says that one is given back. A timeout is added,
   * spread, so that clients refused together do not come back together.
   */
  #askLater(link: Link, waitNs: number): void {
    const { timeoutNs, random, clock } = this.#o;
    link.timer?.cancel();
    link.timer = clock.after(waitNs + timeoutNs * random(), () => this.#ask(link));
  }
}
