/** The offload's own requests to memory, each with room for its reply. */
import {
  assertAlways,
  assignView,
  type Bit,
  bitsFor,
  cat,
  connect,
  constant,
  decode,
  Fifo,
  instance,
  mux,
  node,
  orTree,
  reg,
  stage,
  stream,
  type StreamIn,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { opcodeBits, type OpcodeName } from "../../wire/index.ts";
import { collect } from "../collect.ts";
import { givenUp, thrownAway } from "../slot-reset.ts";
import { beatsOf, BodyBeat, bodyLengthBits, MemoryReply, type MemoryRequest } from "../types.ts";
import { type Build, costBits, epochBits, SlotAccess } from "./ports.ts";
import { own } from "./replies.ts";
import type { keepRequests } from "./requests.ts";

/** Opcodes that an offload may send to memory. WRITE_NOREPLY is none: without a reply its end is unknown. */
export const offloadOpcodes: readonly OpcodeName[] = [
  "READ",
  "WRITE",
  "ATOMIC_TAS",
  "ATOMIC_CAS",
  "ATOMIC_FAA",
  "ATOMIC_STORE",
  "DEREF_READ",
  "DEREF_WRITE",
  "ALLOC",
  "FREE",
];
const withData: readonly OpcodeName[] = ["READ", "DEREF_READ"];
/** Most bytes behind va and length in the reply of any other operation (ALLOC's board, port and region). */
const otherBytes = 16;

/** Whose the request is is decided, whether the offload may make it, and what its reply may take. */
function decided(
  { io, p, used }: Build,
  accesses: StreamIn<ReturnType<typeof MemoryRequest>>,
  pids: ReturnType<typeof keepRequests>["pids"],
) {
  const m = accesses.payload;
  const among = (names: readonly OpcodeName[]): Bit => orTree(names.map(n => m.opcode.eq(opcodeBits[n])));
  const allowed = node(among(offloadOpcodes).and(m.client.not().or(used.and(decode(m.context, p.contexts)).any())));
  const bytes = node(
    mux(
      among(withData).and(m.length.le(p.maxData)),
      m.length.trunc(bodyLengthBits),
      constant(otherBytes, bodyLengthBits),
    ),
  );
  const ready = stream(SlotAccess(p));
  ready.valid.set(accesses.valid);
  ready.payload.set({
    tag: m.tag,
    opcode: mux(allowed, m.opcode, constant(0, 8)),
    pid: mux(m.client, pids.readAsync(m.context), io.pid).is(16),
    va: m.va,
    length: m.length,
    data: m.data,
    cost: beatsOf(bytes, p).resize(costBits(p)),
    epoch: 0,
  });
  accesses.ready.set(ready.ready);
  return { ready, allowed };
}

/** They leave when there is room for their replies. */
export function askMemory(build: Build, pids: ReturnType<typeof keepRequests>["pids"]) {
  const { io, p } = build,
    { clear } = build.closing;
  const accesses = collect(own(build, io.memory, "own_memory"), own(build, io.memoryData, "own_memory_data"), {
    name: "accesses",
    length: "data",
    mostBytes: p.maxData,
    beatBytes: p.beatBytes,
    depth: p.outstanding,
    clear,
  });
  const { ready, allowed } = decided(build, accesses.heads, pids);
  const next = stage(ready, "forward", { name: "next" });
  const inside = reg(uint(bitsFor(p.outstanding)), { init: 0 });
  const beatsFree = reg(uint(costBits(p)), { init: p.replyBeats });
  const may = node(inside.ne(p.outstanding).and(next.payload.cost.le(beatsFree)));
  io.access.valid.set(next.valid.and(may));
  const epoch = reg(uint(epochBits), { init: 0, name: "epoch" });
  assignView(io.access.payload, { ...next.payload, epoch }, "access");
  next.ready.set(io.access.ready.and(may));
  connect(accesses.data, io.accessData);
  // Beats that memory has still to take of the requests that it has taken: they stand in the collected data.
  const mostBeats = Math.ceil(p.maxData / p.beatBytes),
    dataOwed = reg(uint(Math.ceil(Math.log2(mostBeats + 1)) + 1), { init: 0 });
  const { width } = dataOwed;
  dataOwed.set(
    dataOwed
      .add(mux(io.access.fire, beatsOf(io.access.payload.data, p).resize(width), constant(0, width)))
      .sub(io.accessData.fire.zext(width)),
  );

  return { accesses, allowed, next, inside, beatsFree, epoch, dataOwed };
}
export type Asked = ReturnType<typeof askMemory>;

/** Replies of memory. What comes of an epoch that is over is taken and forgotten. */
export function takeReplies({ io, p, closing: { closed } }: Build, { epoch }: Asked) {
  const replies = instance("memory_replies", Fifo({ shape: MemoryReply, depth: p.outstanding, style: "distributed" }));
  const replyData = instance("memory_reply_beats", Fifo({ shape: BodyBeat(p), depth: p.replyBeats, style: "auto" }));
  const { cost, epoch: cameEpoch, ...told } = io.came.payload;
  const cameInTime = node(cameEpoch.eq(epoch), { name: "came_in_time" }),
    dataCurrent = node(io.cameData.payload.epoch.eq(epoch), { name: "came_data_in_time" });
  const cameNow = node(io.came.fire.and(cameInTime), { name: "came_now" });
  replies.push.valid.set(io.came.valid.and(cameInTime));
  io.came.ready.set(replies.push.ready.or(cameInTime.not()));
  assignView(replies.push.payload, told, "told");
  replyData.push.valid.set(io.cameData.valid.and(dataCurrent));
  io.cameData.ready.set(replyData.push.ready.or(dataCurrent.not()));
  replyData.push.payload.set({ data: io.cameData.payload.data, last: io.cameData.payload.last });
  assertAlways(io.came.valid.and(io.came.ready.not()).not(), "there is room for every reply");
  assertAlways(io.cameData.valid.and(io.cameData.ready.not()).not(), "there is room for the data of every reply");
  // While the offload is in reset they are thrown away as they come.
  const replyPop = thrownAway(replies.pop, closed, "reply_pop"),
    dataPop = thrownAway(replyData.pop, closed, "data_pop");
  connect(replyPop, io.memoryReply);
  connect(dataPop, io.memoryReplyData);

  return { replies, replyData, cost, cameNow };
}

/** How many requests are under way, and what room is left; replies that do not come are given up. */
export function countAccesses(
  { io, p, closing: { closed } }: Build,
  { inside, beatsFree, epoch, dataOwed }: Asked,
  { replies, replyData, cost, cameNow }: ReturnType<typeof takeReplies>,
): void {
  const givesUp = givenUp(
    io.control.patience,
    closed.and(inside.any()),
    cat(replies.pop.valid, replyData.pop.valid, io.came.valid, io.cameData.valid, io.access.valid, dataOwed)
      .any()
      .not(),
  );
  when(givesUp, () => {
    inside.set(0);
    epoch.set(epoch.add(1));
  })
    .elseWhen(io.access.fire.and(replies.pop.fire.not()), () => inside.set(inside.add(1)))
    .elseWhen(replies.pop.fire.and(io.access.fire.not()), () => inside.set(inside.sub(1)));
  // A reply gives back the unneeded credits; the others come back beat by beat.
  const none = constant(0, costBits(p));
  const spare = node(mux(cameNow, cost.sub(beatsOf(io.came.payload.data, p).resize(costBits(p))), none));
  const spent = node(mux(io.access.fire, io.access.payload.cost, none));
  beatsFree.set(
    mux(
      givesUp,
      constant(p.replyBeats, costBits(p)),
      beatsFree
        .add(spare)
        .add(replyData.pop.fire.zext(costBits(p)))
        .sub(spent),
    ),
  );
}
