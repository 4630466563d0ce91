/** What software writes into a fresh device: entries of tables. Everything that is not written is 0. */
import { keyWords } from "./keys.ts";
import {
  bucketWord,
  type ConfigWord,
  egressWays,
  firewallTableRules,
  firewallWords,
  gbnWords,
  kvWords,
  matchActions,
  mostSlots,
  mostStages,
  natOutside,
  replicaWords,
  ruleKeyBits,
  type TableValues,
  tableWrite,
  type TableWrite,
  type Ternary,
  ternaryChunkBits,
  ternaryWords,
  tunnelWord,
  uidEntries,
} from "../../wire/index.ts";
import { type Chain, type Dag, everyPort, type PeerWay, type Setup } from "./setup.ts";

/** Cycles from a packet's start to its credit's return, without its tasks: a busy task has as much before it. */
const loopCycles = 6,
  /** Packets in front of a task of one cycle from which on it is busy (docs/supernic/scheduler.md, rule 3). */
  leastBusy = 3,
  /** Without progress for 100 us a task is stuck: far longer than any task takes. */
  patience = 25_000;
const macBits = 48;

/** The entries of a ternary table, in all copies. */
const ternary = (
  table: "ruleWord" | "macWord",
  entries: readonly Ternary[],
  keyBits: number,
  ports: number,
): TableWrite[] =>
  ternaryWords(entries, keyBits).flatMap((words, chunk) =>
    words.map((word, at) => tableWrite(table, chunk * 2 ** ternaryChunkBits + at, { word }, ports)),
  );

/** MACs that are known: of stations, then of peers. */
export const macEntries = ({ stations, peers }: Pick<Setup, "stations" | "peers">) => [
  ...stations.map(s => ({ mac: s.mac, port: s.port, peer: false, far: false })),
  ...peers.map(p => ({ mac: p.mac, port: p.port, peer: true, far: p.hops > 1 })),
];
/** What leads to a peer by one of its ways: its entries, and those of the stations behind it. */
export function wayWrites(
  { stations, peers, sizes }: Pick<Setup, "stations" | "peers" | "sizes">,
  peer: number,
  { port, hops }: PeerWay,
): readonly TableWrite[] {
  const to = peers[peer],
    all = everyPort(sizes),
    far = hops > 1 ? 1 : 0;
  if (to === undefined) throw new RangeError(`there is no peer ${peer}`);
  return [
    tableWrite("peer", peer, { mac: to.mac, port, far }),
    tableWrite("macEntry", stations.length + peer, { port, peer: 1, far }, all),
    ...stations.flatMap((s, i) =>
      s.behind === to.name ? [tableWrite("macEntry", i, { port, peer: 0, far: 0 }, all)] : [],
    ),
  ];
}
const exactly = (mac: bigint): Ternary => ({ value: mac, mask: 2n ** BigInt(macBits) - 1n });

/** The rules, at all ports: which of them count at a port stands in a register. */
export const ruleWrites = ({ rules, sizes }: Pick<Setup, "rules" | "sizes">): TableWrite[] => [
  ...ternary("ruleWord", rules, ruleKeyBits, everyPort(sizes)),
  ...rules.map((r, i) =>
    tableWrite("ruleAction", i, { action: matchActions.indexOf(r.action), port: r.port, uid: r.uid }, everyPort(sizes)),
  ),
];
function matchWrites(s: Setup): TableWrite[] {
  const all = everyPort(s.sizes),
    macs = macEntries(s);
  return [
    ...ruleWrites(s),
    ...ternary(
      "macWord",
      macs.map(m => exactly(m.mac)),
      macBits,
      all,
    ),
    ...macs.map((m, i) => tableWrite("macEntry", i, { port: m.port, peer: m.peer ? 1 : 0, far: m.far ? 1 : 0 }, all)),
  ];
}

/** What a port's table says of a UID. */
export const uidValues = (dag: Dag, allowed: boolean) => ({
  valid: 1,
  generation: Math.floor(dag.uid / uidEntries),
  dag: dag.number,
  user: dag.user.number,
  allowed: allowed ? 1 : 0,
  here: dag.peer === undefined ? 1 : 0,
  peer: dag.peer ?? 0,
  unordered: dag.unordered ? 1 : 0,
});
/** Each DAG at its ports; at those that no DAG of this entry is for, the entry is the first one's, and forbidden. */
function uidWrites({ dags, sizes }: Setup): TableWrite[] {
  const entries = new Set(dags.map(d => d.uid % uidEntries));
  return [...entries].flatMap(entry => {
    const of = dags.filter(d => d.uid % uidEntries === entry);
    const rest = everyPort(sizes) & ~of.reduce((m, d) => m | d.ports, 0),
      [first] = of;
    return [
      ...of.map(d => tableWrite("uid", entry, uidValues(d, true), d.ports)),
      ...(first === undefined || rest === 0 ? [] : [tableWrite("uid", entry, uidValues(first, false), rest)]),
    ];
  });
}

/** A DAG's stages, and what holds for the whole. */
export function dagWrites({ dags }: { readonly dags: readonly Dag[] }): TableWrite[] {
  return dags.flatMap(d => [
    ...d.stages.map((stage, n) => {
      const values: Record<string, number> = { last: n === d.stages.length - 1 ? 1 : 0 };
      for (const [b, { chain, run, arg }] of stage.entries()) {
        values[`valid${b}`] = 1;
        values[`chain${b}`] = chain.number;
        values[`run${b}`] = run.reduce((m, slot) => m | (1 << slot), 0);
        values[`arg${b}`] = arg;
      }
      return tableWrite("dagStage", d.number * mostStages + n, values as TableValues<"dagStage">);
    }),
    tableWrite("dag", d.number, {
      slow: d.slow ? 1 : 0,
      way: egressWays.indexOf(d.way),
      port: d.port,
      keepShim: d.keepShim ? 1 : 0,
    }),
  ]);
}

const userWrites = ({ users }: Setup): TableWrite[] =>
  users.map(u =>
    tableWrite("user", u.number, {
      limited: u.bytesPerEpoch === undefined ? 0 : 1,
      bytes: u.bytesPerEpoch ?? 0,
      class: u.class,
      contexts: u.contexts,
      cells: u.cells,
    }),
  );

/**
 * Credits, when a task is busy, and when it is stuck. A task that takes its time is busy with as much before it as it
 * does in a loop.
 */
export function slotTimes({ tasks }: Pick<Chain, "tasks">, credits: number) {
  let loop = loopCycles;
  return tasks.map(t => {
    const busyAt = t.interval === 1 ? leastBusy : Math.max(leastBusy, Math.ceil(loop / t.interval));
    loop += t.latency + 1;
    return { limit: credits, busyAt: Math.min(busyAt, credits), patience };
  });
}
const slotWrites = ({ regions, sizes }: Setup): TableWrite[] =>
  regions.flatMap((chain, r) =>
    (chain === undefined ? [] : slotTimes(chain, sizes.credits)).map((values, slot) =>
      tableWrite("slot", r * mostSlots + slot, values),
    ),
  );
const chainWrites = ({ chains }: Setup): TableWrite[] =>
  chains.map(c =>
    tableWrite("chain", c.number, { regions: c.regions.reduce((m, r) => m | (1 << r), 0), group: c.group }),
  );
const templateWrites = ({ tunnels }: Setup): TableWrite[] =>
  tunnels
    .filter(t => !t.row.opens)
    .map(({ number, template: { bytes, lengths } }) =>
      tableWrite("template", number, {
        data: bytes.reduceRight((v, b) => (v << 8n) | BigInt(b), 0n),
        bytes: bytes.length,
        lengths: lengths ? 1 : 0,
        sum: lengths ? sumOf(bytes.slice(14, 34)) : 0,
      }),
    );
/** Ones' complement sum of 16-bit words. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) sum += (bytes[i] ?? 0) * 256 + (bytes[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}

/** The words that configure a task of this name that is fresh. @param launches of nonces that there were before */
export function taskWords(
  task: string,
  s: Pick<
    Setup,
    | "firewall"
    | "nat"
    | "tunnels"
    | "balancers"
    | "kvNode"
    | "gbnNodes"
    | "replicas"
    | "replicaLife"
    | "keys"
    | "launch"
    | "number"
  >,
  launches = 0,
): ConfigWord[] {
  // A cache's name has its values.
  if (task.startsWith("kv_")) return s.kvNode === undefined ? [] : [...kvWords(s.kvNode, s.kvNode.life)];
  if (task === "go_back_n") return [...gbnWords(s.gbnNodes)];
  const tables = Math.ceil(s.firewall.length / firewallTableRules);
  const words: Readonly<Record<string, () => readonly ConfigWord[]>> = {
    firewall: () =>
      Array.from({ length: tables }, (_, t) =>
        firewallWords(t, s.firewall.slice(t * firewallTableRules, (t + 1) * firewallTableRules)),
      ).flat(),
    nat: () => (s.nat === undefined ? [] : [natOutside(s.nat.address, s.nat.ports)]),
    tunnel: () => s.tunnels.map(t => tunnelWord(t.number, t.row)),
    replicate: () => {
      const groups = s.replicas.map(r => r.group);
      return groups.length === 0 ? [] : replicaWords(groups, s.replicaLife);
    },
    balancer: () =>
      s.balancers.flatMap(b => b.macs.map((mac, i) => bucketWord(b.first + i, { valid: true, user: b.user, mac }))),
  };
  return [...(words[task]?.() ?? []), ...keyWords(task, s, launches)].filter(w => w.data !== 0n);
}
/** A word for the task in a slot. */
export const taskWrite = (region: number, slot: number, { at, data }: ConfigWord): TableWrite =>
  tableWrite("task", region * mostSlots + slot, { at, data });
const taskWrites = (s: Setup): TableWrite[] =>
  s.regions.flatMap((chain, r) =>
    (chain?.tasks ?? []).flatMap(({ name }, slot) => taskWords(name, s).map(w => taskWrite(r, slot, w))),
  );

/**
 * All writes, in an order in which each makes sense: a packet finds tasks, then chains and DAGs, then the way to them.
 * Entries that are 0 are left out.
 */
export const tableWrites = (s: Setup): readonly TableWrite[] =>
  [
    ...taskWrites(s),
    ...slotWrites(s),
    ...templateWrites(s),
    ...chainWrites(s),
    ...userWrites(s),
    ...dagWrites(s),
    ...uidWrites(s),
    ...matchWrites(s),
  ].filter(w => w.value !== 0n);
