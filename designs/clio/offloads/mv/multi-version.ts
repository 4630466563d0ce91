import { connect, instance, module, stage } from "../../../../hdl-dsl/index.ts";
import { type OffloadParameters, offloadPorts, RequestOrder } from "../../offload/index.ts";
import { MvEngine } from "./engine.ts";
import { MvIntake } from "./intake.ts";
import { MvReplies } from "./replies.ts";
import { MvRequests } from "./requests.ts";
import { entryLayout, mostClass, type MultiVersionParameters, orderOf } from "./types.ts";

/** Defaults of a build: 65,535 objects of 1,024 versions; 64 MB of addresses at a time. */
const usual = { idBits: 16, versions: 1024, arenaBytes: 2 ** 26 };

/**
 * Clio-MV (paper §4.6): objects with versions from 1 on. The operations are create (opcode 20), append (22), read of a
 * version (24) and of the latest (26), delete (28). All clients see the same objects.
 *
 * Its own address space holds a map of all objects, of 16 bytes each: address of the array, latest version, bytes of a
 * value. Each object has an array with room for all its versions, so that each version is read with the same two
 * accesses. Unlike in the paper, arrays are not allocated one by one: that would cost a page each, and a way through
 * the software. An ALLOC brings an arena of `arenaBytes`, from which new objects take their arrays. Memory itself comes
 * page by page with the first write. Elements are powers of two of 8 bytes and more. A deleted object keeps its array
 * and goes on a list of its element size, linked through the map. A create of that size takes the last one deleted,
 * number and array, else a new number. No byte of before is seen: only what has been appended since is read.
 *
 * Order (sequential consistency per object): requests to one object take effect in their order of arrival when one of
 * them writes. So do creates and deletes; all others overlap. FAIL answers a read of a version that does not exist, of
 * a deleted object or of one that never was. An append to a full object (`versions`) is answered FAIL, too. Values of
 * another length than the object's: MALFORMED. No number left (2^idBits - 1), or no memory: OUT_OF_MEMORY. A request
 * that fails leaves all as it was.
 *
 * Latency at 512 bits, L that of an access, from `request` to `reply`: read 2 L + 32 cycles, append 2 L + 40. A create
 * takes L + 23 with a new number and 2 L + 33 with a deleted one, a delete 2 L + 33. A refusal takes L + 23 when the
 * entry shows it, and 13 when no object has ever had the number. An ALLOC more takes its own time and 15. Initiation
 * interval: 27 cycles for a read, 36 for an append, while `contexts` requests wait for memory at a time. Full:
 * `contexts` requests; more do not come. Reset: there is no object.
 */
const definition = module(
  "MultiVersion",
  (p: MultiVersionParameters) => offloadPorts(p),
  (io, p) => {
    const intake = instance(MvIntake(p)),
      order = instance(RequestOrder(orderOf(p))),
      engine = instance(MvEngine(p)),
      requests = instance(MvRequests(p)),
      replies = instance(MvReplies(p));
    connect(io.request, intake.request);
    connect(io.requestData, intake.requestData);
    requests.written.set(intake.written);
    connect(stage(intake.asked, "forward"), engine.asked);
    order.enter.set(engine.enter);
    order.leave.set(engine.leave);
    connect(order.start, engine.start);

    connect(engine.wanted, requests.wanted);
    engine.entryContext.set(requests.entryContext);
    requests.entry.set(engine.entry);
    connect(requests.memory, io.memory);
    connect(requests.memoryData, io.memoryData);

    // A memory reply carries an entry for the engine, or a value on its way to a client.
    connect(io.memoryReply, engine.memoryReply);
    engine.data.valid.set(io.memoryReplyData.valid);
    engine.data.payload.set(io.memoryReplyData.payload);
    replies.value.valid.set(io.memoryReplyData.valid);
    replies.value.payload.set(io.memoryReplyData.payload);
    io.memoryReplyData.ready.set(engine.data.ready.or(replies.value.ready));
    connect(engine.answer, replies.answer);
    engine.copied.set(replies.copied);
    connect(replies.reply, io.reply);
    connect(replies.replyData, io.replyData);
  },
  {
    nameOf: p =>
      `MultiVersion_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_i${p.idBits}_v${p.versions}_a${p.arenaBytes}`,
  },
);

/** The offload for a host of these parameters. @throws RangeError when an arena would not hold the map and one array */
export function MultiVersion(p: OffloadParameters, o: Partial<Pick<MultiVersionParameters, keyof typeof usual>> = {}) {
  const all = { ...p, ...usual, ...o },
    map = entryLayout.bytes * 2 ** all.idBits,
    element = 2 ** mostClass(all),
    least = map + all.versions * element;
  if (all.arenaBytes < least) {
    throw new RangeError(
      `arenaBytes = ${all.arenaBytes} does not hold the map (${map} bytes) and an array of ${all.versions} versions of ${element} bytes; give ${2 ** Math.ceil(Math.log2(least))} or more`,
    );
  }
  return definition(all);
}
