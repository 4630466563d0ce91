import {
  bit,
  cat,
  connect,
  constant,
  fifo,
  fifoWithLevel,
  fork,
  instance,
  map,
  mergePorts,
  module,
  mux,
  node,
  orTree,
  ram,
  reg,
  stage,
  stream,
  type UInt,
  type Val,
  when,
  wire,
} from "../../../../../hdl-dsl/index.ts";
import { AxisBeat, keepTo } from "../../../../shared/frame/index.ts";
import {
  Acknowledgement,
  Answer,
  gbnBytes,
  gbnEnd,
  GbnInsert,
  GbnReceiver,
  GbnResend,
  GbnSender,
  GbnStore,
  partWays,
  sendAgain,
  SessionControl,
  tagPrefix,
} from "../../../../shared/go-back-n/rtl/index.ts";
import { type Declared, gbnFrameBytes, gbnTaskSessions, headerBytesFrom } from "../../../wire/index.ts";
import { headerBits, noFront, type Task, TaskAnswer, TaskVerdict } from "../interface.ts";
import { asMakingTask, makePorts } from "../make.ts";
import { memoryPorts } from "../memory.ts";
import { readingTaskPorts } from "../payload.ts";
import { headersOf } from "./classify.ts";
import { collect } from "./collect.ts";
import { keepIn } from "./memory.ts";
import { nodesOf } from "./nodes.ts";
import { numberOf } from "./number.ts";
import { answersOf, leave, unhurried } from "./out.ts";
import {
  beatBytes,
  type Decided,
  gbnTaskDefaults,
  type GbnTaskParameters,
  Life,
  memoryOf,
  taskPeer,
  To,
} from "./records.ts";
import { holds, requestsOf } from "./requests.ts";
import { type Sessions, sessionsOf } from "./sessions.ts";

const ports = () => mergePorts(readingTaskPorts(), memoryPorts(), makePorts());
/** A request's headers stand 8 bytes further back, and the first 8 are left out. */
const writes = headerBytesFrom(gbnBytes, gbnEnd - gbnBytes);
const declared: Declared = {
  name: "go_back_n",
  ...{ payload: "read", memory: true, makes: true },
  spaceBytes: gbnFrameBytes * gbnTaskDefaults.window * gbnTaskSessions,
  reads: headerBytesFrom(0, 64),
  writes,
  ...{ growth: 0, leavesOut: gbnBytes, latency: 6, interval: 1, holds, state: "shared" },
};

/** A request without the 8 bytes, from the tag of its session and life. */
function answerOf({ tag, header, drops, shifts, life }: Val<typeof Decided>) {
  const { gbn } = headersOf(header),
    bytesOf = (n: UInt): UInt => cat(...Array.from({ length: n.width / 8 }, (_, i) => n.bits(8 * i, 8))),
    mac = bytesOf(cat(constant(tagPrefix, 16), life, gbn.dstSlot.zext(16))),
    before = gbnEnd - gbnBytes;
  const moved = cat(header.bits(8 * 12, 8 * (before - 12)), mac, header.bits(0, 48), constant(0, 8 * gbnBytes));
  return {
    tag,
    verdict: mux(drops, TaskVerdict.drop, TaskVerdict.forward),
    header: moved.zext(headerBits),
    mask: mux(shifts, constant(writes, 64), 0).is(64),
    ...noFront,
    dropFront: mux(shifts, constant(gbnBytes, 7), 0).is(7),
  };
}

/**
 * Go-Back-N in front of memory nodes (paper §5.6.1; docs/supernic/go-back-n.md). It ends the clients' sessions: a
 * request in order goes on without its header, a reply becomes a frame made here, which is kept in memory until it is
 * acknowledged. Latency 6 cycles, initiation interval 1; a reply leaves every 4 cycles or as its beats need. Full: see
 * the page; taking waits for nothing but a session that changes. Errors of memory: the frame is not sent again. Reset:
 * all sessions are closed and no node is known; some 520 cycles in which nothing is taken.
 */
export const GoBackN = module(
  "GoBackNTask",
  (_: GbnTaskParameters) => ports(),
  (io, p) => {
    const nodes = nodesOf(io.config),
      receiver = instance("receiver", GbnReceiver({ ...p, ...taskPeer })),
      sender = instance("sender", GbnSender(p)),
      store = instance("store", GbnStore(memoryOf(p))),
      resend = instance("resend", GbnResend(memoryOf(p))),
      insert = instance("insert", GbnInsert({ beatBytes, frameBytes: gbnFrameBytes }));
    const perSession = { depth: p.sessions, collision: "new", style: "block" } as const,
      // A device that is loaded begins at 0; a reset leaves them.
      lives = ram(Life, { ...perSession, init: [], name: "lives" }),
      peers = ram(To, { ...perSession, name: "peers" });
    const stops = wire(bit, { name: "stop" }),
      drained = wire(bit, { name: "drained" }),
      jobDone = wire(bit, { name: "job_done" }),
      gone = { beat: wire(bit, { name: "beat_gone" }), reply: wire(bit, { name: "reply_gone" }) };

    // Packets: what each is, and what becomes of it.
    const jobTaken = reg(bit, { init: 0, name: "job_taken" }),
      requests = requestsOf(p, io.packet, { nodes, receiver, lives, stops, freeJob: jobTaken.not(), gone });
    when(requests.manages, () => jobTaken.set(1)).elseWhen(jobDone, () => jobTaken.set(0));
    const [toAnswer, toCollect] = fork(requests.out, 2, "eager", { name: "decision_to" });
    connect(map(toAnswer, TaskAnswer, answerOf), io.answer);
    const { late } = requests,
      { says } = late;
    peers.write(requests.delivered, says.dstSlot.trunc(Math.log2(p.sessions)), {
      mac: says.mac,
      slot: says.srcSlot,
      port: late.ingress,
    });
    const heard = stream(Acknowledgement(p), { name: "heard" });
    heard.valid.set(requests.heard);
    heard.payload.set({
      session: says.dstSlot.trunc(Math.log2(p.sessions)),
      sequence: says.sequence,
      nack: requests.nack,
    });
    const heardQueue = fifo(heard, 16, { name: "heard_queue", style: "distributed" });
    connect(heardQueue, sender.heard);

    // Replies: collected, numbered, with their header, to the network and to memory; and again from there.
    const collected = collect(p, toCollect, io.payload, jobDone),
      waiting = fifo(collected.beats, p.beats, { name: "waiting_beats", style: "ultra" }),
      replies = fifo(collected.replies, p.replies, { name: "waiting_replies", style: "block" }),
      numbers = numberOf(p, replies, { lives, peers, sender, stops });
    connect(numbers.plans, insert.plan);
    connect(
      map(waiting, AxisBeat(beatBytes), ({ data, count, last }) => ({
        ...{ data, last, user: 0 },
        keep: keepTo(count.sub(1).trunc(6), beatBytes).is(beatBytes),
      })),
      insert.beats,
    );
    gone.beat.set(waiting.fire);
    gone.reply.set(numbers.taken);
    const { fresh, kept } = partWays(beatBytes, insert.tx, numbers.ways);
    connect(numbers.places, store.place);
    connect(kept, store.beats);
    keepIn(p, store, io);
    sendAgain({ store, resend }, sender, numbers.given);

    // Sessions.
    const controls = [receiver.control, sender.control].map((to, i) => {
      const told = stream(SessionControl(p), { name: `control_${i}` });
      connect(stage(told, "forward", { name: `control_${i}_held` }), to);
      return told;
    });
    const sessions: Sessions = sessionsOf(p, {
      job: { ...collected.job, valid: collected.job.waits },
      failed: sender.failed,
      controls,
      lives,
      drained,
    });
    jobDone.set(sessions.done);
    stops.set(sessions.stops);
    drained.set(requests.empty.and(numbers.idle).andNot(heardQueue.valid));

    // Answers of the receiver, and all that leaves.
    const answered = stream(Answer({ ...p, ...taskPeer }), { name: "answered" });
    answered.valid.set(receiver.answer.valid);
    answered.payload.set(receiver.answer.answer);
    const queued = fifoWithLevel(answered, 16, { name: "answer_queue", style: "distributed" }),
      roomForAnswer = reg(bit, { init: 0, name: "room_for_answer" });
    roomForAnswer.set(queued.level.lt(12));
    receiver.answerRoom.set(roomForAnswer);
    const answers = answersOf(p, queued.out, nodes),
      again = unhurried(store.frame, "again_stage"),
      first = stage(fresh, "forward", { name: "fresh_stage" }),
      leaving = leave([answers.out, sessions.out, again, first], io.make);
    const unwritten = node(numbers.given.ne(store.written), { name: "unwritten" });
    io.quiet.set(
      node(
        orTree([
          ...[requests.empty.not(), requests.out.valid, requests.waits, collected.working, jobTaken, heardQueue.valid],
          ...[queued.out.valid, answers.busy, answers.out.valid, leaving.busy, again.valid, first.valid],
          ...[unwritten, resend.busy.valid, numbers.waits, sessions.busy],
        ]).not(),
        { name: "is_quiet" },
      ),
    );
  },
  {
    nameOf: p =>
      `GoBackNTask_s${p.sessions}_w${p.window}_e${p.ackEvery}_c${p.ackCycles}_t${p.timeoutCycles}_n${p.tries}_b${p.beats}_r${p.replies}_f${p.first >>> 0}`,
  },
);
/** Go-Back-N, so that the nodes behind need none. */
export const goBackN: Task = { declared, hardware: asMakingTask(GoBackN(gbnTaskDefaults)) };
