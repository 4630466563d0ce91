/**
 * What replication must do with each packet (docs/supernic/replication.md), byte for byte. It has no time: nothing that
 * waits grows old, and no copies wait for one another.
 */
import {
  kvNodePort,
  replicaAt,
  replicaBeats,
  replicaGroups,
  replicaKeyHash,
  type ReplicaNode,
  replicaNodes,
  replicaPlaces,
  replicaRow,
  replicaSets,
  replicaWays,
  writeNoReply,
} from "../../wire/index.ts";
import { passOn, type TaskAnswerModel, type TaskModel, type TaskPacketModel, writesAt } from "./task.ts";

interface Row {
  user: number;
  nodes: number;
  readonly at: { mac: bigint; ip: number; port: number }[];
}
interface Waiting {
  readonly want: number;
  got: number;
  status: number;
}
const udp = 17,
  beatBytes = 64,
  clioBytes = 58;
const be = (b: Uint8Array, at: number, n: number): number => b.slice(at, at + n).reduce((x, byte) => x * 256 + byte, 0);
const beBytes = (value: bigint | number, n: number): number[] =>
  Array.from({ length: n }, (_, i) => Number((BigInt(value) >> BigInt(8 * (n - 1 - i))) & 255n));
const drop: TaskAnswerModel = { verdict: "drop" };

/** A checksum after some words have changed (RFC 1624, equation 3). */
function summed(sum: number, before: number, after: number): number {
  const words = (ip: number): number[] => [ip >>> 16, ip & 0xffff];
  let all =
    (~sum & 0xffff) + words(before).reduce((n, w) => n + (~w & 0xffff), 0) + words(after).reduce((n, w) => n + w, 0);
  while (all > 0xffff) all = (all & 0xffff) + (all >>> 16);
  return ~all & 0xffff;
}
/** The bytes of a frame for another node, or as if from another. */
function readdressed(h: Uint8Array, which: "dst" | "src", to: ReplicaNode): Map<number, number> {
  const before = be(h, replicaAt[which], 4);
  return new Map([
    ...writesAt(which === "dst" ? replicaAt.dstMac : replicaAt.srcMac, beBytes(to.mac, 6)),
    ...writesAt(replicaAt.ipSum, beBytes(summed(be(h, replicaAt.ipSum, 2), before, to.ip), 2)),
    ...writesAt(replicaAt[which], beBytes(to.ip >>> 0, 4)),
    ...writesAt(replicaAt.udpSum, [0, 0]),
  ]);
}
const withBytes = (h: Uint8Array, writes: ReadonlyMap<number, number>): Uint8Array =>
  h.map((b, i) => writes.get(i) ?? b);

export class ReplicaModel implements TaskModel {
  readonly #rows: Row[] = Array.from({ length: replicaGroups }, () => ({
    ...{ user: 0, nodes: 0 },
    at: Array.from({ length: replicaNodes.most }, () => ({ mac: 0n, ip: 0, port: 0 })),
  }));
  readonly #waiting = new Map<string, Waiting>();
  readonly #inSet: number[] = Array.from({ length: replicaSets }, () => 0);
  readonly counts = { copied: 0, answered: 0, strays: 0, refused: 0 };

  configure(at: number, data: bigint): void {
    const group = at - replicaPlaces.group(0);
    if (group >= 0 && group < replicaGroups) {
      const row = this.#rows[group];
      if (row)
        Object.assign(row, {
          user: Number(data & 63n),
          nodes: Math.min(replicaNodes.most, Number((data >> BigInt(replicaRow.nodes)) & 7n)),
        });
      return;
    }
    const node = this.#rows[at >> 3]?.at[(at >> 1) & 3];
    if (node === undefined || at >= replicaPlaces.group(0)) return;
    if (at % 2 === 1) node.ip = Number(data & 0xffff_ffffn);
    else Object.assign(node, { mac: data & ((1n << 48n) - 1n), port: Number((data >> BigInt(replicaRow.port)) & 15n) });
  }
  /** Requests that wait for replies. */
  get waiting(): number {
    return this.#waiting.size;
  }
  /** More than `life` has passed: nobody waits any more. */
  grown(): void {
    this.#waiting.clear();
    this.#inSet.fill(0);
  }

  /** As behind a reset. */
  forget(): void {
    this.grown();
    for (const row of this.#rows) row.nodes = 0;
  }
  answer(packet: TaskPacketModel): TaskAnswerModel {
    const { header: h, arg, user, ingress, noL4 } = packet,
      row = this.#rows[arg % replicaGroups],
      isUdp = be(h, 12, 2) === 0x800 && h[14] === 0x45 && h[23] === udp && packet.headBytes >= 34 && !noL4;
    if (row === undefined || !isUdp || ((h[replicaAt.status] ?? 0) & 0x20) === 0) return passOn;
    const nodes = row.at.slice(0, row.nodes),
      ours = row.nodes > 0 && user === row.user,
      src = be(h, replicaAt.src, 4),
      from = nodes.reduce((m, n, i) => (n.ip === src && n.port === ingress ? m | (1 << i) : m), 0);
    if (be(h, 34, 2) === kvNodePort && from > 0 && ours) return this.#reply(packet, nodes, from);
    if (be(h, 36, 2) !== kvNodePort) return passOn;
    return this.#request(packet, nodes, ours);
  }
  #key(h: Uint8Array, ip: number, port: number): { readonly key: string; readonly set: number } {
    const bytes = [...h.slice(ip, ip + 4), ...h.slice(port, port + 2), ...h.slice(50, 54)],
      key = bytes.reduceRight((n, b) => (n << 8n) | BigInt(b), 0n);
    return { key: key.toString(16), set: Number(replicaKeyHash(key)) };
  }
  #request(p: TaskPacketModel, nodes: readonly ReplicaNode[], ours: boolean): TaskAnswerModel {
    const { header: h, payloadBytes, headBytes, payload } = p,
      tracked = ((h[replicaAt.status] ?? 0) & 0x40) !== 0,
      fits = payloadBytes <= replicaBeats * beatBytes && headBytes >= clioBytes,
      { key, set } = this.#key(h, replicaAt.src, 34),
      waits = this.#waiting.has(key),
      places = this.#inSet[set] ?? 0;
    const room = waits || places < replicaWays;
    if (!ours || !tracked || !fits || h[45] === writeNoReply || be(h, 30, 4) !== nodes[0]?.ip || !room) {
      this.counts.refused++;
      return drop;
    }
    if (!waits) {
      this.#waiting.set(key, { want: (1 << nodes.length) - 1, got: 0, status: 0 });
      this.#inSet[set] = places + 1;
    }
    this.counts.copied++;
    return {
      ...drop,
      made: nodes.map(to => ({
        port: to.port,
        bytes: Uint8Array.from([
          ...withBytes(h, readdressed(h, "dst", to)).slice(0, headBytes),
          ...(payload ?? new Uint8Array()),
        ]),
      })),
    };
  }
  #reply({ header: h }: TaskPacketModel, nodes: readonly ReplicaNode[], from: number): TaskAnswerModel {
    const { key, set } = this.#key(h, replicaAt.dst, 36),
      waiting = this.#waiting.get(key),
      [first] = nodes;
    if (waiting === undefined || first === undefined || (from & waiting.want & ~waiting.got) === 0) {
      this.counts.strays++;
      return drop;
    }
    const byte = h[replicaAt.status] ?? 0;
    waiting.got |= from;
    waiting.status = Math.max(waiting.status, byte & 15);
    if (waiting.got !== waiting.want) return drop;
    this.#waiting.delete(key);
    this.#inSet[set] = (this.#inSet[set] ?? 1) - 1;
    this.counts.answered++;
    const writes = readdressed(h, "src", first).set(replicaAt.status, (byte & 0xf0) | waiting.status);
    // What is sent is the same, whichever reply came last.
    return { verdict: "forward", writes, unordered: true };
  }
}
