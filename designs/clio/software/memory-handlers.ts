import {
  allocBody,
  allocReplyBody,
  createProcBody,
  createProcReplyBody,
  keyTrailer,
  opcode,
  retBody,
  status,
  vmFlag,
} from "../wire/index.ts";
import { concat, type Decoded, encode } from "../../shared/wire/index.ts";
import { firstMonitorPid, firstOffloadPid, type RuntimeSettings } from "../config/index.ts";
import { bodyOf, type Handler, type SlowReply, type SlowRequest } from "./requests/handler.ts";
import { errorNumber, type Failure, type MemoryManager, regionBytes, type Result } from "./memory/memory-manager.ts";

const retOf = (r: Result<unknown>): number => (r.ok ? 0 : errorNumber[r.failure]);
const statusByFailure: Readonly<Record<Failure, number>> = {
  noMemory: status.OUT_OF_MEMORY,
  invalid: status.FAIL,
  noProcess: status.FAIL,
  again: status.FAIL,
  notSupported: status.FAIL,
  quota: status.QUOTA,
};
const statusOf = (r: Result<unknown>): number => (r.ok ? status.OK : statusByFailure[r.failure]);

/** Flags that a client may set. `zero` changes nothing: every frame is zeroed before any page gets it. */
const askedFlags = vmFlag.write | vmFlag.populate | vmFlag.zero;

/** Keys of processes, in a build that has them (docs/clio/process-keys.md). */
export interface ProcessKeyStore {
  /** A new key: 64 bits that nobody can guess, not all zeros. */
  readonly draw: () => bigint;
  /** Resolves when the hardware asks for the key; 0 takes it away. */
  readonly set: (pid: number, key: bigint) => Promise<void>;
}

/** ALLOC, FREE, CREATE_PROC and FREE_PROC at the node. A refusal is a whole reply with `ret` nonzero. */
export function memoryHandlers(
  memory: MemoryManager,
  own: Pick<RuntimeSettings, "ip" | "publishedWritable"> & {
    readonly monitor: boolean;
    readonly keys?: ProcessKeyStore | undefined;
  },
): ReadonlyMap<number, Handler> {
  const reply = (
    request: SlowRequest,
    body: Decoded<typeof allocBody>,
    result: Result<unknown>,
    addr: bigint,
  ): SlowReply => ({
    status: statusOf(result),
    body: encode(allocReplyBody, {
      ret: retOf(result),
      addr,
      boardIp: own.ip,
      udpPort: request.udp.dstPort,
      vregion: Number(body.vregion & 0xffffffffn),
    }),
  });
  return new Map<number, Handler>([
    [
      opcode.ALLOC,
      async request => {
        const body = bodyOf(allocBody, request);
        // The published client's ports take what comes; 8 is the slow path's own, the rest means nothing.
        if (request.native && (body.vmFlags & ~askedFlags) !== 0n)
          return reply(request, body, { ok: false, failure: "invalid" }, 0n);
        if (!memory.hasProcess(request.clio.pid) && !mayBecomeProcess(request, own.monitor))
          return reply(request, body, { ok: false, failure: "noProcess" }, 0n);
        const result = await memory.allocate({
          pid: request.clio.pid,
          address: wantedAddress(body, request.native),
          length: body.len,
          vregion: body.vregion,
          write: (body.vmFlags & vmFlag.write) !== 0n || (!request.native && own.publishedWritable),
          populate: (body.vmFlags & vmFlag.populate) !== 0n,
        });
        return reply(request, body, result, result.ok ? result.value : 0n);
      },
    ],
    [
      opcode.FREE,
      async request => {
        const body = bodyOf(allocBody, request);
        return reply(request, body, await memory.free(request.clio.pid, body.addr, body.len), body.addr);
      },
    ],
    [
      opcode.CREATE_PROC,
      async request => {
        bodyOf(createProcBody, request);
        const result = memory.createProcess();
        const body = encode(createProcReplyBody, { ret: retOf(result), newPid: result.ok ? result.value : 0 });
        // The published client knows of no key: its processes are open to everybody, as ever.
        if (own.keys === undefined || !request.native || !result.ok) return { status: statusOf(result), body };
        const key = own.keys.draw();
        await own.keys.set(result.value, key);
        return { status: statusOf(result), body: concat(body, encode(keyTrailer, { key })) };
      },
    ],
    [
      opcode.FREE_PROC,
      async request => {
        const { pid } = request.clio,
          result = await memory.freeProcess(pid);
        // Only now: until all is freed, nobody else may act for the process.
        if (result.ok) await own.keys?.set(pid, 0n);
        return { status: statusOf(result), body: encode(retBody, { ret: retOf(result) }) };
      },
    ],
  ]);
}

/**
 * Whether an unknown PID becomes a process by its first ALLOC. The published client creates processes at its monitor
 * only, and so does a client of a cluster: the node hears of them first by that. An offload's own process is there from
 * the start, in a manner of speaking. Any other PID has no owner.
 */
const mayBecomeProcess = ({ native, clio: { pid } }: SlowRequest, monitor: boolean): boolean =>
  !native || pid >= firstOffloadPid || (monitor && pid >= firstMonitorPid);

/**
 * The published client names the region and leaves `addr` as its stack had it. On its ports an address outside the
 * region that it names therefore means nothing; region 0, which its monitor never gives, names none.
 */
function wantedAddress({ addr, vregion }: Decoded<typeof allocBody>, native: boolean): bigint {
  return native || vregion === 0n || addr / BigInt(regionBytes) === vregion ? addr : 0n;
}
