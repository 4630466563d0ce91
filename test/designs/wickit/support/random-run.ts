import { type Bench, type Pause } from "../../../../sim/index.ts";
import { type EngineParameters, usualEngine } from "../../../../designs/wickit/config/index.ts";
import {
  type Access,
  type AccessAnswer,
  StretchMemory,
  type WicMachine,
} from "../../../../designs/wickit/model/index.ts";
import { EngineHost, type EngineHostOptions, type EnginePorts } from "../../../../designs/wickit/rig/index.ts";
import { countedPrograms, randomImage } from "./random-program.ts";

export const areaWords = 64,
  base = 0x7f00_0000_1000n;
/** Sizes at which rare cases come often. */
export const small: EngineParameters = { ...usualEngine, contexts: 4, maxInFlight: 3, mostSteps: 120 };

export async function loadImage(b: Bench<EnginePorts>, image: readonly number[]): Promise<void> {
  for (const [address, instruction] of image.entries()) {
    b.io.load.payload.address.value = address;
    b.io.load.payload.instruction.value = instruction;
    b.io.load.valid.value = 1;
    await b.cycles(1);
  }
  // The last place has an instruction: whoever gets there by a wrong address goes on.
  b.io.load.payload.address.value = usualEngine.programDepth - 1;
  b.io.load.payload.instruction.value = 0x50;
  await b.cycles(1);
  b.io.load.valid.value = 0;
}
export const machineOf = (p: EngineParameters, image: readonly number[]): WicMachine => ({
  image,
  base,
  mostSteps: p.mostSteps,
  replyWords: p.replyWords,
});

export interface RandomRun {
  readonly count: number;
  readonly options?: Partial<EngineHostOptions>;
  readonly pause?: number | ((s: string) => Pause);
  /** Probability that memory refuses an access. */
  readonly failing?: number;
  readonly resetAfter?: number;
}

/** Random programs, many requests at once, against the interpreter: all accesses, registers and replies. */
export async function randomRun(b: Bench<EnginePorts>, p: EngineParameters, o: RandomRun) {
  const r = b.random.fork("programs"),
    memory = new StretchMemory(base, 8 * areaWords, base + 16n),
    image = randomImage(r, 12, areaWords);
  memory.bytes.set(r.bytes(8 * areaWords));
  await loadImage(b, image);
  const statuses = new Map<number, number>();
  const answer = (a: Access): AccessAnswer =>
    r.chance(o.failing ?? 0) ? { status: r.between(1, 12), words: [] } : memory.access(a);
  const host = new EngineHost(b, {
    parameters: p,
    machine: machineOf(p, image),
    memory: answer,
    ...o.options,
    ...(o.pause !== undefined && { pause: o.pause }),
  });
  // A jump to the program, two instructions a round and the reply: just what is allowed, and one more.
  const rounds = (p.mostSteps - 2) / 2;
  const ask = (n: number) =>
    Array.from({ length: n }, (_, i) =>
      host.ask(
        i % 40 < 2
          ? { program: countedPrograms[i % 2] ?? 0, words: [BigInt(rounds)] }
          : {
              program: r.chance(0.95) ? r.between(0, 12) : r.pick([13, r.between(16, 0xffff)]),
              words: Array.from({ length: r.between(0, 8) }, () => r.pick([r.bits(64), BigInt(r.between(0, 3)), base])),
            },
      ),
    );
  if (o.resetAfter !== undefined) {
    ask(o.count);
    await b.cycles(o.resetAfter);
    host.reset();
  }
  const calls = ask(o.count);
  await host.drained();
  for (const c of calls) statuses.set(c.outcome?.status ?? -1, (statuses.get(c.outcome?.status ?? -1) ?? 0) + 1);
  if (statuses.has(-1)) throw new Error("a request has no outcome");
  return { host, calls, statuses };
}
