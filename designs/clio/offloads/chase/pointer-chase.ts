import {
  arbiter,
  cat,
  connect,
  constant,
  fifo,
  instance,
  map,
  module,
  node,
  stage,
  stream,
} from "../../../../hdl-dsl/index.ts";
import { opcodeBits } from "../../wire/index.ts";
import { BodyBeat, MemoryRequest, memoryTagBits, offloadPorts } from "../../offload/index.ts";
import { ChaseAnswer } from "./answer.ts";
import { ChaseExamine } from "./examine.ts";
import { ChaseIntake } from "./intake.ts";
import { type ChaseParameters, contextBits, mostNodes } from "./types.ts";

/**
 * POINTER_CHASE (opcode 71; paper §4.6): follows a linked list in the memory of the requesting process, with its
 * permissions, by one READ for each node. The reply has address and value of the node that answers. The full meaning of
 * a request stands in docs/clio/offloads.md and in the reference model, designs/clio/model/offloads/chase.ts.
 *
 * As many requests as there are contexts go on side by side, each with one READ in flight; no WRITEs. Latency: 4 cycles
 * + the body's beats from `request` to the first READ, 5 + the node's beats from a READ's reply to the next READ. From
 * the last beat: 6 to `reply` and 9 to its body. Initiation interval: a node costs its beats and one cycle. Full: a
 * request waits for a free place. The outputs for nodes have a place for each context, so that nodes are always taken
 * from memory, whatever waits. A request ends after 65,535 nodes. Reset drops all requests.
 */
export const PointerChase = module(
  "PointerChase",
  (p: ChaseParameters) => offloadPorts(p),
  (io, p) => {
    const intake = instance(ChaseIntake(p)),
      examine = instance(ChaseExamine(p)),
      answer = instance(ChaseAnswer(p));
    connect(io.request, intake.request);
    connect(io.requestData, intake.requestData);
    connect(io.memoryReply, examine.memoryReply);
    connect(io.memoryReplyData, examine.memoryReplyData);
    connect(answer.reply, io.reply);
    connect(answer.replyData, io.replyData);

    // A context has one READ or one ending under way: queues of so many places never fill up.
    const steps = fifo(examine.fetch, p.contexts, { style: "distributed" });
    const ends = fifo(examine.ended, p.contexts, { style: "distributed" });
    const fetches = arbiter([steps, intake.first]);
    examine.visit.set({
      en: node(fetches.fire.and(fetches.payload.value.not())),
      context: fetches.payload.context,
      left: fetches.payload.left,
    });
    const reads = map(fetches, MemoryRequest(p), f => ({
      tag: cat(f.value, constant(0, memoryTagBits - 1 - contextBits(p)), f.context).is(memoryTagBits),
      opcode: opcodeBits.READ,
      client: 1,
      context: f.context,
      va: f.va,
      length: f.length.zext(32),
      data: 0,
    }));
    connect(stage(reads), io.memory);
    const nothing = stream(BodyBeat(p));
    nothing.valid.set(0);
    nothing.payload.set({ data: 0, last: 0 });
    connect(nothing, io.memoryData);

    connect(stage(arbiter([ends, examine.passing, intake.ended])), answer.ended);
    connect(examine.value, answer.value);
    examine.job.set(intake.job);
    answer.job.set(intake.job);
    answer.found.set(examine.found);
    answer.beat.set(examine.beat);
    intake.busy.set(answer.busy);
  },
  { nameOf: p => `PointerChase_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_n${mostNodes(p)}` },
);
