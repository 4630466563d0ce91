/** The core beside its memory and beside the model: every instruction that takes effect is compared as it does. */
import { type Bench, bernoulli, never, StreamSink, StreamSource } from "mnemosyne/sim";
import { expect } from "vitest";
import type { Rv32i } from "../src/rv32i.ts";
import { type Cause, Model, type Step } from "./model.ts";

export type CoreBench = Bench<ReturnType<typeof Rv32i>["ports"]>;
export interface Surroundings {
  /** Cycles from a request to its answer. Default 1. */
  readonly latency?: number;
  /** Share of cycles in which memory takes no request, and in which it gives no answer. */
  readonly pause?: number;
}
export interface Outcome {
  readonly cause: Cause;
  readonly steps: readonly Step[];
  /** From the first request to the stop. */
  readonly cycles: number;
  /** As the core's own writes have left them. */
  readonly registers: readonly number[];
}

/** Answers the core's requests for ever; addresses behind the end of `bytes` with an error. */
function serve(b: CoreBench, bytes: Uint8Array, around: Surroundings): { readonly underWay: () => number } {
  const { latency = 1, pause = 0 } = around;
  const paused = (seed: number) => (pause === 0 ? never : bernoulli(pause, b.seed + seed));
  const requests = new StreamSink(b.sim, b.io.request, { pause: paused(1) }),
    answers = new StreamSource(b.sim, b.io.answer, { pause: paused(2) });
  let open = 0;
  b.spawn(async () => {
    for (;;) {
      const { address, write, data, strobe } = await requests.recv();
      open++;
      if (latency > 1) await b.cycles(latency - 1);
      const error = address + 4 > bytes.length;
      for (let i = 0; i < 4 && !error; i++)
        if (write === 1 && ((strobe >> i) & 1) === 1) bytes[address + i] = (data >>> (8 * i)) & 0xff;
      const word = bytes.slice(address, address + 4).reduce((v, x, i) => v + x * 2 ** (8 * i), 0);
      // What a write is answered with means nothing, and neither does what comes with an error.
      answers.send({ data: write === 1 || error ? b.random.below(2 ** 32) : word, error: error ? 1 : 0 });
      open--;
    }
  });
  return { underWay: () => open + answers.pending };
}

/** Runs a program until the core stops, and checks each step, the end, and what is left in memory. */
export async function play(
  b: CoreBench,
  program: Uint8Array,
  room: number,
  around: Surroundings = {},
): Promise<Outcome> {
  const bytes = new Uint8Array(room);
  bytes.set(program);
  const model = new Model(bytes.slice()),
    memory = serve(b, bytes, around),
    steps: Step[] = [],
    registers = new Array<number>(32).fill(0);
  let first = -1;
  for (;;) {
    await b.risingEdge();
    const { retired, cause, request } = b.io;
    if (first < 0 && request.valid.value === 1 && request.ready.value === 1) first = b.cycle;
    if (retired.valid.value === 1) {
      const seen = { pc: retired.pc.value, rd: retired.rd.value, value: retired.value.value },
        step = model.step();
      expect(step, `the core goes on at ${seen.pc}, the model has stopped: ${model.cause}`).toBeDefined();
      if (step === undefined) break;
      expect([seen.pc, seen.rd], `after ${steps.length} instructions, ${step.name}`).toEqual([step.pc, step.rd]);
      if (step.rd !== 0) expect(seen.value, `${step.name} at ${step.pc}`).toBe(step.value);
      if (seen.rd !== 0) registers[seen.rd] = seen.value;
      steps.push(step);
    }
    if (cause.value === "none") continue;
    expect(model.step(), `the core has stopped (${cause.value}), the model goes on`).toBeUndefined();
    const cycles = b.cycle - first;
    await b.cycles(20);
    expect(cause.value, "the cause").toBe(model.cause);
    expect(Buffer.from(bytes).equals(Buffer.from(model.memory)), "memory is as the model has left it").toBe(true);
    expect(memory.underWay(), "requests without an answer").toBe(0);
    return { cause: model.cause, steps, cycles, registers };
  }
  throw new Error("unreachable");
}
