/** Second step: the verdict without the table, and what the lengths become. */
import {
  bit,
  Fifo,
  instance,
  node,
  priority,
  reg,
  struct,
  uint,
  unpack,
  type Val,
  without,
} from "../../../../../hdl-dsl/index.ts";
import { changedChecksum } from "../../../../shared/frame/index.ts";
import { gbnBytes, GbnFrameKind, GbnPacket, sessionBits, wirePeer } from "../../../../shared/go-back-n/rtl/index.ts";
import type { judge, Judged } from "./judge.ts";
import { type GbnRxParameters, tableOf } from "./ports.ts";

/** A packet that waits for the table. */
export const Queued = (p: GbnRxParameters) =>
  struct({
    kind: GbnFrameKind,
    kept: bit,
    bad: bit,
    lost: bit,
    silent: bit,
    packet: GbnPacket(tableOf(p)),
    nack: bit,
    ipLength: uint(16),
    checksum: uint(16),
    udpLength: uint(16),
  });

/** Whether it is a packet for the node, and whose. */
function kindOf(p: GbnRxParameters, judged: Val<typeof Judged>) {
  const ours = node(judged.ours.all().and(judged.sumRight));
  const knownSession = node(without(judged.session, sessionBits(p)).any().not());
  const well = node(
    judged.short
      .not()
      .and(judged.data.or(judged.answered.and(judged.management.not())))
      .and(judged.management.or(knownSession)),
  );
  const lost = node(judged.long.or(judged.stored.not().and(ours.not().or(judged.data))));
  const kind = node(
    priority(
      [ours.not(), GbnFrameKind.raw],
      [well.not(), GbnFrameKind.loose],
      [judged.management, GbnFrameKind.management],
      GbnFrameKind.session,
    ),
  );
  return { lost, kind };
}

/** @returns the packet, in the cycle behind `judgedValid` */
export function verdictOf(p: GbnRxParameters, { judged, judgedValid }: ReturnType<typeof judge>) {
  const { lost, kind } = kindOf(p, judged);
  const queue = instance("queue", Fifo({ shape: Queued(p), depth: 16, style: "distributed" }));
  const entry = reg(Queued(p));
  const entryValid = reg(bit, { init: 0 });
  entryValid.set(judgedValid);
  const sender = unpack(
    struct({ identity: uint(wirePeer.identityBits), address: uint(wirePeer.addressBits) }),
    judged.peer,
  );
  entry.set({
    kind,
    kept: judged.kept,
    bad: judged.bad,
    lost,
    silent: judged.silent,
    nack: judged.nack,
    packet: {
      session: judged.session.resize(sessionBits(p)),
      sequence: judged.sequence.resize(p.sequenceBits),
      control: judged.answered,
      peer: sender,
    },
    ipLength: judged.ipLength.sub(gbnBytes),
    checksum: changedChecksum(judged.checksum, -gbnBytes),
    udpLength: judged.udpLength.sub(gbnBytes),
  });
  queue.push.valid.set(entryValid);
  queue.push.payload.set(entry);
  return queue;
}
