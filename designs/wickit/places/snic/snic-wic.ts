import { connect, instance, mergePorts, module, node } from "../../../../hdl-dsl/index.ts";
import { asMakingTask, makePorts, readingTaskPorts, type Task } from "../../../supernic/rtl/index.ts";
import { headerBytesFrom, taskHeaderBytes } from "../../../supernic/wire/index.ts";
import { ClioRequester, WicEngine } from "../../rtl/index.ts";
import { configurationOf } from "./configuration.ts";
import { framesToNode, takeTurns } from "./frames.ts";
import { takePackets } from "./packets.ts";
import type { SnicWicParameters } from "./records.ts";
import { sendReplies } from "./replies.ts";
import { slotTable } from "./slots.ts";

const beatBytes = 64;

/** A task's ports with payload that is read, and frames of its own. */
export const snicPorts = () => mergePorts(readingTaskPorts(), makePorts());

/**
 * The engine as a network task of a SmartNIC between clients and a memory node (dissertation of Amaro, chapter 3). WIC
 * requests for the node are taken out of their way and run here; accesses of memory are frames to the node by its port
 * (`ClioRequester`), whose replies come back as packets. Replies to clients are those that the node would send.
 *
 * Latency: 3 cycles to the answer of a packet that is not for the task; of a request 7, and 16 with eight arguments.
 * Initiation interval: one more, or the payload's beats. Full: no context
 * free, or the slot taken: BUSY. Frames that cannot leave hold up nothing but frames. Reset: no request, nothing
 * configured; the image stays.
 */
export const SnicWic = module(
  "SnicWic",
  (_: SnicWicParameters) => snicPorts(),
  (io, p) => {
    const config = configurationOf(io.config),
      engine = instance(WicEngine(p.engine)),
      client = instance(ClioRequester({ contexts: p.engine.contexts, beatBytes }));
    engine.base.set(config.base);
    engine.load.valid.set(config.load);
    engine.load.payload.set({ address: io.config.at, instruction: io.config.data.trunc(32).is(32) });
    client.config.set(config.client);
    connect(engine.memory, client.memory);
    connect(engine.memoryData, client.memoryData);
    connect(client.memoryReply, engine.memoryReply);
    connect(client.memoryReplyData, engine.memoryReplyData);

    const slots = slotTable(p, { reply: engine.reply, replyData: engine.replyData, life: config.life }),
      packets = takePackets(p, config, slots, {
        packet: io.packet,
        answer: io.answer,
        payload: io.payload,
        request: engine.request,
        requestData: engine.requestData,
        rx: client.rx,
      }),
      replies = sendReplies(config, slots, { refusal: packets.refusal });
    slots.step(packets.takes, packets.at);
    const turns = takeTurns(framesToNode(client.tx, config.nodePort), replies.frames, io.make);
    io.quiet.set(node(packets.idle.and(slots.idle).and(replies.idle).and(turns.idle), { name: "nothing_inside" }));
  },
  {
    nameOf: p => `SnicWic_n${p.slots}_${WicEngine(p.engine).name.replace("WicEngine_", "")}`,
  },
);

/** The task, for a chain of a device. @throws RangeError for slots that are no power of two from 16 to 256 */
export function wicTask(p: SnicWicParameters): Task {
  if (!Number.isInteger(Math.log2(p.slots)) || p.slots < 16 || p.slots > 256)
    throw new RangeError(`${p.slots} slots: give a power of two from 16 to 256`);
  return {
    declared: {
      name: "wic",
      ...{ payload: "read", makes: true, reads: headerBytesFrom(0, taskHeaderBytes), writes: 0n },
      ...{ growth: 0, leavesOut: 0, latency: 16, interval: 17, holds: 2, state: "shared" },
    },
    // It declares which ports it has.
    hardware: asMakingTask(SnicWic(p)),
  };
}
