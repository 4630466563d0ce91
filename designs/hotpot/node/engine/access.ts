/** One access to memory after another: what goes out, and what comes back. */
import {
  bit,
  constant,
  fsm,
  mux,
  node,
  onehotMux,
  orTree,
  reg,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  type Val,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import type { BodyBeat, MemoryReply, MemoryRequest } from "../../../clio/offload/index.ts";
import { opcodeBits, statusBits } from "../../../clio/wire/index.ts";
import type { Beats } from "./beats.ts";
import type { Digest } from "./digest.ts";
import { beatBits, countBits, Lead, leads, lineBits } from "./types.ts";

/** Places in the engine that ask memory. */
const askers = 13;

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
    status = reg(uint(4), { init: 0, name: "access_status" }),
    failed = reg(bit, { init: 0, name: "access_failed" });
  return { start, opcode, home, va, bytes, sends, count, lead, headed, index, status, failed };
}
type Asked = ReturnType<typeof askedOf>;

/** The access, step by step. */
function stepsOf(io: Ports, { beats, digest }: Surroundings, asked: Asked) {
  const { start, sends, count, lead, headed, index, status, failed } = asked;
  const hasData = node(count.any(), { name: "access_has_data" }),
    lastData = node(index.addGrow(1).eq(count.zext(countBits + 1)), { name: "access_last_data" }),
    reply = io.memoryReply.payload,
    given = io.memoryReplyData;
  // What lies behind an area in its place of the log is not the area's.
  const counts = node(index.le(beats.read.length.bits(6, countBits)), { name: "access_counts" });
  const s = fsm(
    ["idle", "issue", "lead", "data", "wait", "take", "sum", "fold", "settle", "done"],
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
          failed.set(reply.status.ne(statusBits.OK));
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
      sum: () => go.go("fold"),
      fold: () => go.go("settle"),
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
    { start, opcode, home, va, bytes, sends, count, lead, headed, status, failed } = asked,
    steps = stepsOf(io, around, asked),
    { s } = steps;
  tellMemory(io, around, asked, steps);
  // One asks at a time, and each has a wire of its own: what is asked is a sum of them, and none waits for another.
  const asks = Array.from({ length: askers }, (_, i) => wire(bit, { name: `asks_${i}` })),
    all: Ask[] = [];
  for (const a of asks) a.set(0);
  const ask = (a: Ask): void => {
    asks[all.push(a) - 1]?.set(1);
  };
  const finish = (): void => {
    if (all.length !== askers) throw new RangeError(`${all.length} places ask memory; there are wires for ${askers}`);
    const any = node(orTree(asks), { name: "asks_memory" }),
      of = (value: (a: Ask) => UInt) => onehotMux(asks, all.map(value));
    start.set(any);
    when(any, () => {
      opcode.set(of(a => a.opcode.is(8)).is(8));
      home.set(of(a => constant(a.home, 1)).is(bit.width));
      va.set(of(a => a.va.is(64)).is(64));
      bytes.set(of(a => a.bytes.resize(14)).is(14));
      sends.set(of(a => a.sends.resize(14)).is(14));
      count.set(of(a => a.beats.resize(countBits)).is(countBits));
      headed.set(of(a => constant(a.headed, 1)).is(bit.width));
    });
    // An enumeration has no sum: each of its values has.
    for (const l of leads) {
      const some = asks.filter((_, i) => all[i]?.lead === l);
      when(orTree(some), () => lead.set(Lead[l]));
    }
  };
  const none = constant(0, countBits);
  return {
    done: s.is("done"),
    failed,
    status,
    ask,
    /** Behind all who ask. */
    finish,
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
