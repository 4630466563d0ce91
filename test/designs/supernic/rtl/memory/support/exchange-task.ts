/** A task that keeps a number by port in its memory: a packet gets that of the one before, and leaves its own. */
import type { TaskAnswer } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import {
  asItWas,
  asMemoryTask,
  memoryTaskPorts,
  type Task,
  TaskPacket,
  TaskVerdict,
} from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { type TaskModel, writesAt } from "../../../../../../designs/supernic/model/index.ts";
import { headerBytesFrom } from "../../../../../../designs/supernic/wire/index.ts";
import { bit, fsm, module, mux, reg, uint, when } from "../../../../../../hdl-dsl/index.ts";

/** The number: the identification of IPv4. Its place: by the low byte of the destination port, a page or more apart. */
const numberAt = 18,
  portAt = 37,
  placeShift = 12;
const ExchangeTask = module("ExchangeTask", memoryTaskPorts, io => {
  const packet = reg(TaskPacket, { name: "packet_q" }),
    before = reg(uint(16), { name: "before" }),
    wrong = reg(bit, { init: 0, name: "wrong" });
  const phase = fsm(["Idle", "Read", "Got", "Write", "Put", "Wrote", "Answer"], "Idle", s => ({
    Idle: () => {
      when(io.packet.valid, () => {
        packet.set(io.packet.payload);
        s.go("Read");
      });
    },
    Read: () => {
      when(io.ask.ready, () => s.go("Got"));
    },
    Got: () => {
      when(io.got.valid, () => {
        before.set(io.got.payload.data.trunc(16));
        wrong.set(io.got.payload.error.ne("none"));
        s.go("Write");
      });
    },
    Write: () => {
      when(io.ask.ready, () => s.go("Put"));
    },
    Put: () => {
      when(io.put.ready, () => s.go("Wrote"));
    },
    Wrote: () => {
      when(io.wrote.valid, () => {
        when(io.wrote.payload.error.ne("none"), () => wrong.set(1));
        s.go("Answer");
      });
    },
    Answer: () => {
      when(io.answer.ready, () => s.go("Idle"));
    },
  }));
  io.packet.ready.set(phase.is("Idle"));
  io.ask.valid.set(phase.is("Read").or(phase.is("Write")));
  io.ask.payload.set({
    write: phase.is("Write"),
    address: packet.header
      .bits(8 * portAt, 8)
      .zext(34)
      .shl(placeShift),
    lastByte: 1,
  });
  io.put.valid.set(phase.is("Put"));
  io.put.payload.set({ data: packet.header.bits(8 * numberAt, 16).zext(512) });
  io.got.ready.set(phase.is("Got"));
  io.wrote.ready.set(phase.is("Wrote"));
  io.answer.valid.set(phase.is("Answer"));
  io.answer.payload.set({
    ...asItWas,
    tag: packet.tag,
    verdict: mux(wrong, TaskVerdict.drop, TaskVerdict.forward),
    header: before.zext(512).shl(8 * numberAt),
    mask: 3n << BigInt(numberAt),
  } satisfies { readonly [K in keyof (typeof TaskAnswer)["fields"]]: unknown });
  io.quiet.set(phase.is("Idle"));
});

export const exchange: Task = {
  declared: {
    ...{ name: "exchange", memory: true, spaceBytes: 256 << placeShift, growth: 0, leavesOut: 0 },
    reads: headerBytesFrom(portAt, 1) | headerBytesFrom(numberAt, 2),
    writes: headerBytesFrom(numberAt, 2),
    ...{ latency: 6, interval: 6, holds: 1, state: "shared" },
  },
  hardware: asMemoryTask(ExchangeTask()),
};
export const exchangeModel = (): TaskModel => {
  const kept = new Map<number, readonly number[]>();
  return {
    answer: ({ header }) => {
      const place = header[portAt] ?? 0,
        before = kept.get(place) ?? [0, 0];
      kept.set(place, [...header.slice(numberAt, numberAt + 2)]);
      return { verdict: "forward", writes: new Map(writesAt(numberAt, before)) };
    },
  };
};
