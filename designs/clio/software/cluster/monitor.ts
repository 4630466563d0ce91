import { firstOffloadPid } from "../../config/index.ts";
import {
  allocBody,
  allocReplyBody,
  clioMessage,
  createProcBody,
  createProcReplyBody,
  dissect,
  joinBody,
  newNodeBody,
  opcode,
  replyCode,
  replyFrame,
  retBody,
  sessionBody,
  status,
} from "../../wire/index.ts";
import {
  arpReplyFrame,
  decode,
  echoReplyFrame,
  encode,
  type Endpoint,
  formatIpv4,
  PacketError,
  udpFrame,
} from "../../../shared/wire/index.ts";
import { errorNumber, regionBytes } from "../memory/memory-manager.ts";
import { LongestFree } from "../memory/numbers.ts";
import { MonitorSessions, mostSessions, noSuchSession, pingpongReply } from "./monitor-sessions.ts";
import { mayBeAnswered } from "../requests/senders.ts";
import { type MemberNode, RegionMap } from "./region-map.ts";

/** Member types of JOIN_CLUSTER and NEW_NODE. */
const memberType = { node: 1n, host: 2n } as const;

/**
 * The cluster's monitor as the published client's start-up needs it (wire-format.md). The monitor answers JOIN after it
 * has named every node to the host, and serves processes. The monitor places regions of 1 GB on the node with the
 * fewest for its memory. A station of its own: frames in, frames out.
 */
export class Monitor {
  private readonly own: Endpoint;
  private readonly hosts = new Map<string, Endpoint>();
  private readonly pids: LongestFree;
  /** Processes that were created here, by clients that follow no region to another node. */
  private readonly published = new Set<number>();
  /** The node of each region. */
  readonly map: RegionMap;

  /** The port of a node for hosts. */
  private readonly portOf: (node: MemberNode) => number;
  private readonly sessions = new MonitorSessions();

  /**
   * @param firstPid process IDs from here on are the monitor's to give; nodes that create processes of their own
   * have those below
   * @param clientPort every node's port for the published client, where that is not the one that it joined with
   */
  constructor(own: Endpoint, nodes: readonly MemberNode[], firstPid = 1, clientPort?: number) {
    this.own = own;
    this.map = new RegionMap(nodes);
    this.pids = new LongestFree(firstPid, firstOffloadPid - 1);
    this.portOf = node => clientPort ?? node.port;
  }

  /**
   * The frames that answer a frame, in order; none when it is not for the monitor. Never throws on what a frame holds.
   */
  receive(frame: Uint8Array): Uint8Array[] {
    const d = dissect(frame);
    if (d.ethernet && d.arp)
      return d.arp.operation === 1 && d.arp.targetIp === this.own.ip && d.ethernet.src !== this.own.mac
        ? [arpReplyFrame(this.own, d.ethernet, d.arp)]
        : [];
    if (!d.ethernet || !d.ipv4 || d.ipv4.dst !== this.own.ip) return [];
    const host = d.udp && this.hostAt(d.ipv4.src, d.udp.srcPort);
    // A host that has joined leaves anything in its status, as at the nodes' client ports.
    if (!mayBeAnswered(d, host === undefined ? this.own : { ...this.own, clientPort: this.own.port })) return [];
    if (d.icmp)
      return d.icmp.type === 8 && d.icmp.code === 0
        ? [echoReplyFrame(this.own, frame, Math.min(d.ipv4.totalLength, frame.length - 14))]
        : [];
    if (!d.udp || !d.clio || !d.body) return [];
    if (d.udp.dstPort !== this.own.port && !(host && this.sessions.has(d.udp.dstPort - this.own.port))) return [];
    const request = { ethernet: d.ethernet, ipv4: d.ipv4, udp: d.udp, clio: d.clio, native: false };
    const reply = (ok: boolean, body: Uint8Array): Uint8Array =>
      replyFrame(this.own, request, replyCode(request.clio.opcode), ok ? status.OK : status.FAIL, body);
    try {
      switch (d.clio.opcode) {
        case opcode.JOIN_CLUSTER:
          return [...this.join(d.body, d.ethernet.src), reply(true, encode(retBody, { ret: 0 }))];
        case opcode.CREATE_PROC:
          return [this.createProcess(d.body, reply)];
        case opcode.FREE_PROC:
          return this.freeProcess(d.clio.pid, reply);
        case opcode.ALLOC:
          return [this.giveRegion(d.clio.pid, d.body, reply)];
        case opcode.OPEN_SESSION:
          return [
            reply(
              true,
              encode(sessionBody, {
                session: host ? this.sessions.open(decode(sessionBody, d.body).session, host) : 0,
              }),
            ),
          ];
        case opcode.CLOSE_SESSION: {
          const closed = host !== undefined && this.sessions.close(decode(sessionBody, d.body).session, host);
          return [reply(closed, encode(sessionBody, { session: closed ? 0 : noSuchSession }))];
        }
        case opcode.PINGPONG:
          return host ? pingpongReply(this.own, request, d.body) : [];
        case opcode.QUERY_STAT:
          return [reply(true, this.sessions.statistics())];
        // A host answers NEW_NODE from its base port; the published client uses an opcode that it never sets. The
        // published client answers an answer to that again.
        default:
          return this.hosts.has(hostName(d.ipv4.src, d.udp.srcPort))
            ? []
            : [replyFrame(this.own, request, d.clio.opcode, status.MALFORMED)];
      }
    } catch (e) {
      if (e instanceof PacketError) return [replyFrame(this.own, request, d.clio.opcode, status.MALFORMED)];
      throw e;
    }
  }

  /**
   * The name of the host that sends from a port: its base port, or one of its sessions', which follow. Of several hosts
   * of a machine it is the nearest below.
   */
  private hostAt(ip: number, port: number): string | undefined {
    let found: Endpoint | undefined;
    for (const h of this.hosts.values())
      if (h.ip === ip && port >= h.port && port <= h.port + mostSessions && (!found || h.port > found.port)) found = h;
    return found && hostName(found.ip, found.port);
  }

  /** A host gets every node, and a node goes to every host. */
  private join(body: Uint8Array, mac: bigint): Uint8Array[] {
    const member = decode(joinBody, body),
      at: Endpoint = { mac, ip: member.ip, port: member.udpPort };
    if (member.type === memberType.host) {
      this.hosts.set(hostName(at.ip, at.port), at);
      // Sessions of an earlier program there are nobody's any more.
      this.sessions.forget(hostName(at.ip, at.port));
      return this.map.nodes.map(node => this.newNode(node, at));
    }
    const node: MemberNode = { ...at, name: formatIpv4(at.ip), memoryBytes: Number(member.memoryBytes) };
    return this.joined(node);
  }
  /** A node is there, with so much free memory. @returns the frames that tell every host of one that was not known */
  joined(node: MemberNode): Uint8Array[] {
    return this.map.join(node) ? [...this.hosts.values()].map(host => this.newNode(node, host)) : [];
  }

  /** Announces a node to a member. */
  newNode(node: MemberNode, host: Endpoint): Uint8Array {
    const text = new TextEncoder();
    const mac = Uint8Array.from({ length: 6 }, (_, i) => Number((node.mac >> BigInt(40 - 8 * i)) & 0xffn));
    return udpFrame(
      this.own,
      host,
      clioMessage(
        { opcode: opcode.NEW_NODE },
        encode(newNodeBody, {
          type: memberType.node,
          memoryBytes: BigInt(node.memoryBytes),
          nodeName: text.encode(node.name).slice(0, 63),
          mac,
          ipText: text.encode(formatIpv4(node.ip)),
          ip: node.ip,
          udpPort: this.portOf(node),
        }),
      ),
    );
  }

  private createProcess(body: Uint8Array, reply: (ok: boolean, body: Uint8Array) => Uint8Array): Uint8Array {
    decode(createProcBody, body);
    const pid = this.newProcess();
    if (pid !== undefined) this.published.add(pid);
    return reply(
      pid !== undefined,
      encode(createProcReplyBody, { ret: pid === undefined ? errorNumber.again : 0, newPid: pid ?? 0 }),
    );
  }
  /** A new process without a region; undefined when all process IDs are taken. */
  newProcess(): number | undefined {
    const pid = this.pids.take();
    if (pid !== undefined) this.map.addProcess(pid);
    return pid;
  }
  /** Whether a process's clients may not know that regions move. */
  isPublished(pid: number): boolean {
    return this.published.has(pid);
  }
  /**
   * Ends a process. @returns the nodes that have something of it, which are to be told; undefined for one that
   * is not known
   */
  endProcess(pid: number): readonly MemberNode[] | undefined {
    this.published.delete(pid);
    return this.pids.release(pid) ? this.map.removeProcess(pid) : undefined;
  }

  /** The process's nodes free it as well. */
  private freeProcess(pid: number, reply: (ok: boolean, body: Uint8Array) => Uint8Array): Uint8Array[] {
    const nodes = this.endProcess(pid);
    const tellNodes = (nodes ?? []).map(node =>
      udpFrame(this.own, node, clioMessage({ pid, opcode: opcode.FREE_PROC })),
    );
    return [...tellNodes, reply(nodes !== undefined, encode(retBody, { ret: nodes ? 0 : errorNumber.noProcess }))];
  }

  private giveRegion(pid: number, body: Uint8Array, reply: (ok: boolean, body: Uint8Array) => Uint8Array): Uint8Array {
    const { len } = decode(allocBody, body),
      given = len > BigInt(regionBytes) ? "noMemory" : this.map.give(pid);
    if (typeof given === "string") return reply(false, encode(allocReplyBody, { ret: errorNumber[given] }));
    const { node, region } = given;
    return reply(
      true,
      encode(allocReplyBody, { ret: 0, boardIp: node.ip, udpPort: this.portOf(node), vregion: region }),
    );
  }
}

/** A host by its address and base port. */
const hostName = (ip: number, port: number): string => `${ip}:${port}`;
