import { clioHeader, frameOffsets, opcode, pingpongBody, retBody, statReplyBody, status } from "../wire/index.ts";
import { encode } from "../../shared/wire/index.ts";
import { counterNames, type NodeConfig } from "../config/index.ts";
import { bodyOf, type Handler, MalformedRequest } from "./requests/handler.ts";
import { errorNumber } from "./memory/memory-manager.ts";
import { sessionHandlers, type SessionPorts } from "./requests/session-handlers.ts";
import { softwareCounters, type SoftwareStatistics } from "./statistics.ts";
import type { SlowPathTransport } from "./transport/transport.ts";

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
    ...sessionHandlers(config, () => transport.time(), ports),
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
