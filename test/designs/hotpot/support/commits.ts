/** Commits over the nodes of a cluster, and what must hold of them. */
import { Cluster, type ClusterOptions, homeAt } from "../../../../designs/hotpot/rig/index.ts";
import type { Commit, OwnerShare } from "../../../../designs/hotpot/coordinator/index.ts";
import { Random } from "../../../../sim/index.ts";

/** Areas there are: one in each page, at owner `i % nodes`, with a copy at the node behind. */
export const areaBytes = 128;
export const vaOf = (i: number): bigint => homeAt + 4096n * BigInt(i) + 64n;
export const ownerOf = (i: number, nodes: number): number => i % nodes;
export const replicaOf = (i: number, nodes: number): number => (i + 1) % nodes;
/** What a commit writes: its own number, and the area's. */
export function contentOf(area: number, commit: number): Uint8Array {
  const out = new Uint8Array(areaBytes);
  const view = new DataView(out.buffer);
  for (let at = 0; at < areaBytes; at += 8) {
    view.setUint32(at, commit, true);
    view.setUint32(at + 4, area * 1000 + at, true);
  }
  return out;
}
/** @param areas in the order in which they are to be asked for */
export function commitOf(areas: readonly number[], commit: number, nodes: number, merged?: boolean): Commit {
  const shares: OwnerShare[] = [];
  for (const i of areas) {
    const node = ownerOf(i, nodes),
      area = { va: vaOf(i), data: contentOf(i, commit) },
      at = shares.findIndex(s => s.node === node),
      before = shares[at];
    if (before) shares[at] = { ...before, areas: [...before.areas, area] };
    else shares.push({ node, replicas: [replicaOf(i, nodes)], areas: [area] });
  }
  return { shares, ...(merged !== undefined && { merged }) };
}
/** Which commit an area shows at a node. @throws when it shows two */
export function shownAt(c: Cluster, node: number, area: number): number {
  const bytes = c.home(node, vaOf(area), areaBytes),
    commit = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const whole = commit === 0 ? new Uint8Array(areaBytes) : contentOf(area, commit);
  if (Buffer.compare(bytes, whole) !== 0)
    throw new Error(`area ${area} at node ${node} shows parts of several commits`);
  return commit;
}
/** Where lost pages are copied from: of each area that the node has, its other copy. */
export const sourcesFor = (n: number, areas: number, nodes: number): [bigint, number, number][] =>
  Array.from({ length: areas }, (_, i) => i)
    .filter(i => ownerOf(i, nodes) === n || replicaOf(i, nodes) === n)
    .map(i => [vaOf(i), areaBytes, ownerOf(i, nodes) === n ? replicaOf(i, nodes) : ownerOf(i, nodes)]);
/** A quiet cluster: all copies of each area show `expected` of it, and nothing is kept anywhere. */
export function checkQuiet(c: Cluster, areas: number, expected: (area: number) => number | undefined): void {
  const nodes = c.nodes.length;
  for (let i = 0; i < areas; i++)
    for (const n of [ownerOf(i, nodes), replicaOf(i, nodes)]) {
      const is = shownAt(c, n, i),
        should = expected(i) ?? 0;
      if (is !== should) throw new Error(`area ${i} at node ${n} shows commit ${is}; the last one was ${should}`);
    }
  for (const [n, { model }] of c.nodes.entries())
    if (model.used > 0) throw new Error(`node ${n} keeps ${model.used} commits when all are over`);
}
export const clusterOf = (seed: number, o: Partial<ClusterOptions> = {}, areas = 12): Cluster =>
  new Cluster(
    {
      ...{ nodes: 3, lanes: 4, random: new Random(seed), lost: 0.05, doubled: 0.1, delay: [1, 6], late: 0.03 },
      ...{ timeout: 40, backoff: 25 },
      ...o,
    },
    areas * 4096,
  );
