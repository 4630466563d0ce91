/** Counters: each block's pulses, added where two blocks can report the same. */
import { type Bit, type InstanceOf, node, reg, type UInt, uint } from "../../../../../hdl-dsl/index.ts";
import { type CounterName, counterNames } from "../../../config/index.ts";
import { statusBits } from "../../../wire/index.ts";
import type { Control } from "../../dispatch/control.ts";
import type { FenceUnit } from "../../dispatch/fence.ts";
import type { Mat } from "../../dispatch/mat.ts";
import type { AccessRead } from "../../memory/access-read.ts";
import type { AccessWrite } from "../../memory/access-write.ts";
import type { Translate } from "../../memory/translate.ts";
import type { NetRx } from "../../network/net-rx.ts";
import { firstPointerOp } from "../../records/records.ts";
import type { RetryBuffer } from "../../retry/retry-buffer.ts";
import type { SyncUnit } from "../../sync/sync-unit.ts";
import type { Build } from "./ports.ts";

interface Counted {
  readonly netRx: InstanceOf<typeof NetRx>;
  readonly mat: InstanceOf<typeof Mat>;
  readonly fences: InstanceOf<typeof FenceUnit>;
  readonly retry: InstanceOf<typeof RetryBuffer>;
  readonly translate: InstanceOf<typeof Translate>;
  readonly sync: InstanceOf<typeof SyncUnit>;
  readonly reader: InstanceOf<typeof AccessRead>;
  readonly writer: InstanceOf<typeof AccessWrite>;
  /** A repetition is answered; nobody hears that. */
  readonly replayed: Bit;
  readonly unheard: Bit;
}
type Pulses = Readonly<Partial<Record<CounterName, readonly UInt[]>>>;

const dropPulses = ({ received, drops }: InstanceOf<typeof NetRx>): Pulses => ({
  rxFrames: [received],
  dropLong: [drops.long],
  dropFcs: [drops.fcs],
  dropShort: [drops.short],
  dropMac: [drops.mac],
  dropEtherType: [drops.etherType],
  dropArp: [drops.arp],
  dropIpHeader: [drops.ipHeader],
  dropIpOptions: [drops.ipOptions],
  dropIpChecksum: [drops.ipChecksum],
  dropFragment: [drops.fragment],
  dropIp: [drops.ip],
  dropLength: [drops.length],
  dropProtocol: [drops.protocol],
  dropIcmp: [drops.icmp],
  dropPort: [drops.port],
  dropSource: [drops.source],
});

function pulsesOf({ io }: Build, units: Counted): Pulses {
  const { netRx, mat, fences, retry, translate, sync, reader, writer, replayed, unheard } = units;
  const m = mat.events,
    x = translate.events,
    r = retry.events;
  const refusedSilent = node(translate.refused.fire.and(translate.refused.payload.silent), {
    name: "refused_silent",
  });
  const atomic = node(
    sync.reply.fire.and(sync.reply.payload.status.eq(statusBits.OK)).and(sync.reply.payload.op.lt(firstPointerOp)),
    { name: "atomic_done" },
  );
  return {
    ...dropPulses(netRx),
    txFrames: [io.tx.fire.and(io.tx.payload.last)],
    dropReply: [m.dropReply],
    dropRule: [m.dropRule],
    arpReplies: [m.arpReplies],
    icmpReplies: [m.icmpReplies],
    nacks: [m.nacks],
    malformed: [m.malformed],
    busy: [m.busy, node(fences.reply.fire.and(fences.reply.payload.refused))],
    pingpongs: [m.pingpongs],
    slowRequests: [m.slowRequests],
    extendRequests: [m.extendRequests],
    invalid: [x.invalid, m.invalid],
    writePermission: [x.writePermission],
    readPermission: [x.readPermission],
    outOfMemory: [x.outOfMemory],
    unanswered: [refusedSilent, m.unanswered, writer.events.unanswered, node(unheard.and(replayed.not()))],
    reads: [reader.events.reads],
    writes: [writer.events.writes],
    writesNoReply: [writer.events.writesNoReply],
    readBytes: [reader.events.readBytes],
    writeBytes: [writer.events.writeBytes],
    pageFaults: [x.pageFaults],
    tableWriteErrors: [x.tableWriteErrors],
    tlbHits: [x.tlbHits],
    tlbMisses: [x.tlbMisses],
    missesMerged: [x.missesMerged],
    bucketFetches: [x.bucketFetches],
    tlbEvictions: [x.tlbEvictions],
    shootdowns: [x.shootdowns],
    atomics: [atomic],
    dereferences: [sync.access.fire],
    fences: [node(fences.reply.fire.and(fences.reply.payload.refused.not()))],
    retriesAnswered: [r.retriesAnswered],
    retriesBusy: [r.retriesBusy],
    retriesExpired: [r.retriesExpired],
    retryEvictions: [r.retryEvictions],
    retryClientsReplaced: [r.retryClientsReplaced],
  };
}

function offloadPulses({ io, p }: Build): Pulses {
  if (p.countsOffloads !== true) return {};
  const { requests, accesses, busy, repeated } = io.offloadEvents;
  return {
    offload0Requests: [requests.bit(0)],
    offload1Requests: [requests.bit(1)],
    offload2Requests: [requests.bit(2)],
    offload3Requests: [requests.bit(3)],
    offload0Accesses: [accesses.bit(0)],
    offload1Accesses: [accesses.bit(1)],
    offload2Accesses: [accesses.bit(2)],
    offload3Accesses: [accesses.bit(3)],
    offloadBusy: [busy],
    offloadRepeated: [repeated],
  };
}

export function countEvents(build: Build, control: InstanceOf<typeof Control>, units: Counted): void {
  const pulses = pulsesOf(build, units),
    offloads = offloadPulses(build);
  // Counted a cycle later: the events are decided late in a cycle.
  for (const name of counterNames) {
    const target = control.events[name],
      of = pulses[name] ?? offloads[name] ?? [];
    // Events that a build lacks are not counted.
    if (of.length === 0) {
      target.set(0);
      continue;
    }
    const counted = reg(uint(target.width), { init: 0, name: `counted_${name}` });
    counted.set(of.map((v): UInt => v.zext(target.width)).reduce((x1, x2) => x1.add(x2)));
    target.set(counted);
  }
}
