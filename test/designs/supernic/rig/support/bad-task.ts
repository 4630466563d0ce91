/** A task that does what software tells it: right things, or one wrong thing after the other. */
import { asItWas, type Task, TaskPacket, taskPorts, TaskVerdict } from "../../../../../designs/supernic/rtl/index.ts";
import { headerBytesFrom } from "../../../../../designs/supernic/wire/index.ts";
import { bit, constant, enumOf, module, mux, reg, stage, stream, when } from "../../../../../hdl-dsl/index.ts";

export const misdeeds = ["none", "takesNone", "answersNone", "twice", "grows", "outside", "stranger"] as const;
export type Misdeed = (typeof misdeeds)[number];
const MisdeedCode = enumOf("Misdeed", [...misdeeds]);

const BadTask = module("BadTask", taskPorts, io => {
  const mode = reg(MisdeedCode, { init: "none", name: "mode" });
  for (const [code, name] of misdeeds.entries())
    when(io.config.valid.and(io.config.data.trunc(4).eq(code)), () => mode.set(MisdeedCode[name]));
  const never = mode.is("takesNone"),
    taken = stream(TaskPacket, { name: "taken" });
  taken.valid.set(io.packet.valid.andNot(never));
  taken.payload.set(io.packet.payload);
  io.packet.ready.set(taken.ready.andNot(never));
  const inside = stage(taken, "forward", { name: "inside" }),
    again = reg(bit, { init: 0, name: "again" });
  // A second answer with the same tag, when the first has been taken.
  const repeats = mode.is("twice").andNot(again);
  io.answer.valid.set(inside.valid.andNot(mode.is("answersNone")));
  inside.ready.set(io.answer.ready.andNot(repeats).andNot(mode.is("answersNone")));
  when(io.answer.fire, () => again.set(repeats));
  const { tag, header } = inside.payload;
  io.answer.payload.set({
    ...asItWas,
    tag: mux(mode.is("stranger"), tag.add(9), tag),
    verdict: TaskVerdict.forward,
    // Every byte of the header turned round, of which the last one only is declared.
    header: header.not(),
    mask: mux(mode.is("outside"), constant((1n << 63n) - 1n, 64), constant(0, 64)),
    prepend: mode.is("grows").zext(8),
    frontBytes: mux(mode.is("grows"), constant(50, 7), constant(0, 7)),
  });
  io.quiet.set(inside.valid.not());
});

/** It declares that it writes one byte and never grows. */
export const badTask: Task = {
  declared: {
    name: "bad",
    reads: headerBytesFrom(0, 64),
    writes: headerBytesFrom(63, 1),
    growth: 0,
    leavesOut: 0,
    latency: 1,
    interval: 1,
    holds: 4,
    state: "none",
  },
  hardware: BadTask(),
};
