/** Copies of requests: payloads are kept, and a frame is made for each node of the group. */
import {
  type Bit,
  bit,
  bitsFor,
  cat,
  constant,
  fifo,
  fsm,
  mux,
  node,
  orTree,
  ram,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { replicaAt, replicaJobs } from "../../../wire/index.ts";
import { headerBits } from "../interface.ts";
import { swapped } from "../ip.ts";
import type { MadeBeat } from "../make.ts";
import { type PayloadBeat, payloadBits } from "../payload.ts";
import { changeOf, foldOnce, foldTwice } from "../translate.ts";
import { halves, ipSumOf } from "./classify.ts";
import { type Groups, nodeOf, onWire } from "./groups.ts";
import { beatBits, Job, jobBits, type Sort } from "./records.ts";

const countBits = bitsFor(replicaJobs);
const counterOf = (name: string, up: Bit, down: Bit): UInt => {
  const count = reg(uint(countBits), { init: 0, name });
  count.set(count.add(up.zext(countBits)).sub(down.zext(countBits)));
  return count;
};
/** `header` with other bytes from byte `at` on. */
const withBytes = (header: UInt, at: number, value: UInt): UInt => {
  const end = 8 * at + value.width,
    above = end === header.width ? [] : [header.bits(end, header.width - end)],
    below = at === 0 ? [] : [header.bits(0, 8 * at)];
  return cat(...above, value, ...below);
};

/**
 * The payloads of all packets, in their order. Of those that are copied they are kept, a place of 32 beats for each
 * job. Never waits but for what says whose they are.
 */
function keeperOf(payload: StreamIn<typeof PayloadBeat>, sorts: StreamIn<typeof Sort>) {
  const kept = ram(uint(payloadBits), {
      ...{ depth: replicaJobs * 2 ** beatBits, collision: "undefined", style: "block", name: "kept_payloads" },
    }),
    at = reg(uint(beatBits), { init: 0, name: "kept_at" }),
    { keep, job } = sorts.payload,
    { data, last } = payload.payload;
  payload.ready.set(sorts.valid);
  sorts.ready.set(payload.fire.and(last));
  when(payload.fire, () => at.set(mux(last, constant(0, beatBits), at.add(1))));
  kept.write(node(payload.fire.and(keep), { name: "keeps_beat" }), cat(job, at).is(jobBits + beatBits), data);
  return { kept, whole: node(payload.fire.and(last).and(keep), { name: "keeps_last" }) };
}

/** Which copy is next: its node, and its header's checksum, while the copy before it is sent. */
function nextCopy(jobs: StreamIn<typeof Job>, ready: Bit, groups: Groups, taken: Bit) {
  const { header, group, nodes } = jobs.payload,
    at = reg(uint(2), { init: 0, name: "copy_at" }),
    to = nodeOf(groups.nodes(group), at),
    change = reg(uint(20), { name: "copy_change" }),
    folded = reg(uint(17), { name: "copy_folded" }),
    sum = reg(uint(16), { name: "copy_sum" }),
    lastOne = node(at.zext(3).add(1).eq(nodes), { name: "is_last_copy" }),
    before = onWire(header.bits(8 * replicaAt.dst, 32));
  const phase = fsm(
    ["Change", "Fold", "Fold2", "Offer"],
    "Change",
    s => ({
      Change: () => {
        change.set(changeOf(halves(before), halves(to.ip)).is(20));
        when(jobs.valid.and(ready), () => s.go("Fold"));
      },
      Fold: () => {
        folded.set(foldOnce(ipSumOf(header), change).is(17));
        s.go("Fold2");
      },
      Fold2: () => {
        sum.set(foldTwice(folded).is(16));
        s.go("Offer");
      },
      Offer: () => {
        when(taken, () => {
          at.set(mux(lastOne, constant(0, 2), at.add(1)));
          s.go("Change");
        });
      },
    }),
    { name: "copy" },
  );
  const parts: readonly (readonly [number, UInt])[] = [
    [replicaAt.dstMac, onWire(to.mac)],
    [replicaAt.ipSum, swapped(sum)],
    [replicaAt.dst, onWire(to.ip)],
    [replicaAt.udpSum, constant(0, 16)],
  ];
  jobs.ready.set(taken.and(lastOne));
  return {
    header: parts.reduce<UInt>((h, [from, value]) => withBytes(h, from, value), header),
    port: to.port,
    lastOne,
    offered: phase.is("Offer"),
  };
}

/** Jobs in their order, K frames of each. `room`: one more may come. */
export function copiesOf(
  o: {
    readonly begins: Bit;
    readonly job: Val<typeof Job>;
    /** A packet with payload, and whether it is kept. */
    readonly sorts: StreamIn<typeof Sort>;
  },
  payload: StreamIn<typeof PayloadBeat>,
  make: StreamOut<typeof MadeBeat>,
  groups: Groups,
) {
  const { kept, whole } = keeperOf(payload, o.sorts),
    incoming = stream(Job, { name: "new_job" });
  incoming.valid.set(o.begins);
  incoming.payload.set(o.job);
  const jobs = fifo(incoming, replicaJobs, { name: "jobs", style: "distributed" }),
    head = jobs.payload;

  // The copy that is sent.
  const sending = reg(bit, { init: 0, name: "sends" }),
    header = reg(uint(headerBits), { name: "sent_header" }),
    at = reg(uint(beatBits), { init: 0, name: "sent_at" }),
    beats = reg(uint(beatBits), { name: "sent_beats" }),
    tail = reg(uint(7), { name: "sent_tail" }),
    headBytes = reg(uint(7), { name: "sent_head_bytes" }),
    port = reg(uint(4), { name: "sent_port" }),
    job = reg(uint(jobBits), { init: 0, name: "sent_job" }),
    lastOne = reg(bit, { init: 0, name: "sent_is_last" });
  const out = {
    valid: reg(bit, { init: 0, name: "out_valid" }),
    head: reg(bit, { init: 0, name: "out_head" }),
    last: reg(bit, { init: 0, name: "out_last" }),
  };
  const moves = node(out.valid.not().or(make.ready), { name: "out_moves" }),
    isLast = node(at.eq(beats), { name: "sends_last" }),
    issues = node(sending.and(moves), { name: "issues_beat" }),
    ends = node(issues.and(isLast).and(lastOne), { name: "job_ends" }),
    free = node(sending.not().and(out.valid.and(out.head).andNot(make.ready).not()), { name: "may_send" });
  const wholeJobs = reg(uint(countBits), { init: 0, name: "whole_jobs" }),
    isWhole = node(head.beats.any().not().or(wholeJobs.any()), { name: "job_is_whole" });
  const offer = stream(uint(1), { name: "offer" }),
    next = nextCopy(jobs, isWhole, groups, node(offer.fire, { name: "takes_copy" }));
  offer.valid.set(next.offered);
  offer.payload.set(0);
  offer.ready.set(free);
  const takesJob = node(offer.fire.and(next.lastOne).and(head.beats.any()), { name: "takes_payload" });
  wholeJobs.set(wholeJobs.add(whole.zext(countBits)).sub(takesJob.zext(countBits)));
  when(offer.fire, () => {
    sending.set(1);
    header.set(next.header.is(headerBits));
    beats.set(head.beats);
    tail.set(head.tail);
    headBytes.set(head.headBytes.resize(7));
    port.set(next.port.is(4));
    lastOne.set(next.lastOne);
    at.set(0);
  }).elseWhen(issues, () => {
    at.set(at.add(1));
    when(isLast, () => sending.set(0));
  });
  when(ends, () => job.set(job.add(1)));
  when(moves, () => {
    out.valid.set(sending);
    out.head.set(at.any().not());
    out.last.set(isLast);
  });
  const beat = kept.readSync(cat(job, at.sub(1)).is(jobBits + beatBits), { en: moves, name: "sent_beat" }),
    outTail = reg(uint(7), { name: "out_tail" }),
    outPort = reg(uint(4), { name: "out_port" });
  when(issues, () => {
    outTail.set(mux(at.any(), mux(isLast, tail, 64), headBytes).is(7));
    outPort.set(port);
  });
  make.valid.set(out.valid);
  make.payload.set({
    data: mux(out.head, header, beat).is(payloadBits),
    count: outTail,
    last: out.last,
    bad: 0,
    port: outPort,
  });
  const count = counterOf("jobs_under_way", o.begins, ends);
  return {
    room: node(count.lt(replicaJobs), { name: "room_for_job" }),
    busy: node(orTree([count.any(), out.valid, o.sorts.valid]), { name: "copies_are_made" }),
  };
}
