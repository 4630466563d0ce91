/** Small tasks for chains: one that rewrites bytes, one that drops and grows, one that leaves bytes out. */
import { passOn, type TaskModel, writesAt } from "../../../../../../designs/supernic/model/index.ts";
import {
  asItWas,
  noFront,
  type Task,
  TaskAnswer,
  type TaskPorts,
  taskPorts,
  TaskVerdict,
} from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { type Declared, headerBytesFrom } from "../../../../../../designs/supernic/wire/index.ts";
import { bit, connect, map, module, mux, reg, stage, uint, when } from "../../../../../../hdl-dsl/index.ts";

export interface Tried extends Task {
  readonly model: () => TaskModel;
}
const plain: Declared = {
  name: "plain",
  reads: 0n,
  writes: 0n,
  growth: 0,
  leavesOut: 0,
  latency: 1,
  interval: 1,
  holds: 2,
  state: "none",
};

/** Adds what is configured at 5 to byte `at`, and to the byte behind it, which it did not declare. Fresh: 1. */
const Adder = module("AdderTask", taskPorts as (p: { readonly at: number }) => TaskPorts, (io, { at }) => {
  const inside = stage(io.packet, "forward", { name: "inside" });
  const amount = reg(uint(8), { init: 1, name: "amount" });
  when(io.config.valid.and(io.config.at.eq(5)), () => amount.set(io.config.data.trunc(8)));
  const byte = (i: number) =>
    inside.payload.header
      .bits(8 * i, 8)
      .add(amount)
      .zext(512)
      .shl(8 * i);
  connect(
    map(inside, TaskAnswer, ({ tag }) => ({
      ...asItWas,
      tag,
      verdict: TaskVerdict.forward,
      header: byte(at).or(byte(at + 1)),
      mask: 3n << BigInt(at),
    })),
    io.answer,
  );
  io.quiet.set(inside.valid.not());
});
export const adder = (at: number): Tried => ({
  declared: { ...plain, name: `adder_${at}`, reads: headerBytesFrom(at, 1), writes: headerBytesFrom(at, 1) },
  hardware: Adder({ at }),
  model: () => {
    let amount = 1;
    return {
      answer: p => ({ verdict: "forward", writes: new Map(writesAt(at, [(p.header[at] ?? 0) + amount, 1])) }),
      configure: (where, data) => void (amount = where === 5 ? Number(data & 255n) : amount),
    };
  },
});

/** Drops packets whose byte 0 ends in 000, replies to those in 111, and prepends to those of an odd user. */
const Chooser = module("ChooserTask", taskPorts, io => {
  const inside = stage(io.packet, "forward", { name: "inside" });
  connect(
    map(inside, TaskAnswer, p => {
      const low = p.header.bits(0, 3),
        odd = p.user.bit(0);
      return {
        ...noFront,
        tag: p.tag,
        verdict: mux(low.eq(0), TaskVerdict.drop, mux(low.eq(7), TaskVerdict.reply, TaskVerdict.forward)),
        header: 0,
        mask: 0,
        prepend: odd.zext(8),
        frontBytes: mux(odd, p.header.bits(8, 5).zext(7).add(1), odd.zext(7)),
      };
    }),
    io.answer,
  );
  io.quiet.set(inside.valid.not());
});
export const chooser: Tried = {
  declared: { ...plain, name: "chooser", reads: headerBytesFrom(0, 2), growth: 30 },
  hardware: Chooser(),
  model: () => ({
    answer: p => {
      const [low = 0, next = 0] = p.header;
      if ((low & 7) === 0) return { verdict: "drop" };
      const verdict = (low & 7) === 7 ? "reply" : "forward";
      return p.user & 1 ? { verdict, prepend: 1, frontBytes: (next & 31) + 1 } : { verdict };
    },
  }),
};
/** Leaves out up to 15 bytes in front, of packets whose byte 2 says so, and puts none there. */
const Cutter = module("CutterTask", taskPorts, io => {
  const inside = stage(io.packet, "forward", { name: "inside" });
  connect(
    map(inside, TaskAnswer, p => ({
      ...asItWas,
      tag: p.tag,
      verdict: TaskVerdict.forward,
      dropFront: p.header.bits(16, 4).zext(7),
    })),
    io.answer,
  );
  io.quiet.set(inside.valid.not());
});
export const cutter: Tried = {
  declared: { ...plain, name: "cutter", reads: headerBytesFrom(2, 1), leavesOut: 15 },
  hardware: Cutter(),
  model: () => ({ answer: p => ({ verdict: "forward", dropFront: (p.header[2] ?? 0) & 15 }) }),
};
/** A task of the library, whose model passes everything on. */
export const passing = (task: Task): Tried => ({ ...task, model: () => ({ answer: () => passOn }) });
/** Takes all and answers none, unless its configuration asks for it, which nobody does. */
const Hole = module("HoleTask", taskPorts, io => {
  const answers = reg(bit, { init: 0, name: "answers" });
  when(io.config.valid.and(io.packet.valid).and(io.answer.ready), () => answers.set(1));
  io.packet.ready.set(1);
  io.answer.valid.set(answers);
  io.answer.payload.set({ ...asItWas, tag: io.packet.payload.tag, verdict: TaskVerdict.drop });
  io.quiet.set(answers.not());
});
export const hole: Tried = {
  declared: { ...plain, name: "hole", holds: 8 },
  hardware: Hole(),
  model: () => ({ answer: () => ({ verdict: "drop" }) }),
};
