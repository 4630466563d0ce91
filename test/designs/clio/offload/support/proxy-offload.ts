/** Offloads for tests of what hosts them. */
import { bit, module, mux, node, reg, uint, when } from "../../../../../hdl-dsl/index.ts";
import {
  bodyLengthBits,
  type Offload,
  type OffloadParameters,
  offloadPorts,
} from "../../../../../designs/clio/offload/index.ts";

/** Bytes of a proxy's request in front of the data: one beat of 64 bytes. */
export const proxyHead = 64;
/**
 * The body of a request that makes the proxy send `opcode` for (va, length) with `data` behind: client's address space
 * or its own.
 */
export function proxyBody(o: {
  readonly opcode: number;
  readonly client: boolean;
  readonly va: bigint;
  readonly length: number;
  readonly data?: Uint8Array;
}): Uint8Array {
  const data = o.data ?? new Uint8Array(),
    body = new Uint8Array(proxyHead + data.length),
    view = new DataView(body.buffer);
  body[0] = o.opcode;
  body[1] = o.client ? 1 : 0;
  view.setUint16(2, data.length, true);
  view.setBigUint64(8, o.va, true);
  view.setUint32(16, o.length, true);
  body.set(data, proxyHead);
  return body;
}

/**
 * An offload that does what its request says, one at a time: sends one memory request, and answers with its status and
 * data. Beats of 64 bytes only. Replies with the request's opcode plus 1.
 */
export const Proxy = module(
  "Proxy",
  (p: OffloadParameters) => offloadPorts(p),
  (io, p) => {
    const idle = 0,
      asking = 1,
      waiting = 2,
      state = reg(uint(2), { init: idle });
    const context = reg(uint(Math.log2(p.contexts))),
      opcode = reg(uint(8));
    const head = reg(uint(160));
    const length = reg(uint(bodyLengthBits));
    /** Data of the request that are still to go on. */
    const more = reg(bit, { init: 0 });

    const beat = io.requestData.payload;
    const at = node(io.request.valid.and(io.requestData.valid).and(state.eq(idle)).and(more.not()));
    io.request.ready.set(at);
    io.requestData.ready.set(mux(more, io.memoryData.ready, at));
    when(at, () => {
      state.set(asking);
      context.set(io.request.payload.context);
      opcode.set(io.request.payload.opcode);
      length.set(io.request.payload.length);
      head.set(beat.data.bits(0, 160));
      more.set(beat.last.not());
    });
    io.memoryData.valid.set(more.and(io.requestData.valid));
    io.memoryData.payload.set({ data: beat.data, last: beat.last });
    when(more.and(io.requestData.fire).and(beat.last), () => more.set(0));
    io.memory.valid.set(state.eq(asking));
    const follows = node(length.gt(proxyHead));
    io.memory.payload.set({
      tag: context.zext(8),
      opcode: head.bits(0, 8),
      client: head.bit(8),
      context,
      va: head.bits(64, 64),
      length: head.bits(128, 32),
      data: mux(follows, length.sub(proxyHead), length.sub(length)),
    });
    when(io.memory.fire, () => state.set(waiting));

    // The reply, and its data straight through.
    const r = io.memoryReply.payload;
    io.reply.valid.set(io.memoryReply.valid);
    io.memoryReply.ready.set(io.reply.ready);
    io.reply.payload.set({
      context: r.tag.trunc(Math.log2(p.contexts)),
      status: r.status,
      opcode: opcode.add(1),
      length: r.data,
      more: 0,
    });
    when(io.reply.fire, () => state.set(idle));
    io.replyData.valid.set(io.memoryReplyData.valid);
    io.memoryReplyData.ready.set(io.replyData.ready);
    io.replyData.payload.set({ data: io.memoryReplyData.payload.data, last: io.memoryReplyData.payload.last });
  },
);

/** An offload of a test at an opcode of its own. */
export const offloadAt = (name: string, opcode: number, build: typeof Proxy): Offload => ({
  name,
  opcodes: [opcode],
  build,
});
