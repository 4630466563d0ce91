import {
  clioHeader,
  frameOffsets,
  opcode,
  pingpongBody,
  retBody,
  sessionBody,
  statReplyBody,
  status,
} from "../wire/index.ts";
import { encode } from "../../shared/wire/index.ts";
import { gbnHeader } from "../../shared/go-back-n/wire/index.ts";
import { counterNames, type NodeConfig } from "../config/index.ts";
import { bodyOf, type Handler, MalformedRequest } from "./requests/handler.ts";
import { errorNumber } from "./memory/memory-manager.ts";
import { LowestFree } from "./memory/numbers.ts";
import { SessionOwners } from "./requests/session-owners.ts";
import { softwareCounters, type SoftwareStatistics } from "./statistics.ts";
import type { TransportSessions } from "./go-back-n.ts";
import type { SlowPathTransport } from "./transport/transport.ts";

/** Services that a session needs besides its number: a network that opens the session's port on demand. */
export interface SessionPorts {
  /** False when the session cannot be reached: another number is given instead. */
  readonly open?: (session: number) => Promise<boolean>;
  /** A transport that has sessions itself. */
  readonly transport?: TransportSessions | undefined;
}

/** Services of the slow path that the handlers need. */
export interface NodeServices {
  readonly statistics: () => SoftwareStatistics;
  readonly ports?: SessionPorts | undefined;
}

/** Sessions, statistics, ping-pong, and what this version refuses (migration; the monitor's part). */
export function nodeHandlers(
  config: NodeConfig,
  transport: Pick<SlowPathTransport, "readCounter" | "time">,
  { statistics, ports = {} }: NodeServices,
): ReadonlyMap<number, Handler> {
  // Session 0 is the management session, open from the start; session n is the UDP port clientPort + n.
  const { transport: own } = ports,
    sessions = new LowestFree(1, Math.min(config.clientPorts, own?.count ?? Number.POSITIVE_INFINITY) - 1);
  // With sessions of its own, a node knows their holders, by the request's number. The low 10 bits of that number are
  // the client's slot.
  const holders = new Map<string, { readonly name: number; readonly session: number }>();
  const slotOf = (name: number): number => name % 2 ** gbnHeader.fields.srcSlot.bits;
  const owners = new SessionOwners();
  const forget = (session: number): boolean => {
    owners.remove(session);
    for (const [key, h] of holders) if (h.session === session) holders.delete(key);
    return sessions.release(session);
  };
  const refuse: Handler = () => ({ status: status.FAIL, body: encode(retBody, { ret: errorNumber.notSupported }) });
  const pingpong: Handler = request => {
    const { replySize } = bodyOf(pingpongBody, request),
      most = config.mtuFrame - frameOffsets.body;
    if (replySize > most)
      throw new MalformedRequest(
        `${replySize} bytes do not fit a frame after its ${clioHeader.name} header; ${most} do`,
      );
    const body = new Uint8Array(replySize);
    body.set(request.body.subarray(pingpongBody.bytes, pingpongBody.bytes + replySize));
    return { status: status.OK, body };
  };
  return new Map<number, Handler>([
    [
      opcode.OPEN_SESSION,
      async request => {
        const { session: name } = bodyOf(sessionBody, request),
          key = `${request.ipv4.src}:${request.udp.srcPort}:${slotOf(name)}`,
          before = holders.get(key);
        for (let failed = await own?.failed(); failed !== undefined; failed = await own?.failed()) forget(failed);
        // The same name again is a repetition; another name of the same slot, a client that has begun anew.
        if (before !== undefined && holders.has(key)) {
          if (before.name === name)
            return { status: status.OK, body: encode(sessionBody, { session: before.session }) };
          await own?.close(before.session);
          forget(before.session);
        }
        let session = sessions.take();
        // None is left: a client that has more than this one would have gives one back, or who had one for longest.
        const now = transport.time(),
          given = session === undefined ? (owners.surplus(request.ipv4.src) ?? owners.expired(now)) : undefined;
        if (given !== undefined) {
          await own?.close(given);
          forget(given);
          session = sessions.take();
        }
        // A number whose port is not to be had stays taken.
        while (session !== undefined && (await ports.open?.(session)) === false) session = sessions.take();
        if (session !== undefined) owners.add(session, request.ipv4.src, now);
        if (session !== undefined && own !== undefined) {
          await own.open(session);
          if (slotOf(name) !== 0) holders.set(key, { name, session });
        }
        return {
          status: session === undefined ? status.FAIL : status.OK,
          body: encode(sessionBody, { session: session ?? 0 }),
        };
      },
    ],
    [
      opcode.CLOSE_SESSION,
      async request => {
        const { session } = bodyOf(sessionBody, request),
          closed = owners.has(session, request.ipv4.src) && forget(session);
        if (closed) await own?.close(session);
        return {
          status: closed ? status.OK : status.FAIL,
          body: encode(sessionBody, { session: closed ? 0 : errorNumber.invalid }),
        };
      },
    ],
    [
      opcode.QUERY_STAT,
      async () => {
        const own = statistics(),
          values: bigint[] = [];
        for (const name of counterNames) values.push(await transport.readCounter(name));
        for (const { name } of softwareCounters) values.push(BigInt(own[name]));
        // A build for the smallest frames cannot tell the last ones.
        const count = Math.min(
          values.length,
          Math.floor((config.mtuFrame - frameOffsets.body - statReplyBody.bytes) / 8),
        );
        const body = new Uint8Array(statReplyBody.bytes + 8 * count),
          view = new DataView(body.buffer);
        body.set(encode(statReplyBody, { count }));
        for (const [i, value] of values.slice(0, count).entries())
          view.setBigUint64(statReplyBody.bytes + 8 * i, value, true);
        return { status: status.OK, body };
      },
    ],
    [opcode.FPGA_PINGPONG, pingpong],
    [opcode.SOC_PINGPONG, pingpong],
    ...[
      opcode.MIGRATION_HOST,
      opcode.MIGRATION_NODE,
      opcode.MIGRATION_RECEIVE,
      opcode.MIGRATION_CANCEL,
      opcode.MIGRATION_SEND,
      opcode.JOIN_CLUSTER,
      opcode.NEW_NODE,
    ].map((code): [number, Handler] => [code, refuse]),
  ]);
}
