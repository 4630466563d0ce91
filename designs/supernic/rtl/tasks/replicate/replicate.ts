import {
  bit,
  type Bit,
  cat,
  connect,
  constant,
  fifo,
  type Inside,
  linearMap,
  map,
  mergePorts,
  module,
  mux,
  node,
  orTree,
  reg,
  stream,
  uint,
  type UInt,
  type Val,
  when,
  wire,
} from "../../../../../hdl-dsl/index.ts";
import { type Declared, headerBytesFrom, replicaAt, replicaKeyBits, replicaKeyHash } from "../../../wire/index.ts";
import { noFront, type Task, TaskAnswer, TaskPacket, TaskVerdict } from "../interface.ts";
import { asMakingTask, makePorts } from "../make.ts";
import { tailOf } from "../payload-tasks.ts";
import { readingTaskPorts } from "../payload.ts";
import { foldOnce, foldTwice } from "../translate.ts";
import { swapped } from "../ip.ts";
import { firstLook, ipSumOf, keyOf, secondLook, statusOf } from "./classify.ts";
import { copiesOf } from "./copies.ts";
import { groupsOf, maskOf } from "./groups.ts";
import {
  beatBits,
  Carried,
  Decided,
  FirstLook,
  groupBits,
  GroupRow,
  jobBits,
  NodeRow,
  SecondLook,
  setBits,
  Sort,
} from "./records.ts";
import { tableOf } from "./table.ts";
import { timeOf } from "./time.ts";
import { movesOf, stagesOf } from "./way.ts";

const ports = () => mergePorts(readingTaskPorts(), makePorts());
/** Bytes of a reply that are made the first node's. */
const changed = [
  [replicaAt.srcMac, 6],
  [replicaAt.ipSum, 2],
  [replicaAt.src, 4],
  [replicaAt.udpSum, 2],
  [replicaAt.status, 1],
] as const;
const changedBytes = changed.reduce((m, [from, count]) => m | headerBytesFrom(from, count), 0n);
const declared: Declared = {
  name: "replicate",
  ...{ payload: "read", makes: true },
  reads: headerBytesFrom(0, 64),
  writes: changedBytes,
  ...{ growth: 0, leavesOut: 0, latency: 6, interval: 1, holds: 32 },
  // A request that was pending is asked again by its client.
  ...{ state: "shared", keeps: "cold" },
};
type Packet = Val<typeof TaskPacket>;
const groupOf = ({ arg }: Packet) => arg.trunc(groupBits).is(groupBits);

/** The answer's bytes: a reply that goes on is the first node's. */
function answerOf({ tag, forward, rewrites, mac, ip, sum, status }: Val<typeof Decided>) {
  const values: readonly UInt[] = [mac, sum, ip, constant(0, 16), status];
  return {
    tag,
    verdict: mux(forward, TaskVerdict.forward, TaskVerdict.drop),
    header: changed
      .map(([from], i) => (values[i] ?? constant(0, 8)).zext(512).shl(8 * from))
      .reduce((a, b) => a.or(b))
      .is(512),
    mask: mux(rewrites, constant(changedBytes, 64), 0).is(64),
    ...noFront,
  };
}

interface Way {
  readonly io: Inside<ReturnType<typeof ports>>;
  readonly groups: ReturnType<typeof groupsOf>;
  readonly time: ReturnType<typeof timeOf>;
  readonly at: ReturnType<typeof stagesOf>;
  /** What is decided, and what happens to its payload, have room. */
  readonly room: Bit;
}
/** The way of a packet: what its header says, what it is to its group, where it is looked up. */
function wayOf({ io, groups, time, at, room }: Way) {
  // a: as it came. b: what its header says, and its group. c: what it is to its group. t: looked up. d: decided.
  const first = reg(TaskPacket, { name: "who_a" }),
    second = reg(TaskPacket, { name: "who_b" }),
    says = reg(FirstLook, { name: "says" }),
    row = reg(GroupRow, { name: "row" }),
    nodes = groups.nodes(groupOf(first)).map((now, i) => ({ now, row: reg(NodeRow, { name: `node_${i}` }) }));
  const third = reg(Carried, { name: "who_c" }),
    isAtC = reg(SecondLook, { name: "is_c" }),
    change = reg(uint(20), { name: "change" }),
    fourth = reg(Carried, { name: "who_t" }),
    isAtT = reg(SecondLook, { name: "is_t" }),
    folded = reg(uint(17), { name: "folded" }),
    key = reg(uint(replicaKeyBits), { name: "key" }),
    set = reg(uint(setBits), { name: "set" });
  const last = reg(Carried, { name: "who_d" }),
    is = reg(SecondLook, { name: "is_d" }),
    sum = reg(uint(16), { name: "ip_sum" }),
    ages = reg(bit, { init: 0, name: "ages_set" });
  const moves = movesOf(at, io.packet, time, {
      room,
      isLookedUp: isAtT.isRequest.or(isAtT.isReply),
      isDecided: is.isRequest.or(is.isReply),
      ages,
    }),
    { early, late } = moves,
    own = node(keyOf(third.header, isAtC.isReply), { name: "own_key" }),
    looked = secondLook(
      second,
      says,
      nodes.map(n => n.row),
      row,
    );
  when(early, () => {
    first.set(io.packet.payload);
    second.set(first);
    says.set(firstLook(first));
    row.set(groups.row(groupOf(first)));
    for (const n of nodes) n.row.set(n.now);
    third.set({
      tag: second.tag,
      header: second.header,
      headBytes: second.headBytes,
      payloadBytes: second.payloadBytes,
      group: groupOf(second),
    });
    isAtC.set(looked.look);
    change.set(looked.change);
    fourth.set(third);
    isAtT.set(isAtC);
    folded.set(foldOnce(ipSumOf(third.header), change).is(17));
    key.set(own.is(replicaKeyBits));
    set.set(linearMap(own, setBits, replicaKeyHash).is(setBits));
  });
  when(late, () => {
    last.set(fourth);
    is.set(isAtT);
    sum.set(foldTwice(folded).is(16));
    ages.set(moves.looksAtAge);
  });
  return { moves, late, last, is, sum, key, set };
}

/**
 * Replication in front of memory nodes (paper §6.1, 7.1.1; docs/supernic/replication.md). A request that asks for it is
 * dropped, and goes to each node of its group as a frame made here; of its replies the last one passes, as the first
 * node's. All else passes as it came. Latency 6 cycles; initiation interval 1, and 2 between requests and replies of
 * replicated writes; a frame of n beats is made in n + 1 cycles. Full: a request without a place, or with 16 others
 * being copied, is dropped. Reset: nothing is waited for and no group is known; 64 cycles in which nothing is taken.
 */
const Replicate = module("ReplicateTask", ports, io => {
  const groups = groupsOf(io.config),
    time = timeOf(io.config),
    at = stagesOf(),
    decided = stream(Decided, { name: "decided" }),
    sorts = stream(Sort, { name: "sort" });

  const room = decided.ready.and(sorts.ready),
    { moves, late, last, is, sum, key, set } = wayOf({ io, groups, time, at, room });

  // What is decided: a request takes a place and a job, a reply counts.
  const here = at.d,
    hasRoom = wire(bit, { name: "room" }),
    { status, flags } = statusOf(last.header),
    answers = fifo(decided, declared.holds, { name: "answers", style: "distributed" }),
    table = tableOf(
      time,
      { key, set, ages: moves.looksAtAge, moves: late },
      {
        isRequest: node(here.and(is.isRequest), { name: "is_request" }),
        isReply: node(here.and(is.isReply), { name: "is_reply" }),
        accepted: node(is.accepted.and(hasRoom), { name: "is_accepted" }),
        want: maskOf(is.nodes),
        from: is.from,
        status,
      },
      late,
    );
  const passes = node(is.isRequest.or(is.isReply).not().or(table.done), { name: "passes" });
  decided.valid.set(here.and(sorts.ready));
  decided.payload.set({
    tag: last.tag,
    forward: passes,
    rewrites: table.done,
    mac: is.mac,
    ip: is.ip,
    sum: swapped(sum),
    status: cat(flags, table.status).is(8),
  });
  connect(map(answers, TaskAnswer, answerOf), io.answer);

  // Payloads, and copies.
  const jobAt = reg(uint(jobBits), { init: 0, name: "job_at" }),
    begins = node(late.and(table.copies), { name: "job_begins" }),
    { payloadBytes } = last,
    some = node(payloadBytes.any(), { name: "has_payload" });
  when(begins, () => jobAt.set(jobAt.add(1)));
  // A packet without payload has none to sort.
  sorts.valid.set(here.and(decided.ready).and(some));
  sorts.payload.set({ keep: table.copies, job: jobAt });
  const tail = tailOf(payloadBytes),
    job = {
      header: last.header,
      headBytes: last.headBytes,
      group: last.group,
      nodes: is.nodes,
      beats: payloadBytes.add(63).shr(6).trunc(beatBits),
      tail: mux(tail.any(), tail.zext(7), constant(64, 7)),
    },
    sorted = fifo(sorts, declared.holds, { name: "sorts", style: "distributed" }),
    copies = copiesOf({ begins, job, sorts: sorted }, io.payload, io.make, groups);
  hasRoom.set(copies.room);
  io.quiet.set(orTree([moves.inside, answers.valid, copies.busy, time.sweeping]).not());
});
/** Copies of writes for the nodes of a group. */
export const replicate: Task = { declared, hardware: asMakingTask(Replicate()) };
