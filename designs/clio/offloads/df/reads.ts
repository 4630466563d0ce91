import {
  assertAlways,
  bit,
  type Bit,
  constant,
  Fifo,
  fsm,
  input,
  type Inside,
  instance,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  source,
  struct,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { BodyBeat, MemoryReply, MemoryRequest, memoryTagBits } from "../../offload/index.ts";
import { opcodeBits } from "../../wire/index.ts";
import {
  contextBits,
  type DataFrameParameters,
  Query,
  readBeats,
  readBits,
  sizeBits,
  Slice,
  tableBits,
} from "./types.ts";

/** A beat that a READ brought: always taken. */
export const ReadWrite = (p: DataFrameParameters) =>
  struct({
    en: bit,
    read: uint(readBits(p)),
    beat: uint(Math.log2(readBeats(p))),
    data: uint(p.beatBytes * 8),
  });

const readsPorts = (p: DataFrameParameters) => ({
  query: sink(Query(p)),
  memory: source(MemoryRequest(p)),
  memoryReply: sink(MemoryReply),
  memoryReplyData: sink(BodyBeat(p)),
  slice: source(Slice(p)),
  written: output(ReadWrite(p)),
  /** The oldest slice that was taken needs its buffer no more. */
  released: input(bit),
});
type Io = Inside<ReturnType<typeof readsPorts>>;

const Place = (p: DataFrameParameters) => struct({ va: uint(64), left: uint(tableBits(p)), first: bit });

/** By context: turns, how much a READ takes, where the next one begins, and whether the request has failed. */
function requestsOf(p: DataFrameParameters) {
  const keep = { depth: p.contexts, collision: "undefined", style: "distributed" } as const;
  const turns = instance("turns", Fifo({ shape: uint(contextBits(p)), depth: p.contexts, style: "distributed" }));
  const chunks = ram(uint(sizeBits), keep);
  const places = ram(Place(p), keep);
  /** Nonzero: the request has failed, or never was one. */
  const failed = reg(vec(uint(4), p.contexts));

  return { turns, chunks, places, failed };
}
type Requests = ReturnType<typeof requestsOf>;

/** The request whose turn it is. */
function turnOf(p: DataFrameParameters) {
  const c = reg(uint(contextBits(p)));
  const place = reg(Place(p));
  const chunk = reg(uint(sizeBits));
  const givesUp = reg(bit);
  const length = reg(uint(sizeBits));
  const final = reg(bit);
  const none = reg(bit);
  const free = reg(uint(readBits(p) + 1), { init: p.reads });
  const tail = reg(uint(readBits(p)), { init: 0 });
  return { c, place, chunk, givesUp, length, final, none, free, tail };
}
type Turn = ReturnType<typeof turnOf>;

/** A READ for each turn. */
function issueReads(io: Io, p: DataFrameParameters, { turns, chunks, places, failed }: Requests, turn: Turn) {
  const { c, place, chunk, givesUp, length, final, none, free, tail } = turn,
    issued = node(io.memory.fire);
  const next = fsm(
    ["look", "decide", "issue"],
    "look",
    s => ({
      look: () => {
        c.set(turns.pop.payload);
        place.set(places.readAsync(turns.pop.payload));
        chunk.set(chunks.readAsync(turns.pop.payload));
        givesUp.set(failed.at(turns.pop.payload).any());
        when(turns.pop.valid, () => s.go("decide"));
      },
      decide: () => {
        const ends = place.left.le(chunk.zext(tableBits(p)));
        final.set(givesUp.or(ends));
        none.set(givesUp.or(place.left.eq(0)));
        length.set(mux(ends, place.left.trunc(sizeBits), chunk));
        s.go("issue");
      },
      issue: () => when(issued.or(none.and(free.any())), () => s.go("look")),
    }),
    { name: "turn" },
  );
  const issuing = node(next.is("issue"));
  turns.pop.ready.set(next.is("look"));
  io.memory.valid.set(issuing.and(none.not()).and(free.any()));
  io.memory.payload.set({
    tag: tail.zext(memoryTagBits),
    opcode: opcodeBits.READ,
    client: 1,
    context: c,
    va: place.va,
    length: length.zext(32),
    data: 0,
  });
  const done = node(issuing.and(mux(none, free.any(), io.memory.ready.and(free.any()))));
  const again = node(done.and(final.not()));

  return { done, again };
}
type Issued = ReturnType<typeof issueReads>;

/** Requests come in when no turn is being given back. */
function takeRequests(
  io: Io,
  p: DataFrameParameters,
  { turns, chunks, places }: Requests,
  { c, place, length }: Turn,
  { done, again }: Issued,
): Bit {
  io.query.ready.set(done.not());
  const q = io.query.payload,
    starts = node(io.query.fire);
  turns.push.valid.set(starts.or(again));
  turns.push.payload.set(mux(done, c, q.context));
  assertAlways(turns.push.valid.not().or(turns.push.ready), "there is a turn for every request");
  chunks.write(starts, q.context, q.chunk);
  places.write(starts.or(done), mux(done, c, q.context), {
    va: mux(done, place.va.add(length.zext(64)), q.table),
    left: mux(done, place.left.sub(length.zext(tableBits(p))), q.total),
    first: done.not(),
  });

  return starts;
}

/** READs in order of issue, and their slices likewise. @returns by READ: its status, and whether it is there */
function orderReads(
  io: Io,
  p: DataFrameParameters,
  { failed }: Requests,
  { c, place, length, final, none, free, tail }: Turn,
  { done, starts }: { readonly done: Bit; readonly starts: Bit },
) {
  const context = uint(contextBits(p)),
    read = uint(readBits(p)),
    q = io.query.payload;
  const Asked = struct({ context, length: uint(sizeBits), none: bit, first: bit, final: bit });
  const asked = ram(Asked, { depth: p.reads, collision: "undefined", style: "distributed" });
  const statuses = ram(uint(4), { depth: p.reads, collision: "undefined", style: "distributed" });
  const here = reg(vec(bit, p.reads), { init: Array.from({ length: p.reads }, () => 0) });
  const head = reg(read, { init: 0 });
  asked.write(done, tail, { context: c, length, none, first: place.first, final });
  when(done, () => {
    tail.set(tail.add(1));
    here.setAt(tail, none);
  });
  const taken = node(io.slice.fire);
  when(done.and(io.released.not()), () => free.set(free.sub(1))).elseWhen(io.released.and(done.not()), () =>
    free.set(free.add(1)),
  );

  const oldest = asked.readAsync(head),
    before = failed.at(oldest.context);
  const found = node(mux(oldest.none, constant(0, 4), statuses.readAsync(head)));
  const statusNow = node(mux(before.any(), before, found));
  io.slice.valid.set(here.at(head));
  io.slice.payload.set({
    context: oldest.context,
    read: head,
    length: mux(oldest.none, constant(0, sizeBits), oldest.length),
    status: statusNow,
    first: oldest.first,
    final: oldest.final,
  });
  when(taken, () => {
    head.set(head.add(1));
    here.setAt(head, constant(0, 1));
    failed.setAt(oldest.context, statusNow);
  });
  when(starts, () => failed.setAt(q.context, q.status));

  return { statuses, here };
}

/** What they bring. */
function takeReplies(io: Io, p: DataFrameParameters, { statuses, here }: ReturnType<typeof orderReads>): void {
  const bringing = reg(bit, { init: 0 });
  const which = reg(uint(readBits(p)));
  const beat = reg(uint(Math.log2(readBeats(p))));
  const r = io.memoryReply.payload,
    replyRead = node(r.tag.trunc(readBits(p)));
  const ends = node(io.memoryReplyData.fire.and(io.memoryReplyData.payload.last));
  io.memoryReply.ready.set(bringing.not().or(ends));
  io.memoryReplyData.ready.set(bringing);
  when(ends, () => {
    bringing.set(0);
    here.setAt(which, constant(1, 1));
  });
  when(io.memoryReplyData.fire, () => beat.set(beat.add(1)));
  statuses.write(io.memoryReply.fire, replyRead, r.status);
  when(io.memoryReply.fire, () => {
    which.set(replyRead);
    beat.set(0);
    bringing.set(r.data.any());
    when(r.data.eq(0), () => here.setAt(replyRead, constant(1, 1)));
  });
  io.written.set({ en: io.memoryReplyData.fire, read: which, beat, data: io.memoryReplyData.payload.data });
}

/**
 * Reads the tables of all requests in turns of one READ of whole rows. So no request waits for longer than `contexts` -
 * 1 READs of others. Up to `reads` READs are in flight. Their replies come in any order, and leave on `slice` in the
 * order of the READs. A READ that fails ends its request: its READs in flight leave with that status, and nothing more
 * is read. Every request ends with a slice marked `final`.
 *
 * Latency: 3 cycles from `query` to `memory` when no other request has a turn; 1 from the last beat of a reply to its
 * `slice`. Initiation interval: a READ every 3 cycles. Full: with `reads` READs in flight or not `released`, turns
 * wait. `memory_reply` and its data never wait for anything but each other. Reset drops all requests.
 */
export const DfReads = module(
  "DfReads",
  readsPorts,
  (io, p) => {
    const requests = requestsOf(p),
      turn = turnOf(p);
    const issued = issueReads(io, p, requests, turn),
      starts = takeRequests(io, p, requests, turn, issued);
    const reads = orderReads(io, p, requests, turn, { done: issued.done, starts });
    takeReplies(io, p, reads);
  },
  { nameOf: p => `DfReads_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_r${p.reads}` },
);
