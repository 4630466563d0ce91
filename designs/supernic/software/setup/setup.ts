/** A setup as the device and its models take it: names are numbers, and everything fits together. */
import type { cipherTasks } from "./schema.ts";
import type {
  AesRow,
  Declared,
  EgressWayName,
  FirewallRule,
  GbnNode,
  KvNode,
  MatchActionName,
  ReplicaGroup,
  Ternary,
  TunnelRow,
} from "../../wire/index.ts";

/** Sizes that a setup has to fit. */
export interface SetupSizes {
  readonly ports: number;
  readonly users: number;
  readonly contexts: number;
  readonly cells: number;
  readonly regions: number;
  readonly slots: number;
  readonly branches: number;
  readonly credits: number;
  readonly rules: number;
  readonly macs: number;
  readonly frameBytes: number;
}
export interface SetupPort {
  readonly reliable: boolean;
  readonly peer: boolean;
  readonly control: boolean;
  readonly class: number;
}
export interface Station {
  readonly name: string;
  readonly mac: bigint;
  readonly ip?: number | undefined;
  readonly port: number;
  /** The peer that it is behind. */
  readonly behind?: string | undefined;
}
/** A way to a peer: a port, and links. */
export interface PeerWay {
  readonly port: number;
  readonly hops: number;
}
export interface Peer {
  readonly name: string;
  readonly mac: bigint;
  readonly port: number;
  /** Links on the way to it. */
  readonly hops: number;
  /** Another way, for when nothing is heard by this one. */
  readonly around?: PeerWay | undefined;
}
export interface User {
  readonly name: string;
  readonly number: number;
  readonly class: number;
  /** Undefined: as many as it likes. */
  readonly bytesPerEpoch: number | undefined;
  readonly contexts: number;
  readonly cells: number;
  /** Bytes that its tasks may have of the board's memory; undefined: as much as there is. */
  readonly memory?: number | undefined;
  readonly key: Uint8Array | undefined;
}
/** A row of tasks, in one or more regions. */
export interface Chain {
  readonly number: number;
  readonly name: string;
  readonly tasks: readonly Declared[];
  /** The tasks as the file names them. */
  readonly labels: readonly string[];
  readonly regions: readonly number[];
  /** Of the flow table. */
  readonly group: number;
}
export interface Branch {
  readonly chain: Chain;
  /** Slots that a packet takes, ascending. */
  readonly run: readonly number[];
  readonly arg: number;
}
export interface Dag {
  readonly number: number;
  readonly name: string;
  readonly user: User;
  readonly uid: number;
  /** A bit for each port; the loop port's is behind the ports'. */
  readonly ports: number;
  readonly stages: readonly (readonly Branch[])[];
  /** Number of the peer where it runs; undefined: here. */
  readonly peer: number | undefined;
  readonly way: EgressWayName;
  /** Of the way `port`. */
  readonly port: number;
  readonly keepShim: boolean;
  readonly unordered: boolean;
  readonly slow: boolean;
}
export interface SetupRule extends Ternary {
  readonly name: string;
  readonly action: MatchActionName;
  /** Port or peer. */
  readonly port: number;
  readonly uid: number;
  readonly ports: number;
}
/** A row of the tunnels, and what it puts in front. */
export interface Tunnel {
  readonly number: number;
  readonly name: string;
  readonly row: TunnelRow;
  readonly template: { readonly bytes: Uint8Array; readonly lengths: boolean };
}
export interface Balancer {
  readonly name: string;
  readonly first: number;
  readonly user: number;
  readonly macs: readonly bigint[];
  /** What tells a DAG's packets to use it. */
  readonly arg: number;
}
export interface Nat {
  readonly address: number;
  readonly ports: number;
  readonly life: number;
  readonly epoch?: number | undefined;
}
/** The node behind the KV caches. */
export interface SetupKvNode extends KvNode {
  /** In units of 256 cycles. */
  readonly life: number;
}
/** A key of a task that encrypts. */
export interface SetupKey {
  readonly name: string;
  /** Its row, as a DAG's packets name it. */
  readonly arg: number;
  readonly task: (typeof cipherTasks)[number];
  readonly row: AesRow;
}
/** A group of nodes that writes are copied to. */
export interface Replicas {
  readonly name: string;
  /** What tells a DAG's packets to use it. */
  readonly arg: number;
  readonly group: ReplicaGroup;
}
export interface Setup {
  readonly sizes: SetupSizes;
  readonly mac: bigint;
  readonly ip: number;
  /** Its number among sNICs. */
  readonly number: number;
  readonly ports: readonly SetupPort[];
  readonly uplink: number | undefined;
  readonly epoch: number;
  /** The users' class that leaves each port before the others. */
  readonly urgentClass: number | undefined;
  readonly stations: readonly Station[];
  readonly peers: readonly Peer[];
  readonly users: readonly User[];
  readonly chains: readonly Chain[];
  /** The chain in each region; undefined: it is empty. */
  readonly regions: readonly (Chain | undefined)[];
  /** Chains that regions can be given, by their tasks; undefined: what regions hold stays. */
  readonly bitstreams: readonly (readonly string[])[] | undefined;
  /** Frames of DAGs that wait go to rings in memory (docs/supernic/spill.md). */
  readonly spill: boolean;
  /** Fair shares in hardware, and chains that are scaled out and in (docs/supernic/software.md). */
  readonly fair: boolean;
  readonly firewall: readonly FirewallRule[];
  readonly nat: Nat | undefined;
  readonly tunnels: readonly Tunnel[];
  readonly balancers: readonly Balancer[];
  readonly kvNode: SetupKvNode | undefined;
  readonly keys: readonly SetupKey[];
  /** Number of the first launch of nonces. */
  readonly launch: number | undefined;
  /** Nodes behind every Go-Back-N task. */
  readonly gbnNodes: readonly GbnNode[];
  readonly replicas: readonly Replicas[];
  /** In units of 256 cycles. */
  readonly replicaLife: number;
  readonly dags: readonly Dag[];
  readonly rules: readonly SetupRule[];
}
/** The loop port's number. */
export const loopPort = ({ sizes }: Pick<Setup, "sizes">): number => sizes.ports;
/** Bits of all ports and the loop port. */
export const everyPort = (sizes: Pick<SetupSizes, "ports">): number => 2 ** (sizes.ports + 1) - 1;
/** What a task of this name declares. @throws Error in one sentence for another name */
export type DeclaredOf = (task: string) => Declared;
