/** One access to memory after another: what goes out, and what comes back. */
import {
  bit,
  constant,
  fsm,
  mux,
  node,
  reg,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { BodyBeat, MemoryReply, MemoryRequest } from "../../../clio/offload/index.ts";
import { opcodeBits, statusBits } from "../../../clio/wire/index.ts";
import type { Beats } from "./beats.ts";
import type { Digest } from "./digest.ts";
import { beatBits, countBits, Lead, type leads, lineBits } from "./types.ts";

interface Ports {
  readonly memory: StreamOut<ReturnType<typeof MemoryRequest>>;
  readonly memoryData: StreamOut<ReturnType<typeof BodyBeat>>;
  readonly memoryReply: StreamIn<typeof MemoryReply>;
  readonly memoryReplyData: StreamIn<ReturnType<typeof BodyBeat>>;
}
/** What may be asked of memory. */
export interface Ask {
  readonly opcode: UInt;
  /** In the pages of the process that asks, not in the log. */
  readonly home: 0 | 1;
  readonly va: UInt;
  readonly bytes: UInt;
  /** Bytes that go with it, the lead's among them, and beats of data behind the lead. */
  readonly sends: UInt;
  readonly beats: UInt;
  readonly lead: (typeof leads)[number];
  /** What is read begins with a beat for `line`. */
  readonly headed: 0 | 1;
}

interface Surroundings {
  readonly beats: Beats;
  readonly digest: Digest;
  readonly context: UInt;
  readonly leadOf: (lead: Val<typeof Lead>) => UInt;
}

/** What is asked, and how far it is. */
function askedOf() {
  const start = reg(bit, { init: 0, name: "access_start" }),
    opcode = reg(uint(8), { name: "access_opcode" }),
    home = reg(bit, { name: "access_home" }),
    va = reg(uint(64), { name: "access_va" }),
    bytes = reg(uint(14), { name: "access_bytes" }),
    sends = reg(uint(14), { name: "access_sends" }),
    count = reg(uint(countBits), { name: "access_beats" }),
    lead = reg(Lead, { init: "none", name: "access_lead" }),
    headed = reg(bit, { name: "access_headed" }),
    index = reg(uint(countBits), { name: "access_index" }),
    status = reg(uint(4), { init: 0, name: "access_status" });
  return { start, opcode, home, va, bytes, sends, count, lead, headed, index, status };
}
type Asked = ReturnType<typeof askedOf>;

/** The access, step by step. */
function stepsOf(io: Ports, { beats, digest }: Surroundings, asked: Asked) {
  const { start, sends, count, lead, headed, index, status } = asked;
  const hasData = node(count.any(), { name: "access_has_data" }),
    lastData = node(index.addGrow(1).eq(count.zext(countBits + 1)), { name: "access_last_data" }),
    reply = io.memoryReply.payload,
    given = io.memoryReplyData;
  // What lies behind an area in its place of the log is not the area's.
  const counts = node(index.le(beats.read.length.bits(6, countBits)), { name: "access_counts" });
  const s = fsm(
    ["idle", "issue", "lead", "data", "wait", "take", "sum", "settle", "done"],
    "idle",
    go => ({
      idle: () => when(start, () => go.go("issue")),
      issue: () => {
        index.set(0);
        digest.begin();
        when(io.memory.ready, () => {
          go.go("wait");
          when(sends.any(), () => go.go("data"));
          when(sends.any().and(lead.eq("none").not()), () => go.go("lead"));
        });
      },
      lead: () =>
        when(io.memoryData.ready, () => {
          go.go("wait");
          when(hasData, () => go.go("data"));
        }),
      data: () =>
        when(io.memoryData.ready, () => {
          index.set(index.add(1));
          when(lastData, () => go.go("wait"));
        }),
      wait: () => {
        index.set(0);
        when(io.memoryReply.valid, () => {
          status.set(reply.status);
          go.go("done");
          when(reply.data.any(), () => go.go("take"));
        });
      },
      take: () =>
        when(given.valid, () => {
          const beat = given.payload.data;
          when(index.any().or(headed.not()), () => beats.put(mux(headed, index.sub(1), index), beat));
          when(index.any().not(), () => beats.line.set(beat.is(lineBits)));
          when(headed.not().or(index.any().not()).or(counts), () => digest.feed(beat));
          index.set(index.add(1));
          when(given.payload.last, () => go.go("sum"));
        }),
      sum: () => go.go("settle"),
      settle: () => go.go("done"),
      done: () => go.go("idle"),
    }),
    { name: "access" },
  );
  return { s, hasData, lastData };
}

/** What goes to memory. */
function tellMemory(
  io: Ports,
  { beats, context, leadOf }: Surroundings,
  { opcode, home, va, bytes, sends, lead, index }: Asked,
  { s, hasData, lastData }: ReturnType<typeof stepsOf>,
): void {
  io.memory.valid.set(s.is("issue"));
  io.memory.payload.set({
    tag: 0,
    opcode,
    client: home,
    context,
    va,
    length: bytes.zext(32),
    data: sends,
  });
  const inLead = s.is("lead");
  io.memoryData.valid.set(inLead.or(s.is("data")));
  io.memoryData.payload.set({
    data: mux(inLead, leadOf(lead), beats.at(index.trunc(beatBits))),
    last: mux(inLead, hasData.not(), lastData),
  });
  io.memoryReply.ready.set(s.is("wait"));
  io.memoryReplyData.ready.set(s.is("take"));
}

/**
 * Asks memory for one thing at a time. `done` is 1 for a cycle when it has answered, and what it gave is there with its
 * CRC; `failed` and `status` stand from then on. Latency beside memory's own: 3 cycles and the beats.
 */
export function accessOf(io: Ports, around: Surroundings) {
  const asked = askedOf(),
    { start, opcode, home, va, bytes, sends, count, lead, headed, status } = asked,
    steps = stepsOf(io, around, asked),
    { s } = steps;
  start.set(0);
  tellMemory(io, around, asked, steps);
  const ask = (a: Ask): void => {
    start.set(1);
    opcode.set(a.opcode.is(8));
    home.set(a.home);
    va.set(a.va.is(64));
    bytes.set(a.bytes.resize(14));
    sends.set(a.sends.resize(14));
    count.set(a.beats.resize(countBits));
    lead.set(Lead[a.lead]);
    headed.set(a.headed);
  };
  const none = constant(0, countBits);
  return {
    done: s.is("done"),
    failed: node(status.ne(statusBits.OK), { name: "access_failed" }),
    status,
    ask,
    /** Reads from the log, a beat for `line` first. */
    read: (at: UInt, length: UInt): void =>
      ask({
        ...{ opcode: opcodeBits.READ, home: 0, headed: 1, lead: "none", beats: none },
        va: at,
        bytes: length,
        sends: constant(0, 14),
      }),
  };
}
export type Access = ReturnType<typeof accessOf>;
