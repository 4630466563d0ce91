/** A commit as its coordinator is given it, and the messages that it becomes. */
import { bounds, type Kind, marks, type Message } from "../wire/index.ts";

export interface CommitArea {
  readonly va: bigint;
  readonly data: Uint8Array;
}
/** What one owner has of a commit. `replicas`: the other nodes with copies of these pages. */
export interface OwnerShare {
  readonly node: number;
  readonly replicas: readonly number[];
  readonly areas: readonly CommitArea[];
}
export interface Commit {
  readonly shares: readonly OwnerShare[];
  /**
   * All phases at once at each owner. Of several owners only with MRSW: nobody else may commit these pages now. By
   * default a single owner has it.
   */
  readonly merged?: boolean;
}
/** A message on its way to a node; `key` names it among all of its coordinator. */
export interface Outgoing {
  readonly to: number;
  readonly key: string;
  readonly message: Message;
}
export interface Cid {
  readonly lane: number;
  readonly seq: number;
}

const maskOf = (nodes: Iterable<number>): number => [...new Set(nodes)].reduce((mask, n) => mask | (1 << n), 0);
export const nodesIn = (mask: number): number[] => Array.from({ length: 16 }, (_, i) => i).filter(i => (mask >> i) & 1);

const outgoing = (to: number, message: Message): Outgoing => ({
  ...{ to, message },
  key: `${message.seq ?? 0}/${message.kind}/${message.lane ?? 0}/${to}/${message.part ?? 0}`,
});
const plain = (kind: Kind, to: number, cid: Cid): Outgoing => outgoing(to, { kind, ...cid });

/** The owners and the replicas of a commit. */
export const ownersOf = ({ shares }: Commit): number[] => shares.map(s => s.node);
export const replicasOf = ({ shares }: Commit): number[] => [...new Set(shares.flatMap(s => s.replicas))];
export const shareOf = ({ shares }: Commit, node: number): OwnerShare | undefined => shares.find(s => s.node === node);

export function prepares(commit: Commit, share: OwnerShare, cid: Cid, mark: number): Outgoing[] {
  const owners = maskOf(ownersOf(commit)),
    replicas = maskOf(share.replicas),
    merged = commit.merged === true ? marks.merged : 0;
  return share.areas.map(({ va, data }, part) =>
    outgoing(share.node, {
      ...{ kind: "prepare", ...cid, part, parts: share.areas.length, marks: mark | merged, owners, replicas, va, data },
    }),
  );
}
/**
 * The lane of a commit's copies. A node may own pages of a commit and have copies of others. Its lane as a replica ends
 * before its lane as an owner does, and so no lock goes before all old UPDATEs are stale.
 */
export const copyCid = (cid: Cid): Cid => ({ ...cid, lane: cid.lane + bounds.lanes / 2 });
export const updates = (commit: Commit, to: number, cid: Cid, mark: number): Outgoing[] =>
  commit.shares
    .filter(s => s.replicas.includes(to))
    .flatMap(s =>
      s.areas.map(({ va, data }, i): Outgoing => {
        const made = outgoing(to, { kind: "update", ...copyCid(cid), va, data, marks: mark });
        return { ...made, key: `${made.key}/${s.node}/${i}` };
      }),
    );
export const commits = (to: number, cid: Cid): Outgoing => plain("commit", to, cid);
export const forgets = (to: number, cid: Cid): Outgoing => plain("forget", to, cid);
export const copyForgets = (to: number, cid: Cid): Outgoing => forgets(to, copyCid(cid));
