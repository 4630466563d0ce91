/** A task with payload that does what software tells it: gives beats back as they came, or one wrong thing. */
import {
  asItWas,
  asTask,
  PayloadBeat,
  type Task,
  TaskAnswer,
  TaskVerdict,
  writingTaskPorts,
} from "../../../../../../designs/supernic/rtl/index.ts";
import { bit, enumOf, map, module, mux, reg, stage, stream, when } from "../../../../../../hdl-dsl/index.ts";

export const payloadMisdeeds = [
  "none",
  "takesNone",
  "givesNone",
  "few",
  "many",
  "endless",
  "stray",
  "answersNone",
  "slow",
] as const;
export type PayloadMisdeed = (typeof payloadMisdeeds)[number];
const MisdeedCode = enumOf("PayloadMisdeed", [...payloadMisdeeds]);

const BadPayloadTask = module("BadPayloadTask", writingTaskPorts, io => {
  const mode = reg(MisdeedCode, { init: "none", name: "mode" }),
    stray = reg(bit, { init: 0, name: "stray" });
  for (const [code, name] of payloadMisdeeds.entries())
    when(io.config.valid.and(io.config.data.trunc(4).eq(code)), () => mode.set(MisdeedCode[name]));
  const answers = stage(io.packet, "forward", { name: "inside" });
  const answer = map(answers, TaskAnswer, ({ tag }) => ({ tag, verdict: TaskVerdict.forward, ...asItWas }));
  io.answer.valid.set(answer.valid.andNot(mode.is("answersNone")));
  io.answer.payload.set(answer.payload);
  answer.ready.set(io.answer.ready.andNot(mode.is("answersNone")));

  const taken = stream(PayloadBeat, { name: "taken" }),
    never = mode.is("takesNone"),
    // One beat in eight cycles.
    turn = reg(bit, { init: 0, name: "turn" });
  turn.set(turn.not());
  taken.valid.set(io.payload.valid.andNot(never));
  taken.payload.set(io.payload.payload);
  io.payload.ready.set(taken.ready.andNot(never));
  const beats = stage(taken, "forward", { name: "beats" }),
    behindFirst = reg(bit, { init: 0, name: "behind_first" }),
    again = reg(bit, { init: 0, name: "again" });
  const { data, last } = beats.payload;
  // `few`: the first beat is the last, and the others are swallowed. `many`: the last one comes twice.
  const swallows = mode.is("givesNone").or(mode.is("few").and(behindFirst)),
    repeats = mode.is("many").and(last).andNot(again),
    // Once more, when software says so.
    offers = beats.valid.andNot(swallows).andNot(mode.is("slow").and(turn));
  io.back.valid.set(offers.or(stray));
  io.back.payload.set({
    data,
    last: mux(
      stray.andNot(offers),
      last.or(last.not()),
      mux(mode.is("few"), last.or(last.not()), last.andNot(repeats)),
    ).andNot(mode.is("endless")),
  });
  beats.ready.set(swallows.or(io.back.ready.andNot(repeats).andNot(mode.is("slow").and(turn))));
  when(beats.fire, () => behindFirst.set(last.not()));
  when(io.back.fire.and(offers), () => again.set(repeats));
  when(io.config.valid.and(io.config.data.trunc(4).eq(payloadMisdeeds.indexOf("stray"))), () => stray.set(1)).elseWhen(
    io.back.fire.andNot(offers),
    () => stray.set(0),
  );
  io.quiet.set(answers.valid.or(beats.valid).not());
});

/** It declares that it writes payload. */
export const badPayloadTask: Task = {
  declared: {
    name: "bad_payload",
    payload: "write",
    reads: 0n,
    writes: 0n,
    growth: 0,
    leavesOut: 0,
    latency: 1,
    interval: 1,
    holds: 4,
    state: "none",
  },
  hardware: asTask(BadPayloadTask()),
};
