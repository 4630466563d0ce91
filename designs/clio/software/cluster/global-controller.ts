import {
  allocBody,
  allocReplyBody,
  createProcReplyBody,
  dissect,
  joinBody,
  newNodeBody,
  opcode,
  pingpongBody,
  regionBody,
  replyCode,
  replyFrame,
  retBody,
  status,
  telling,
  udpPorts,
} from "../../wire/index.ts";
import { firstMonitorPid } from "../../config/index.ts";
import { concat, decode, encode, type Endpoint, formatIpv4 } from "../../../shared/wire/index.ts";
import { AtMostOnce } from "../requests/at-most-once.ts";
import { mayBeAnswered } from "../requests/senders.ts";
import { errorNumber, regionBytes } from "../memory/memory-manager.ts";
import { Monitor } from "./monitor.ts";
import { type MemberNode, type Placement, regionState } from "./region-map.ts";
import type { SlowReply, SlowRequest } from "../requests/handler.ts";
import { type ClusterClock, pause } from "./clock.ts";
import { PeerExchange, PeerGone } from "./peer-exchange.ts";
import { decodeStep, encodeStep, type MigrationMode, migrationResult, sendStep } from "./steps.ts";

export interface GlobalControllerOptions {
  /**
   * The published client's monitor: MAC, IP and its port. The native messages come to `nativePort` of the same address.
   */
  readonly own: Endpoint;
  readonly nativePort?: number;
  /** Every node's port for the published client, for its hosts; default the one that a node joined with. */
  readonly clientPort?: number;
  readonly clock: ClusterClock;
  readonly send: (frame: Uint8Array) => void;
  readonly nodes?: readonly MemberNode[];
  /**
   * First process ID that is given here; default 32,768: nodes that also create processes of their own
   * have those below.
   */
  readonly firstPid?: number;
  /** How regions move when a node is short of memory; default page by page. */
  readonly mode?: MigrationMode;
  /** Between two questions how far a migration is, ns; default 200,000. */
  readonly pollNs?: number;
  /** As a node's: until a message is sent again, and how long a node may be silent before it counts as gone, ns. */
  readonly timeoutNs?: number;
  readonly silentNs?: number;
}

const refused = (code: number): SlowReply => ({ status: code, body: new Uint8Array(), headerOnly: true });
const ret = (value: number): SlowReply => ({
  status: value === 0 ? status.OK : status.FAIL,
  body: encode(retBody, { ret: value }),
});

/**
 * The global controller (paper §4.4.7): processes of the whole cluster, their regions of 1 GB and the node of each. The
 * controller orders migrations, one after another for a region. The controller is the published client's monitor, too,
 * on the monitor's port. Requests on its native port are done at most once. A migration ends here, when the region's
 * place changes, and not before both nodes have done their part.
 */
export class GlobalController {
  readonly monitor: Monitor;
  private readonly o: GlobalControllerOptions;
  private readonly own: Endpoint;
  private readonly peers: PeerExchange;
  private readonly once: AtMostOnce;
  private readonly migrations = new Map<Placement, Promise<number>>();

  constructor(o: GlobalControllerOptions) {
    this.o = o;
    this.own = { ...o.own, port: o.nativePort ?? udpPorts.native };
    this.monitor = new Monitor(o.own, o.nodes ?? [], o.firstPid ?? firstMonitorPid, o.clientPort);
    this.peers = new PeerExchange({
      own: this.own,
      clock: o.clock,
      send: o.send,
      ...(o.timeoutNs !== undefined && { timeoutNs: o.timeoutNs }),
      ...(o.silentNs !== undefined && { silentNs: o.silentNs }),
    });
    this.once = new AtMostOnce({ replies: 64, clients: 1024, idle: 1e9, forgotten: 65_536, time: () => o.clock.now() });
  }

  /** Takes a frame; its answers go out by `send`. */
  receive(frame: Uint8Array): void {
    const dissected = dissect(frame),
      { ethernet, ipv4, udp, clio, body } = dissected,
      answers = mayBeAnswered(dissected, { ...this.own, nativePort: this.own.port });
    if (!ethernet || !ipv4 || !udp || !clio || !body || ipv4.dst !== this.own.ip || udp.dstPort !== this.own.port) {
      // At the monitor's port, too, a process has ended only when its nodes say so.
      if (
        answers &&
        ethernet &&
        ipv4?.dst === this.own.ip &&
        udp?.dstPort === this.o.own.port &&
        clio?.opcode === opcode.FREE_PROC
      ) {
        const request = { ethernet, ipv4, udp, clio, native: false };
        void this.freeProcess(clio.pid).then(r =>
          this.o.send(replyFrame(this.o.own, request, replyCode(clio.opcode), r.status, r.body)),
        );
        return;
      }
      for (const out of this.monitor.receive(frame)) this.o.send(out);
      return;
    }
    if (this.peers.receive({ ipv4, clio, body }) || !answers) return;
    const request: SlowRequest = { ethernet, ipv4, udp, clio, body, native: true };
    void this.once
      .reply(request, () => this.serve(request))
      .then(reply => {
        this.o.send(
          replyFrame(
            this.own,
            reply.waitNs === undefined ? request : { ...request, clio: telling(clio, reply.waitNs) },
            reply.headerOnly ? clio.opcode : replyCode(clio.opcode),
            reply.status,
            reply.body,
          ),
        );
      });
  }

  /**
   * Moves a region to another node: the named one, or the one with the most free memory. @returns 0 when it is there;
   * otherwise why it stays, or that it is lost with a node that is gone
   */
  migrate(
    pid: number,
    region: number,
    { mode = this.o.mode ?? "pageByPage", to }: { readonly mode?: MigrationMode; readonly to?: MemberNode } = {},
  ): Promise<number> {
    const placement = this.monitor.map.find(pid, region);
    if (placement === undefined) return Promise.resolve(migrationResult.invalid);
    const known = this.migrations.get(placement);
    if (known) return known;
    const destination = to ?? this.monitor.map.destination(placement.node);
    if (placement.state !== "placed" || destination === undefined || destination.ip === placement.node.ip)
      return Promise.resolve(migrationResult.invalid);
    const done = this.carryOut(pid, placement, destination, mode).finally(() => {
      this.migrations.delete(placement);
    });
    this.migrations.set(placement, done);
    return done;
  }

  /** Sends nothing of its own any more: requests under way count as unanswered. */
  close(): void {
    this.peers.close();
  }

  /** Requests that a migration be taken back. @returns false when there is none */
  async cancel(pid: number, region: number): Promise<boolean> {
    const placement = this.monitor.map.find(pid, region);
    if (placement === undefined || placement.to === undefined) return false;
    const { node, to, version } = placement,
      step = encodeStep({ source: node, destination: to, region, version, step: 0 });
    return retOf((await this.peers.request(node, opcode.MIGRATION_CANCEL, pid, step)).body) === migrationResult.done;
  }

  private async carryOut(pid: number, placement: Placement, to: MemberNode, mode: MigrationMode): Promise<number> {
    // Clients that are refused from now on find the region moving: the version changes before the first
    // right is withdrawn.
    const { node, region } = placement,
      version = this.change(placement, { state: mode, to });
    let result: number,
      begun = false;
    try {
      await this.introduce(node, to);
      begun = true;
      const step = encodeStep({ source: node, destination: to, region, version, step: sendStep[mode] });
      for (;;) {
        result = retOf((await this.peers.request(node, opcode.MIGRATION_SEND, pid, step)).body);
        if (result !== migrationResult.underWay) break;
        await pause(this.o.clock, this.o.pollNs ?? 200_000);
      }
    } catch (e) {
      if (!(e instanceof PeerGone)) throw e;
      // Before it was asked to begin, the region is where it was: whether that node is gone with it, clients find out.
      result = begun ? migrationResult.lost : migrationResult.unreachable;
    }
    if (result === migrationResult.done) this.change(placement, { node: to, state: "placed", to: undefined });
    else this.change(placement, { state: result === migrationResult.lost ? "lost" : "placed", to: undefined });
    return result;
  }

  /** The sending node gets the other's MAC. */
  private async introduce(node: MemberNode, other: MemberNode): Promise<void> {
    const mac = Uint8Array.from({ length: 6 }, (_, i) => Number((other.mac >> BigInt(40 - 8 * i)) & 0xffn)),
      text = new TextEncoder();
    await this.peers.request(
      node,
      opcode.NEW_NODE,
      0,
      encode(newNodeBody, {
        type: 1n,
        memoryBytes: BigInt(other.memoryBytes),
        nodeName: text.encode(other.name).slice(0, 63),
        mac,
        ipText: text.encode(formatIpv4(other.ip)),
        ip: other.ip,
        udpPort: other.port,
      }),
    );
  }
  private change(placement: Placement, values: Partial<Placement>): number {
    return Object.assign(placement, values, { version: placement.version + 1 }).version;
  }

  private serve(request: SlowRequest): SlowReply | Promise<SlowReply> {
    const {
      clio: { opcode: code, pid },
      body,
    } = request;
    switch (code) {
      case opcode.SOC_PINGPONG: {
        const size = body.length < pingpongBody.bytes ? 0 : Math.min(1024, decode(pingpongBody, body).replySize);
        return { status: status.OK, body: new Uint8Array(size) };
      }
      case opcode.JOIN_CLUSTER:
        return this.join(request);
      case opcode.CREATE_PROC: {
        const created = this.monitor.newProcess();
        return {
          status: created === undefined ? status.FAIL : status.OK,
          body: encode(createProcReplyBody, {
            ret: created === undefined ? errorNumber.again : 0,
            newPid: created ?? 0,
          }),
        };
      }
      case opcode.FREE_PROC:
        return this.freeProcess(pid);
      case opcode.ALLOC:
        return body.length < allocBody.bytes ? refused(status.MALFORMED) : this.region(pid, body);
      case opcode.MIGRATION_NODE: {
        const step = decodeStep(body),
          placement = step && this.monitor.map.find(pid, step.region);
        // The query of a node that no longer has the region is late.
        if (placement === undefined || placement.node.ip !== request.ipv4.src) return ret(migrationResult.invalid);
        // The published client would find its region gone.
        if (this.monitor.isPublished(pid)) return ret(errorNumber.notSupported);
        void this.migrate(pid, placement.region);
        return ret(migrationResult.done);
      }
      default:
        return refused(status.MALFORMED);
    }
  }

  private join({ ethernet, body }: SlowRequest): SlowReply {
    if (body.length < joinBody.bytes) return refused(status.MALFORMED);
    const { ip, udpPort, memoryBytes } = decode(joinBody, body);
    for (const frame of this.monitor.joined({
      name: formatIpv4(ip),
      mac: ethernet.src,
      ip,
      port: udpPort,
      memoryBytes: Number(memoryBytes),
    }))
      this.o.send(frame);
    return ret(0);
  }

  /** Gives a region (`len` above 0) or its place; `vregion` 0: the next one. */
  private region(pid: number, body: Uint8Array): SlowReply {
    const { len, vregion } = decode(allocBody, body),
      { map } = this.monitor;
    const answer = (value: number, p?: Placement): SlowReply => ({
      status: value === 0 ? status.OK : status.FAIL,
      body: concat(
        encode(allocReplyBody, {
          ret: value,
          boardIp: p?.node.ip ?? 0,
          udpPort: p?.node.port ?? 0,
          vregion: p?.region ?? 0,
        }),
        encode(regionBody, {
          version: p?.version ?? 0,
          state: p === undefined ? 0 : regionState[p.state],
          toIp: p?.to?.ip ?? 0,
          toPort: p?.to?.port ?? 0,
        }),
      ),
    });
    if (len > BigInt(regionBytes) || vregion > 0xffff_ffffn) return answer(errorNumber.noMemory);
    const wanted = vregion === 0n ? undefined : Number(vregion);
    const given = len === 0n ? (map.find(pid, wanted ?? 0) ?? "noMemory") : map.give(pid, wanted);
    return typeof given === "string" ? answer(errorNumber[given]) : answer(0, given);
  }

  /** Once nothing of it moves any more: its nodes free it, and only then may its ID be another's. */
  private async freeProcess(pid: number): Promise<SlowReply> {
    const { map } = this.monitor;
    if (!map.hasProcess(pid)) return ret(errorNumber.noProcess);
    for (const p of map.of(pid)) await this.migrations.get(p);
    const nodes = new Set(map.of(pid).map(p => p.node));
    for (const node of nodes) {
      // A node that is gone has nothing of it any more.
      try {
        await this.peers.request(node, opcode.FREE_PROC, pid);
      } catch (e) {
        if (!(e instanceof PeerGone)) throw e;
      }
    }
    this.monitor.endProcess(pid);
    return ret(0);
  }
}

function retOf(body: Uint8Array): number {
  return body.length < retBody.bytes ? migrationResult.invalid : decode(retBody, body).ret;
}
