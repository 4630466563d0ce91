/** The task of docs/supernic/tasks.md: takes 1 from the time to live, and drops what has none left. */
import { passOn, type TaskModel, writesAt } from "../../../../../../designs/supernic/model/index.ts";
import {
  noFront,
  type Task,
  TaskAnswer,
  taskPorts,
  TaskVerdict,
} from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { type Declared, headerBytesFrom } from "../../../../../../designs/supernic/wire/index.ts";
import { connect, map, module, mux, stage } from "../../../../../../hdl-dsl/index.ts";

// example
const ttlAt = 22;
const declared: Declared = {
  name: "ttl",
  reads: headerBytesFrom(ttlAt, 1),
  writes: headerBytesFrom(ttlAt, 1),
  growth: 0,
  leavesOut: 0,
  latency: 1,
  interval: 1,
  holds: 2,
  state: "none",
};
const Ttl = module("TtlTask", taskPorts, io => {
  const inside = stage(io.packet, "forward", { name: "inside" });
  const answers = map(inside, TaskAnswer, ({ tag, header }) => {
    const ttl = header.bits(8 * ttlAt, 8);
    return {
      tag,
      verdict: mux(ttl.le(1), TaskVerdict.drop, TaskVerdict.forward),
      header: ttl
        .sub(1)
        .zext(512)
        .shl(8 * ttlAt),
      mask: 1n << BigInt(ttlAt),
      ...noFront,
    };
  });
  connect(answers, io.answer);
  io.quiet.set(inside.valid.not());
});
export const ttl: Task = { declared, hardware: Ttl() };
export const ttlModel = (): TaskModel => ({
  answer: ({ header }) => {
    const left = header[ttlAt] ?? 0;
    return left <= 1 ? { verdict: "drop" } : { ...passOn, writes: new Map(writesAt(ttlAt, [left - 1])) };
  },
});
// end
