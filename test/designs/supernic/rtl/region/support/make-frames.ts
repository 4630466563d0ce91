/** Frames that a task makes, at a block that lets whole ones out and nothing else. */
import { makeEndPortsOf } from "../../../../../../designs/supernic/rtl/region/make-end.ts";
import { MadeBeat, madeBeats } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import {
  type Bit,
  bit,
  input,
  module,
  output,
  stream,
  type StreamIn,
  type StreamOut,
} from "../../../../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, StreamSink, StreamSource } from "../../../../../../sim/index.ts";

const endPorts = () => ({
  off: input(bit),
  /** The task is in reset: what it would give is forgotten. */
  gone: input(bit),
  /** It gives beats that mean nothing. */
  noise: input(bit),
  held: output(bit),
  empty: output(bit),
  ...makeEndPortsOf({
    ...{ name: "maker", makes: true, reads: 0n, writes: 0n, growth: 0, leavesOut: 0 },
    ...{ latency: 1, interval: 1, holds: 1, state: "none" },
  }),
});
type End = (
  io: { readonly taskMake: StreamIn<typeof MadeBeat>; readonly make: StreamOut<typeof MadeBeat> },
  off: Bit,
) => { readonly held: Bit; readonly empty: Bit };

/** A task's end of frames that it makes, with a task in front that goes and makes noise. */
export const frameMaker = (name: string, end: End) =>
  module(name, endPorts, io => {
    const task = stream(MadeBeat, { name: "task" });
    task.valid.set(io.taskMake.valid.andNot(io.gone).or(io.noise));
    task.payload.set(io.taskMake.payload);
    io.taskMake.ready.set(task.ready.or(io.gone));
    const { held, empty } = end({ taskMake: task, make: io.make }, io.off);
    io.held.set(held);
    io.empty.set(empty);
  })();
export type MakerPorts = ReturnType<typeof frameMaker>["ports"];
type B = Bench<MakerPorts>;

/** Random frames, and a task that is switched off in the middle. @returns frames that left, were bad, long, cut */
export async function frames(b: B, count: number) {
  const { io, random } = b,
    from = new StreamSource(b.sim, io.taskMake, { pause: bernoulli(0.2, 3) }),
    // The way out stands still now and then until there is no room for a beat.
    still = { on: false },
    pauses = bernoulli(0.4, 4),
    to = new StreamSink(b.sim, io.make, { pause: () => still.on || pauses() }),
    due: bigint[][] = [],
    seen = { left: 0, bad: 0, long: 0, cut: 0, held: 0, full: 0 };
  let coming: bigint[] = [];
  for (const bit of [io.off, io.gone, io.noise]) bit.value = 0;
  b.onEdge({
    sample: () => {
      seen.held += io.held.num;
      if (io.empty.num === 1 && io.make.valid.num === 1) throw new Error("a frame is there when all has left");
      for (let s = to.take(); s; s = to.take()) {
        coming.push(s.value.data);
        if (s.value.last === 0) continue;
        const is = due.shift();
        if (is?.join() !== coming.join())
          throw new Error(`a frame of ${coming.length} beats is not that of ${is?.length ?? 0}`);
        coming = [];
        seen.left++;
      }
    },
  });
  for (let i = 0; i < count; i++) {
    const beats = random.chance(0.1) ? random.between(madeBeats, madeBeats + 3) : random.between(1, 9),
      bad = random.chance(0.15),
      data = Array.from({ length: beats }, (_, k) => BigInt(i * 100 + k)),
      cut = random.chance(0.1) ? random.between(0, beats - 1) : beats;
    const sent = data
      .slice(0, cut)
      .map((d, k) =>
        from.send({ data: d, count: 64, last: k === beats - 1 ? 1 : 0, bad: bad && k === beats - 1 ? 1 : 0, port: 1 }),
      );
    if (cut === beats && !bad && beats <= madeBeats) due.push(data);
    if (cut < beats) seen.cut++;
    else if (bad) seen.bad++;
    else if (beats > madeBeats) seen.long++;
    await b.until(() => sent.every(s => s.cycle !== undefined));
    if (cut === beats) {
      // A frame that finds no room for its end, and a task that is off for a cycle just then.
      if (!random.chance(0.2)) continue;
      await b.until(() => due.length === 0);
      still.on = true;
      for (let k = 0; k < madeBeats / 8; k++) {
        // There is room for the first beat of one more.
        const whole = Array.from({ length: k === 0 ? 7 : 8 }, (_, at) => BigInt(i * 100 + 50 + k * 8 + at));
        due.push(whole);
        whole.forEach((d, at) =>
          from.send({ data: d, count: 64, last: at === whole.length - 1 ? 1 : 0, bad: 0, port: 1 }),
        );
      }
      for (let k = 0; k < 8; k++) from.send({ data: 1n, count: 64, last: 0, bad: 0, port: 1 });
      await b.cycles(90);
      seen.full += io.held.num;
    }
    io.off.value = 1;
    io.gone.value = 1;
    io.noise.value = random.chance(0.5) ? 1 : 0;
    await b.cycles(cut === beats ? 1 : random.between(60, 80));
    io.off.value = 0;
    io.noise.value = 0;
    still.on = false;
    await b.until(() => from.pending === 0);
    io.gone.value = 0;
  }
  await b.until(() => due.length === 0);
  await b.cycles(100);
  if (coming.length > 0) throw new Error("a frame has no end");
  if (io.empty.num !== 1) throw new Error("all has left, and it is not empty");
  return seen;
}
