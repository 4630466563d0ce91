/**
 * The tables that software writes: one description of each gives the hardware's words, the driver's and the page. A
 * table is written a whole entry at a time, by number of table, place and value.
 */
import { num, type NumberField, PacketError } from "../../shared/wire/index.ts";
import { ruleKeyBits, ternaryChunks, uidEntries } from "./match.ts";

/** Most stages of a DAG, most branches of a stage, and most regions and slots that a table has room for. */
export const mostStages = 8;
export const mostBranches = 8;
export const mostRegions = 8;
export const mostSlots = 8;
export const dagEntries = 256;
export const chainEntries = 64;
export const templateEntries = 256;

/** What an egress entry of a DAG means; `mac`: as a switch does, by the destination that the packet has then. */
export const egressWays = ["mac", "port", "back", "loop"] as const;
export type EgressWayName = (typeof egressWays)[number];

/** Fields of an entry, the first lowest. A wide field has `bits` over 32 and is given as a bigint. */
export interface TableField extends Omit<NumberField, "bits"> {
  readonly bits: number;
}
export interface Table {
  readonly id: number;
  readonly title: string;
  readonly entries: number;
  readonly fields: Readonly<Record<string, TableField>>;
}
const wide = (bits: number, doc: string): TableField => ({ ...num(32, doc, "hex"), bits });

const branchFields = Object.fromEntries(
  Array.from({ length: mostBranches }, (_, b) => [
    [`valid${b}`, num(1, `branch ${b} is there`, "bool")],
    [`chain${b}`, num(6, "its chain")],
    [`run${b}`, num(mostSlots, "the chain's slots that the packet takes, a bit each", "hex")],
    [`arg${b}`, num(8, "what the DAG tells the tasks of this branch")],
  ]).flat(),
) as Record<string, TableField>;

/** Most types of tasks that fair shares know at once. */
export const mostTypes = 32;
/** Places of a user's resources in tables by user and resource. */
export const resourcePlaces = 64;
const useFields = Object.fromEntries(
  Array.from({ length: mostTypes }, (_, t) => [`uses${t}`, num(2, `times that a packet goes through type ${t}`)]),
) as Record<`uses${number}`, TableField>;

const macBits = 48,
  macTable = 64,
  ruleTable = 32;
/** A ternary table's word is found by chunk of the key (the higher bits) and 5 bits of it. */
const ternaryPlaces = (keyBits: number): number => ternaryChunks(keyBits) * 32;

export const tables = {
  ruleWord: {
    id: 0,
    title: "words of the ternary rules, by chunk and 5 bits of the key",
    entries: ternaryPlaces(ruleKeyBits),
    fields: { word: wide(ruleTable, "a bit for each rule that can match") },
  },
  ruleAction: {
    id: 1,
    title: "what a rule does",
    entries: ruleTable,
    fields: { action: num(3, "of the actions of a rule"), port: num(4, "port or peer"), uid: num(16, "UID", "hex") },
  },
  macWord: {
    id: 2,
    title: "words of the ternary MACs, by chunk and 5 bits",
    entries: ternaryPlaces(macBits),
    fields: { word: wide(macTable, "a bit for each MAC that can match") },
  },
  macEntry: {
    id: 3,
    title: "where a MAC is",
    entries: macTable,
    fields: {
      port: num(4, "its port"),
      peer: num(1, "a peer is there", "bool"),
      far: num(1, "it is behind another sNIC", "bool"),
    },
  },
  uid: {
    id: 4,
    title: "UIDs, by the low bits",
    entries: uidEntries,
    fields: {
      valid: num(1, "there is such a UID", "bool"),
      generation: num(6, "its high bits must be these"),
      dag: num(8, "its DAG"),
      user: num(6, "whose it is"),
      allowed: num(1, "at this port", "bool"),
      here: num(1, "it is processed here, else at the peer", "bool"),
      peer: num(4, "the peer"),
      unordered: num(1, "its packets may overtake each other", "bool"),
    },
  },
  user: {
    id: 5,
    title: "users",
    entries: 64,
    fields: {
      limited: num(1, "the meter counts its bytes", "bool"),
      bytes: num(24, "bytes an epoch"),
      class: num(2, "its class at every port"),
      contexts: num(9, "contexts that it may hold"),
      cells: num(11, "cells that it may hold"),
    },
  },
  dagStage: {
    id: 6,
    title: "stages of DAGs, by DAG and stage",
    entries: dagEntries * mostStages,
    fields: { last: num(1, "no stage behind it", "bool"), ...branchFields },
  },
  dag: {
    id: 7,
    title: "what holds for a whole DAG",
    entries: dagEntries,
    fields: {
      slow: num(1, "its packets have the queues of slow DAGs", "bool"),
      way: num(2, "where its packets leave: mac, port, back, loop"),
      port: num(4, "of the way port"),
      keepShim: num(1, "packets leave with their sNIC shim", "bool"),
    },
  },
  chain: {
    id: 8,
    title: "chains",
    entries: chainEntries,
    fields: {
      regions: num(mostRegions, "regions that have it, a bit each", "hex"),
      group: num(2, "of the flow table; chains with one instance may share one"),
    },
  },
  slot: {
    id: 9,
    title: "slots, by region and slot",
    entries: mostRegions * mostSlots,
    fields: {
      limit: num(6, "credits"),
      busyAt: num(6, "packets in the FIFO from which on the task is busy"),
      patience: num(16, "cycles without progress until the task is stuck; 0: for ever"),
      quiesce: num(1, "no more packets are given to the task", "bool"),
      isolate: num(1, "the task is held in reset", "bool"),
    },
  },
  template: {
    id: 10,
    title: "what goes in front of packets; entry 0 is none",
    entries: templateEntries,
    fields: {
      data: wide(512, "byte 0 lowest"),
      bytes: num(7, "bytes that count, 1 to 64"),
      lengths: num(1, "IPv4 and UDP lengths and the IPv4 checksum are filled in", "bool"),
      sum: num(16, "ones' complement sum of its IPv4 header", "hex"),
    },
  },
  task: {
    id: 11,
    title: "words of configuration of tasks, by region and slot",
    entries: mostRegions * mostSlots,
    fields: { at: num(16, "place"), data: wide(64, "the word") },
  },
  peer: {
    id: 13,
    title: "peers: other sNICs of the rack",
    entries: 16,
    fields: {
      mac: wide(48, "its MAC"),
      port: num(4, "the port where it is"),
      far: num(1, "it is behind another sNIC", "bool"),
    },
  },
  region: {
    id: 14,
    title: "what software wants of a region that can be reprogrammed",
    entries: mostRegions,
    fields: {
      isolate: num(1, "it is held off, and what is inside is dropped", "bool"),
      quiesce: num(1, "its tasks put their state away", "bool"),
      load: num(1, "it is reprogrammed now; it must be isolated and empty", "bool"),
      chain: num(6, "with load: the bitstream, from 1; 0 is none"),
    },
  },
  wait: {
    id: 15,
    title: "DAGs whose frames stay in their class queues",
    entries: dagEntries,
    fields: { waits: num(1, "it waits", "bool") },
  },
  mark: {
    id: 12,
    title: "the flows of a group of chains choose anew; any value",
    entries: 4,
    fields: { now: num(1, "any value") },
  },
  dagUse: {
    id: 16,
    title: "what packets of a DAG use of types of tasks",
    entries: dagEntries,
    fields: useFields,
  },
  capacity: {
    id: 17,
    title: "resources that users share, in the order of monitors.md",
    entries: resourcePlaces,
    fields: {
      units: num(24, "32nds of a byte in an epoch; 0: there is none"),
      packets: num(1, "of a type: a packet counts as 64 bytes, whatever its length", "bool"),
    },
  },
  weight: {
    id: 18,
    title: "users' weights for fair shares",
    entries: 64,
    fields: { weight: num(4, "0: its floor, and no more") },
  },
  firstUse: {
    id: 19,
    title: "what a new user is taken to use of a resource, by user and resource (64 places each)",
    entries: 64 * resourcePlaces,
    fields: { use: num(24, "units per byte, in parts of 2^-8") },
  },
} as const satisfies Readonly<Record<string, Table>>;
export type TableName = keyof typeof tables;
export type TableValues<N extends TableName> = Partial<Record<keyof (typeof tables)[N]["fields"], number | bigint>>;

/** One entry for the driver: `ports`, of tables that each port has, are those whose copy is written. */
export interface TableWrite {
  readonly table: TableName;
  readonly index: number;
  readonly value: bigint;
  readonly ports?: number;
}
/** Bits of the widest value, and of the number of a place. */
export const tableValueBits = 544;
export const tableIndexBits = 16;
export const tableIdBits = 5;
export const tablePortBits = 10;

export const tableBits = (name: TableName): number =>
  Object.values<TableField>(tables[name].fields).reduce((n, f) => n + f.bits, 0);

/** An entry as one number; fields that are left out are 0. @throws PacketError when place or value does not fit */
export function tableWrite<N extends TableName>(
  table: N,
  index: number,
  values: TableValues<N>,
  ports?: number,
): TableWrite {
  const { entries, fields } = tables[table] as Table;
  if (!Number.isInteger(index) || index < 0 || index >= entries)
    throw new PacketError(`table ${table}: there is no entry ${index}; they are 0 to ${entries - 1}`);
  let value = 0n,
    at = 0n;
  for (const [name, { bits }] of Object.entries(fields)) {
    const given = BigInt((values as Record<string, number | bigint | undefined>)[name] ?? 0);
    if (given < 0n || given >> BigInt(bits) !== 0n)
      throw new PacketError(`table ${table}: ${name} holds ${bits} bits, ${given} does not fit`);
    value |= given << at;
    at += BigInt(bits);
  }
  const unknown = Object.keys(values).find(name => !(name in fields));
  if (unknown !== undefined)
    throw new PacketError(
      `table ${table}: there is no field ${unknown}; the fields are ${Object.keys(fields).join(", ")}`,
    );
  return { table, index, value, ...(ports !== undefined && { ports }) };
}
