/** Pieces on this machine: as many workers as slots, each of which runs piece after piece. */
import type { Piece } from "../pieces.ts";
import { type Result, writeResult } from "../result.ts";
import type { Engine, Job } from "./engine.ts";
import { type Ending, WorkerProcess } from "./worker-process.ts";

/** Pieces of one worker: what a piece leaves in memory does not add up for ever. */
const mostRuns = 200;

/** A slot's worker: the same one again, or a new one where there is none. */
class Slot {
  #worker: WorkerProcess | undefined;

  get(): WorkerProcess {
    if (this.#worker !== undefined && this.#worker.runs >= mostRuns) this.drop();
    return (this.#worker ??= new WorkerProcess());
  }
  drop(): void {
    this.#worker?.kill();
    this.#worker = undefined;
  }
}

const sentences = {
  limit: (seconds: number): string => `it took longer than ${seconds} s`,
  died: (why: string): string => `its process ended: ${why}`,
} as const;

/** Runs a piece until it comes to its end, or was begun as often as it may be. */
async function finish(job: Job, slot: Slot, piece: Piece): Promise<Result | undefined> {
  const { plan, say } = job,
    { seconds, retries } = plan.spec.limits;
  for (let attempts = 1; ; attempts++) {
    const worker = slot.get(),
      from = performance.now(),
      ending = await worker.run(piece, seconds);
    if (job.signal.aborted) return undefined;
    const common = { id: plan.id, index: piece.index, attempts };
    if (ending.how === "answered") {
      const { problems, figures, seconds: took } = ending.answer,
        passed = problems.length === 0;
      return {
        ...common,
        verdict: passed ? "passed" : "failed",
        seconds: took,
        problems: [...problems],
        figures: { ...figures },
        printed: passed ? "" : worker.printed,
      };
    }
    slot.drop();
    const why = reason(ending, seconds);
    if (attempts <= retries) {
      say(`piece ${piece.index} (${piece.title}): ${why}; it is begun again`);
      continue;
    }
    return {
      ...common,
      verdict: ending.how === "limit" ? "limit" : "crashed",
      seconds: (performance.now() - from) / 1000,
      problems: [why],
      figures: {},
      printed: worker.printed,
    };
  }
}
const reason = (e: Exclude<Ending, { how: "answered" }>, seconds: number): string =>
  e.how === "limit" ? sentences.limit(seconds) : sentences.died(e.why);

/** @param slots pieces at a time */
export const localEngine = (slots: number): Engine => ({
  name: "local",
  run: async job => {
    const waiting = [...job.pending],
      all = Array.from({ length: Math.max(1, Math.min(slots, waiting.length)) }, () => new Slot()),
      stop = new AbortController(),
      dropAll = (): void => all.forEach(s => s.drop());
    const own: Job = { ...job, signal: AbortSignal.any([job.signal, stop.signal]) };
    own.signal.addEventListener("abort", dropAll);
    const work = async (slot: Slot): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !own.signal.aborted; next = waiting.shift()) {
        const result = await finish(own, slot, job.plan.pieces[next] as Piece);
        if (result === undefined) return;
        writeResult(job.folder, result);
        job.onResult(result);
      }
    };
    try {
      // The first that cannot write ends the others: a full disk is full for all.
      await Promise.all(
        all.map(s =>
          work(s).catch((e: unknown) => {
            stop.abort();
            throw e;
          }),
        ),
      );
      job.signal.throwIfAborted();
    } finally {
      dropAll();
    }
  },
});
