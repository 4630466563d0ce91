import { big, layout, num, slicesOf } from "../../../../../designs/shared/wire/index.ts";
import { opcode, replyCode, status } from "../../../../../designs/clio/wire/index.ts";
import {
  BodyBeat,
  MemoryRequest,
  type OffloadParameters,
  offloadPorts,
  OffloadReply,
} from "../../../../../designs/clio/offload/index.ts";
import {
  assignView,
  type Bit,
  connect,
  constant,
  demux,
  filter,
  fork,
  input,
  instance,
  join,
  map,
  merge,
  module,
  mux,
  ram,
  stage,
  struct,
  uint,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";

/** Body of a request to the copier: one beat of 32 bytes or more. */
export const copyBody = layout("copy", "copy", "le", {
  from: big(64, "source"),
  to: big(64, "destination"),
  length: num(32, "bytes"),
});
export const copyOpcode = opcode.WIC;
/** Set in the tag of a WRITE; the low bits are the context. */
const writing = 0x80;

/**
 * An offload for tests of its bench. It copies `length` bytes in the client's memory by a READ and a WRITE, and sends
 * the request's body back. At most four contexts.
 */
export const Copier = module(
  "Copier",
  (p: OffloadParameters) => offloadPorts(p),
  (io, p) => {
    const asked = join({ head: io.request, body: io.requestData }),
      { head, body } = asked.payload;
    const field = (name: keyof typeof copyBody.fields): UInt => {
      const at = slicesOf(copyBody)[name].runs;
      return body.data.bits(Math.min(...at.map(r => r.lsb)), copyBody.fields[name].bits);
    };
    const copies = ram(struct({ to: uint(64), length: uint(32), echo: uint(copyBody.bytes * 8) }), {
      depth: p.contexts,
      collision: "undefined",
      style: "distributed",
    });
    const contextBits = Math.log2(p.contexts);
    const reads = map(asked, MemoryRequest(p), () => ({
      tag: head.context.zext(8),
      opcode: opcode.READ,
      client: 1,
      context: head.context,
      va: field("from").is(64),
      length: field("length").is(32),
      data: 0,
    }));
    copies.write(asked.fire, head.context, {
      to: field("to").is(64),
      length: field("length").is(32),
      echo: body.data.bits(0, copyBody.bytes * 8),
    });

    // A READ that went well becomes a WRITE of the same bytes; anything else is the end.
    const came = io.memoryReply.payload,
      over = came.tag.bit(7).or(came.status.ne(0));
    const [found, ended] = demux(io.memoryReply, over, 2);
    const contextOf = (tag: UInt): UInt => tag.bits(0, contextBits);
    const writes = map(found, MemoryRequest(p), v => {
      const copy = copies.readAsync(contextOf(v.tag));
      return {
        tag: v.tag.or(writing),
        opcode: opcode.WRITE,
        client: 1,
        context: contextOf(v.tag),
        va: copy.to,
        length: copy.length,
        data: copy.length.trunc(14),
      };
    });
    connect(merge([writes, reads], { policy: "priority" }), io.memory);
    connect(io.memoryReplyData, io.memoryData);

    // The context is free with the reply's header, and may be another's before the bytes behind it have gone: they are
    // kept beside it.
    const Ending = struct({ context: uint(contextBits), status: uint(4), echo: uint(copyBody.bytes * 8) });
    const kept = stage(
      map(ended, Ending, v => ({
        context: contextOf(v.tag),
        status: v.status,
        echo: copies.readAsync(contextOf(v.tag)).echo,
      })),
    );
    const [toReply, toEcho] = fork(kept, 2);
    connect(
      map(toReply, OffloadReply(p), v => ({
        context: v.context,
        status: v.status,
        opcode: replyCode(copyOpcode),
        length: mux(v.status.eq(status.OK), constant(copyBody.bytes, 14), 0),
        more: 0,
      })),
      io.reply,
    );
    const echoed = filter(toEcho, v => v.status.eq(status.OK));
    connect(
      map(echoed, BodyBeat(p), v => ({ data: v.echo.zext(p.beatBytes * 8), last: 1 })),
      io.replyData,
    );
  },
);

/** Faults of a broken copier. */
export const faults = [
  "none",
  "reply context",
  "reply length",
  "more for ever",
  "no reply",
  "last missing",
  "last too soon",
  "beat without header",
  "opcode",
  "write data",
  "context of nobody",
] as const;
export type FaultName = (typeof faults)[number];

/** The copier between wires that break the rule chosen by `fault`, so that one model serves all checks. */
export const Breaker = module(
  "Breaker",
  (p: OffloadParameters) => ({ ...offloadPorts(p), fault: input(uint(4)) }),
  (io, p) => {
    const copier = instance(Copier(p)),
      is = (name: FaultName): Bit => io.fault.eq(faults.indexOf(name));
    connect(io.request, copier.request);
    connect(io.requestData, copier.requestData);
    connect(io.memoryReply, copier.memoryReply);
    connect(io.memoryReplyData, copier.memoryReplyData);
    const reply = map(copier.reply, OffloadReply(p), v => ({
      ...v,
      context: mux(is("reply context"), v.context.not(), v.context),
      more: is("more for ever"),
      length: mux(is("reply length"), constant(1479, 14), mux(is("beat without header"), constant(0, 14), v.length)),
    }));
    io.reply.valid.set(reply.valid.and(is("no reply").not()));
    reply.ready.set(io.reply.ready.and(is("no reply").not()));
    assignView(io.reply.payload, reply.payload, "payload");
    connect(
      map(copier.replyData, BodyBeat(p), v => ({ ...v, last: v.last.and(is("last missing").not()) })),
      io.replyData,
    );
    connect(
      map(copier.memory, MemoryRequest(p), v => ({
        ...v,
        opcode: mux(is("opcode"), constant(opcode.FENCE, 8), v.opcode),
        data: mux(is("write data"), constant(0, 14), v.data),
        context: mux(is("context of nobody"), v.context.not(), v.context),
      })),
      io.memory,
    );
    connect(
      map(copier.memoryData, BodyBeat(p), v => ({ ...v, last: v.last.or(is("last too soon")) })),
      io.memoryData,
    );
  },
);
