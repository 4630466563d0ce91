/** The first stage: what is known of a request from its fields alone. */
import { type Bit, literalOf, node, orTree } from "../../../../../hdl-dsl/index.ts";
import { accessBody, casBody, faaBody } from "../../../wire/index.ts";
import { syncOperation } from "../../../registers/index.ts";
import { lengthBits } from "../../../../shared/frame/index.ts";
import { FrameKind } from "../../records/records.ts";
import type { Says } from "./actions.ts";
import { Known, type MatEntry, type MatParameters, type Request } from "./records.ts";

/** Bytes that an atomic works on. */
const atomicBytes = 8;

/** Whether the entry's operation is one of these. */
type Does = (...operations: readonly (keyof typeof syncOperation)[]) => Bit;

/** What is wrong with the form; `body` is what came after the header. */
function form(p: MatParameters, v: Request, does: Does) {
  const came = (least: number): Bit => v.body.ge(least);
  const dataCame = node(v.body.sub(accessBody.bytes));
  const noAccess = node(came(accessBody.bytes).not());
  const noCas = does("cas").and(came(casBody.bytes).not()),
    noFaa = does("faa", "store").and(came(faaBody.bytes).not());
  const noOperands = node(orTree([noAccess, noCas, noFaa]));
  const unaligned = node(v.va.bits(0, 3).any());
  return {
    badAccess: orTree([noAccess, v.length.eq(0), v.length.gt(p.maxData)]),
    badWrite: v.length.gt(dataCame.zext(32)),
    badAtomic: orTree([noOperands, v.length.ne(atomicBytes), unaligned]),
    unaligned,
  };
}

/** Whose request it is, and whether anything stands in the way of its action. */
function standing(v: Request) {
  const clio = node(v.kind.eq(FrameKind.clio));
  const whole = node(clio.and(v.corrupt.or(v.malformed).not()));
  const own = node(v.foreign.not());
  return {
    other: clio.not(),
    arp: v.kind.eq(FrameKind.arp),
    corrupt: clio.and(v.corrupt),
    foreign: whole.and(v.foreign),
    sound: node(whole.and(own).and(v.reply.not()), { name: "sound" }),
    reply: clio.and(v.reply),
    maySlow: node(whole.and(own.or(v.reply)), { name: "may_slow" }),
  };
}

export function factsOf(p: MatParameters, v: Request, entry: MatEntry, says: Says, slowFull: Bit): Known {
  const does: Does = (...operations) => orTree(operations.map(o => entry.operation.eq(syncOperation[o])));
  return literalOf(Known(p), {
    slot: v.slot,
    pid: v.pid,
    va: v.va,
    length: v.length.trunc(lengthBits),
    frame: v.frame,
    opcode: v.opcode,
    replyOpcode: entry.replyOpcode,
    write: entry.write,
    silent: entry.silent,
    ...standing(v),
    fast: says("fast"),
    sync: says("sync"),
    slow: says("slow"),
    extend: says("extend"),
    echo: says("echo"),
    drop: says("drop"),
    op: entry.operation,
    atomic: does("tas", "cas", "faa", "store"),
    pointer: does("derefRead", "derefWrite"),
    fence: does("fence"),
    ...form(p, v, does),
    slowFull,
    tracked: v.tracked,
    introduces: v.retry.not(),
    client: v.client,
    operation: v.operation,
  });
}
