import { arbiter, connect, instance, map, module, mux, node, stage, stream } from "../../../../hdl-dsl/index.ts";
import { type Offload, offloadPorts, OffloadReply } from "../../../clio/offload/index.ts";
import { opcode, opcodeBits, replyCode, statusBits } from "../../../clio/wire/index.ts";
import { WicEngine, wordsToBeats } from "../../rtl/index.ts";
import { memoryAnswers, memoryRequests } from "./memory.ts";
import type { NodeWicParameters } from "./parameters.ts";
import { wicRequests } from "./requests.ts";

/**
 * The engine at the memory node: an offload of the extend path (opcode WIC). Its accesses go through the node's TLB, in
 * the address space of the process that asks or in the offload's own (`space`).
 *
 * Latency to the engine and back: 3 cycles and the head's beats for a request, 0 for an access, 1 for an answer, 1 for
 * a reply. Full: as the engine; of the host's contexts as many are inside as the engine has. Reset drops all requests,
 * and the image stays.
 */
export const NodeWic = module(
  "NodeWic",
  (p: NodeWicParameters) => offloadPorts(p),
  (io, p) => {
    const engine = instance(WicEngine(p.engine));
    engine.base.set(p.base);
    const refused = wicRequests(p, {
      request: io.request,
      requestData: io.requestData,
      toEngine: engine.request,
      words: engine.requestData,
      load: engine.load,
    });

    // A reply waits until the beats of the one before have left.
    const Reply = OffloadReply(p),
      packed = wordsToBeats(
        engine.replyData,
        { en: engine.reply.fire, words: engine.reply.payload.words },
        p.beatBytes,
      );
    const open = node(packed.busy.not(), { name: "open" }),
      replies = stream(engine.reply.shape, { name: "replies" });
    replies.valid.set(engine.reply.valid.and(open));
    replies.payload.set(engine.reply.payload);
    engine.reply.ready.set(replies.ready.and(open));
    const answers = map(replies, Reply, r => ({
      context: r.tag.trunc(Math.log2(p.contexts)),
      status: r.status,
      opcode: mux(r.status.eq(statusBits.MALFORMED), opcodeBits.WIC, replyCode(opcode.WIC)),
      length: r.words.zext(14).shl(3),
      more: 0,
    }));
    connect(stage(arbiter([answers, refused])), io.reply);
    connect(packed.beats, io.replyData);

    const memory = {
      ask: engine.memory,
      askData: engine.memoryData,
      answer: engine.memoryReply,
      answerData: engine.memoryReplyData,
      memory: io.memory,
      memoryData: io.memoryData,
      memoryReply: io.memoryReply,
      memoryReplyData: io.memoryReplyData,
    };
    memoryRequests(p, memory);
    memoryAnswers(p, memory);
  },
  {
    nameOf: p =>
      `NodeWic_b${p.beatBytes}_c${p.contexts}_${p.space}_${WicEngine(p.engine).name.replace("WicEngine_", "")}`,
  },
);

/** The engine as an offload that `extendedNode` takes. Operations are done once at most, so a reply has one word. */
export const wicOffload = (p: Pick<NodeWicParameters, "engine" | "space" | "loader" | "base">): Offload => ({
  name: "wic",
  opcodes: [opcode.WIC],
  once: [opcode.WIC],
  build: q => NodeWic({ ...q, ...p, engine: { ...p.engine, replyWords: 1 } }),
});
