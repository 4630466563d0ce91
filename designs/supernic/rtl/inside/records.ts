/** What the blocks of the device hand on to each other. Page: docs/supernic/device.md. */
import { bit, struct, uint, vec } from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import {
  flowHashBits,
  type TableField,
  tableIdBits,
  tableIndexBits,
  type TableName,
  tablePortBits,
  tables,
  tableValueBits,
} from "../../wire/index.ts";
import { JudgedKind } from "../judge/index.ts";
import { MatchOutcome, portBits } from "../match/index.ts";
import { classBits, type DeviceSizes, queueClasses } from "./parameters.ts";

export const ctxBits = (p: Pick<DeviceSizes, "contexts">): number => Math.log2(p.contexts);
export const cellIndexBits = (p: Pick<DeviceSizes, "cells">): number => Math.log2(p.cells);
/** Bits of a number of bytes of a frame. */
export const lengthBits = 14;
export const userBits = 6;
export const dagBits = 8;

/** What of a frame's facts stays with it until it leaves: shims and tag that were taken off, and its flow. */
const kept = {
  noL4: bit,
  flowHash: uint(flowHashBits),
  tagged: bit,
  /** Priority 3, drop eligible 1, VLAN 12. */
  tag: uint(16),
  shimmed: bit,
  ttl: uint(4),
} as const;

/** A frame in a class queue: what the judge and the tables have said of it. */
export const FrameFacts = (p: Pick<DeviceSizes, "ports">) =>
  struct({
    /** `ports`, `core`, `software`, `redirect` or `unwrap`. */
    outcome: MatchOutcome,
    /** Of `ports`: one bit each. */
    ports: uint(p.ports),
    peer: uint(portBits),
    uid: uint(16),
    dag: uint(dagBits),
    user: uint(userBits),
    unordered: bit,
    /** Bytes of the frame without shims and tag; the frame has been padded by none. */
    length: uint(lengthBits),
    ...kept,
  });
/** A class queue's first frame. */
export const QueueHead = (p: Pick<DeviceSizes, "ports">) => struct({ valid: bit, facts: FrameFacts(p) });
/** The heads of a port's class queues. */
export const QueueHeads = (p: Pick<DeviceSizes, "ports">) => vec(QueueHead(p), queueClasses);
/** A beat of a frame without shims and tag: the first is the header. Bytes behind the end are 0. */
export const FrameBeat = struct({ data: uint(512), last: bit });

/** What the link has to know of a frame that has come in; in the cycle in which it is to be kept or not. */
export const LinkSeen = struct({
  valid: bit,
  /** FCS and form are right: it is the partner's, as he sent it. */
  good: bit,
  kind: JudgedKind,
  linked: bit,
  sequence: uint(16),
  ack: uint(16),
  nack: bit,
  /** It goes to a class queue, or nowhere by the tables: then it needs no room. */
  wantsRoom: bit,
  /** The class queue has room for it. */
  room: bit,
});
/** What a PFC frame says: classes whose time it tells, and the times in quanta of 512 bit times. */
export const PfcSeen = struct({ valid: bit, enabled: uint(8), times: vec(uint(16), 8) });
/** A beat of a frame that leaves by a port. `class` counts on the first beat. */
export const TxBeat = struct({ ...AxisBeat(64).fields, class: uint(classBits) });

/** A packet that has been taken in: its header is in the header store, its payload in the packet store. */
export const Arrived = (p: Pick<DeviceSizes, "contexts" | "cells">) =>
  struct({
    ctx: uint(ctxBits(p)),
    uid: uint(16),
    dag: uint(dagBits),
    user: uint(userBits),
    /** Port where it came in; the loop port's number is that of the ports. */
    ingress: uint(portBits),
    /** First cell of its payload; means nothing where `payloadBytes` is 0. */
    firstCell: uint(cellIndexBits(p)),
    payloadBytes: uint(lengthBits),
    /** Bytes of the header that count, 14 to 64; fewer than 64 only without payload. */
    headBytes: uint(7),
    unordered: bit,
    ...kept,
  });
/** A packet, or a branch of it, that starts in a region. */
export const Started = (p: Pick<DeviceSizes, "contexts" | "branches" | "regions" | "slots">) =>
  struct({
    valid: bit,
    ctx: uint(ctxBits(p)),
    branch: uint(Math.max(1, Math.ceil(Math.log2(p.branches)))),
    region: uint(Math.max(1, Math.ceil(Math.log2(p.regions)))),
    /** Slots that it takes in this pass. */
    run: uint(p.slots),
    arg: uint(8),
  });
/** A packet, or a branch of it, that is back from a region: its bytes are written. */
export const CameBack = (p: Pick<DeviceSizes, "contexts" | "branches" | "regions" | "slots">) =>
  struct({
    ctx: uint(ctxBits(p)),
    branch: uint(Math.max(1, Math.ceil(Math.log2(p.branches)))),
    region: uint(Math.max(1, Math.ceil(Math.log2(p.regions)))),
    dropped: bit,
    /** Slots whose credits it still holds. */
    refund: uint(p.slots),
  });
/** A packet whose last stage is done, or that was dropped. */
export const Finished = (p: Pick<DeviceSizes, "contexts">) => struct({ ctx: uint(ctxBits(p)), dropped: bit });

/** What the egress has to know of a packet: as it arrived, and what its tasks have said. */
export const Known = (p: Pick<DeviceSizes, "contexts" | "cells">) =>
  struct({
    ...Arrived(p).fields,
    prepend: uint(8),
    frontBytes: uint(7),
    dropFront: uint(7),
    reply: bit,
  });

/** Software writes an entry of a table. */
export const TableBus = struct({
  en: bit,
  table: uint(tableIdBits),
  /** Of tables that each port has: those whose copy is written; the loop port is the bit behind the ports. */
  ports: uint(tablePortBits),
  index: uint(tableIndexBits),
  value: uint(tableValueBits),
});
/** The fields of a table's entry in hardware. */
export const tableEntry = <N extends TableName>(name: N) =>
  struct(
    Object.fromEntries(
      Object.entries<TableField>(tables[name].fields).map(([field, { bits }]) => [field, uint(bits)]),
    ) as { readonly [F in keyof (typeof tables)[N]["fields"]]: ReturnType<typeof uint> },
  );
