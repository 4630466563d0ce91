import { opcode, sessionBody, status } from "../../wire/index.ts";
import { encode } from "../../../shared/wire/index.ts";
import { gbnHeader } from "../../../shared/go-back-n/wire/index.ts";
import type { NodeConfig } from "../../config/index.ts";
import type { TransportSessions } from "../go-back-n.ts";
import { errorNumber } from "../memory/memory-manager.ts";
import { LowestFree } from "../memory/numbers.ts";
import { bodyOf, type Handler, NotNow, type SlowReply, type SlowRequest } from "./handler.ts";
import { SessionOwners } from "./session-owners.ts";

/** Services that a session needs besides its number: a network that opens the session's port on demand. */
export interface SessionPorts {
  /** False when the session cannot be reached: another number is given instead. */
  readonly open?: (session: number) => Promise<boolean>;
  /** A transport that has sessions itself. */
  readonly transport?: TransportSessions | undefined;
  /** Nanoseconds for which nobody's last session is taken; default `sessionTenureNs`. */
  readonly tenureNs?: number;
}

/** The low 10 bits of a client's name for its session are the client's slot. */
const slotOf = (name: number): number => name % 2 ** gbnHeader.fields.srcSlot.bits;
const reply = (code: number, session: number): SlowReply => ({ status: code, body: encode(sessionBody, { session }) });

/** OPEN_SESSION and CLOSE_SESSION. @param time nanoseconds */
export function sessionHandlers(
  config: NodeConfig,
  time: () => number,
  ports: SessionPorts,
): readonly (readonly [number, Handler])[] {
  const sessions = new Sessions(config, time, ports);
  return [
    [opcode.OPEN_SESSION, request => sessions.open(request)],
    [opcode.CLOSE_SESSION, request => sessions.close(request)],
  ];
}

/** Session 0 is the management session, open from the start; session n is the UDP port clientPort + n. */
class Sessions {
  private readonly numbers: LowestFree;
  private readonly owners: SessionOwners;
  /** With sessions of its own, a node knows their holders, by the request's number. */
  private readonly holders = new Map<string, { readonly name: number; readonly session: number }>();
  private readonly time: () => number;
  private readonly ports: SessionPorts;

  constructor(config: NodeConfig, time: () => number, ports: SessionPorts) {
    const most = Math.min(config.clientPorts, ports.transport?.count ?? Number.POSITIVE_INFINITY) - 1;
    this.numbers = new LowestFree(1, most);
    this.owners = new SessionOwners(ports.tenureNs);
    this.time = time;
    this.ports = ports;
  }

  /** @throws NotNow at the native port when all sessions are taken */
  async open(request: SlowRequest): Promise<SlowReply> {
    const { session: name } = bodyOf(sessionBody, request),
      { transport } = this.ports,
      key = `${request.ipv4.src}:${request.udp.srcPort}:${slotOf(name)}`,
      before = this.holders.get(key);
    await this.forgetFailed();
    // The same name again is a repetition; another name of the same slot, a client that has begun anew.
    if (before !== undefined && this.holders.has(key)) {
      if (before.name === name) return reply(status.OK, before.session);
      await this.giveUp(before.session);
    }
    const session = await this.take(request.ipv4.src);
    if (session === undefined) return this.refuse(request);
    this.owners.add(session, request.ipv4.src, this.time());
    if (transport !== undefined) {
      await transport.open(session);
      if (slotOf(name) !== 0) this.holders.set(key, { name, session });
    }
    return reply(status.OK, session);
  }

  async close(request: SlowRequest): Promise<SlowReply> {
    const { session } = bodyOf(sessionBody, request),
      closed = this.owners.has(session, request.ipv4.src);
    if (closed) await this.giveUp(session);
    return closed ? reply(status.OK, 0) : reply(status.FAIL, errorNumber.invalid);
  }

  /** A free session, or one that another client gives back; undefined when all keep theirs. */
  private async take(ip: number): Promise<number | undefined> {
    let session = this.numbers.take();
    // None is left: a client that has more than this one would have gives one back, or who had one for longest.
    const given = session === undefined ? (this.owners.surplus(ip) ?? this.owners.expired(this.time())) : undefined;
    if (given !== undefined) {
      await this.giveUp(given);
      session = this.numbers.take();
    }
    // A number whose port is not to be had stays taken.
    while (session !== undefined && (await this.ports.open?.(session)) === false) session = this.numbers.take();
    return session;
  }

  /**
   * The published client looks at the session's number only, and 0 is none. Where nobody has a session, none comes
   * back: waiting is of no use.
   */
  private refuse({ native }: SlowRequest): SlowReply {
    const waitNs = this.owners.waitNs(this.time());
    if (!native || waitNs === undefined) return reply(status.FAIL, 0);
    throw new NotNow(waitNs);
  }

  private async forgetFailed(): Promise<void> {
    const failed = async (): Promise<number | undefined> => this.ports.transport?.failed();
    for (let session = await failed(); session !== undefined; session = await failed()) this.forget(session);
  }
  private async giveUp(session: number): Promise<void> {
    await this.ports.transport?.close(session);
    this.forget(session);
  }
  private forget(session: number): void {
    this.owners.remove(session);
    for (const [key, h] of this.holders) if (h.session === session) this.holders.delete(key);
    this.numbers.release(session);
  }
}
