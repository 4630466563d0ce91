import type { Def } from "../../../hdl-dsl/index.ts";
import type { Block } from "../../shared/command-line/index.ts";
import { UsageError } from "../../shared/errors/index.ts";
import {
  balancer,
  checksum,
  CreditTable,
  Decision,
  Deparser,
  dummy,
  firewall,
  FlowTable,
  HeaderStore,
  Join,
  Judge,
  LinkReceive,
  Match,
  nat,
  PacketStore,
  PickTurn,
  region,
  Reserve,
  Slot,
  tunnel,
  TxPort,
} from "../rtl/index.ts";

/** The blocks with the default build's sizes. There is no device around them yet: each is built by itself. */
const blocks = {
  PacketStore: () => PacketStore({ cells: 1024, cellBeats: 4, beatBytes: 64, payloadBeats: 140 }),
  Judge: () => Judge({ frameBytes: 1536 }),
  Match: () => Match({ ports: 4, rules: 32, macs: 64 }),
  HeaderStore: () => HeaderStore({ contexts: 256, users: 16 }),
  CreditTable: () => CreditTable({ regions: 4, slots: 4, credits: 24 }),
  FlowTable: () => FlowTable({ regions: 4, groups: 4, hashBits: 8, contexts: 256 }),
  PickTurn: () => PickTurn({ regions: 4, slots: 4, users: 16 }),
  Reserve: () => Reserve({ regions: 4, slots: 4, users: 16 }),
  Decision: () => Decision({ regions: 4, slots: 4, users: 16, credits: 24 }),
  Join: () => Join({ contexts: 256, branches: 4 }),
  Slot: () => Slot({ contexts: 256, slots: 4, places: 24, slot: 0, declared: tunnel.declared }),
  Region: () => region([dummy, dummy, dummy, dummy])({ contexts: 256, places: 24 }),
  ChecksumTask: () => checksum.hardware,
  FirewallTask: () => firewall.hardware,
  BalancerTask: () => balancer.hardware,
  NatTask: () => nat.hardware,
  TunnelTask: () => tunnel.hardware,
  LinkReceive: () => LinkReceive({ ackEvery: 16, ackCycles: 500 }),
  TxPort: () =>
    TxPort({
      beats: 1024,
      frames: 1024,
      frameBytes: 1600,
      resendCycles: 5000,
      tries: 8,
      rounds: 512,
      pauseQuanta: 8192,
    }),
  Deparser: () => Deparser({ contexts: 256, cells: 1024, payloadBeats: 140 }),
} as const satisfies Readonly<Record<string, () => Def>>;
export type BlockName = keyof typeof blocks;
export const blockNames = Object.keys(blocks) as readonly BlockName[];

/** Which block is built. */
export interface Settings {
  readonly block: BlockName;
}
const isBlock = (name: string | undefined): name is BlockName => blockNames.some(b => b === name);

/** Reads `block=PacketStore`. @throws UsageError for another setting, another block, or one given twice */
export function parseSettings(set: readonly string[]): Settings {
  const [first = `block=${blockNames[0] ?? ""}`, second] = set,
    [key, value] = first.split("=");
  if (key !== "block") throw new UsageError(`there is no setting "${key ?? ""}"; the only one is block`);
  if (second !== undefined) throw new UsageError(`one setting is enough, and there are ${set.length}; give block once`);
  if (!isBlock(value)) throw new UsageError(`block = "${value ?? ""}": must be one of ${blockNames.join(", ")}`);
  return { block: value };
}

export const blockOf = ({ block }: Settings): Def => blocks[block]();
/** The blocks beside this one, for what is measured of all. */
export const blocksBeside = (block: BlockName): readonly Block[] =>
  Object.entries(blocks).flatMap(([name, make]) => (name === block ? [] : [{ definition: make(), names: [name] }]));
