/** A task that keeps headers in its memory: `arg` 1 writes the packet's, any other reads what was written before. */
import {
  asMemoryTask,
  memoryTaskPorts,
  type Task,
  TaskAnswer,
  TaskPacket,
  TaskVerdict,
} from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { bit, constant, fsm, module, mux, pack, reg, uint, unpack, when } from "../../../../../../hdl-dsl/index.ts";

/** What software may tell it to do wrong. */
export const memoMisdeeds = ["none", "takesNoAnswer", "givesNoBeats"] as const;
export type MemoMisdeed = (typeof memoMisdeeds)[number];
/** Where a packet's header goes: by its first two bytes, times 64. */
export const placeOf = (header: Uint8Array): number => ((header[0] ?? 0) + 256 * ((header[1] ?? 0) & 3)) * 64;

const MemoTask = module("MemoTask", memoryTaskPorts, io => {
  const misdeed = reg(uint(64), { init: 0, name: "misdeed" }),
    packet = reg(TaskPacket, { name: "packet_q" }),
    answer = reg(uint(512), { name: "answer_q" }),
    wrong = reg(bit, { init: 0, name: "wrong" }),
    begun = reg(bit, { init: 0, name: "put_begun" });
  when(io.config.valid, () => misdeed.set(io.config.data));
  const is = (what: MemoMisdeed) => misdeed.eq(memoMisdeeds.indexOf(what));
  const writes = packet.arg.eq(1);
  const phase = fsm(["Idle", "Ask", "Wait", "Answer"], "Idle", s => ({
    Idle: () => {
      when(io.packet.valid, () => {
        packet.set(io.packet.payload);
        begun.set(0);
        s.go("Ask");
      });
    },
    Ask: () => {
      when(io.ask.ready, () => s.go("Wait"));
    },
    Wait: () => {
      when(io.put.fire, () => begun.set(1));
      when(io.got.fire, () => {
        answer.set(io.got.payload.data);
        wrong.set(io.got.payload.error.ne("none"));
        when(io.got.payload.last, () => s.go("Answer"));
      });
      when(io.wrote.fire, () => {
        answer.set(packet.header);
        wrong.set(io.wrote.payload.error.ne("none"));
        s.go("Answer");
      });
    },
    Answer: () => {
      when(io.answer.ready, () => s.go("Idle"));
    },
  }));
  io.packet.ready.set(phase.is("Idle"));
  io.ask.valid.set(phase.is("Ask"));
  const place = packet.header.trunc(10).zext(34).shl(6);
  // User 63 reaches behind the end of the space.
  io.ask.payload.set({ write: writes, address: mux(packet.user.eq(63), place.or(1n << 30n), place), lastByte: 63 });
  io.put.valid.set(phase.is("Wait").and(writes).andNot(begun).andNot(is("givesNoBeats")));
  io.put.payload.set({ data: packet.header });
  const takes = is("takesNoAnswer").not();
  io.got.ready.set(phase.is("Wait").and(takes));
  io.wrote.ready.set(phase.is("Wait").and(takes));
  io.answer.valid.set(phase.is("Answer"));
  io.answer.payload.set({
    ...unpack(TaskAnswer, constant(0, pack(io.answer.payload).width)),
    tag: packet.tag,
    verdict: mux(wrong, TaskVerdict.drop, TaskVerdict.forward),
    header: answer,
    mask: constant(0, 64).not(),
  });
  io.quiet.set(phase.is("Idle"));
});

const all = (1n << 64n) - 1n;
export const memo: Task = {
  declared: {
    ...{ name: "memo", memory: true, reads: all, writes: all, growth: 0, leavesOut: 0 },
    ...{ latency: 2, interval: 2, holds: 1, state: "shared" },
  },
  hardware: asMemoryTask(MemoTask()),
};
