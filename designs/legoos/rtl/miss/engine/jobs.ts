/** New jobs, and those that waited for software. */
import { when } from "../../../../../hdl-dsl/index.ts";
import type { Parts } from "./parts.ts";

export function takeJobs({ io, p, jobs, table: t }: Parts): void {
  io.job.ready.set(1);
  jobs.write(io.job.fire, io.job.payload.miss, io.job.payload);
  t.at(
    io.job.payload.miss,
    m => {
      t.entries.at(m).set({ active: 1, todo: 1, held: 0, due: 0, told: 0 });
      t.details.at(m).set({ status: 0, writable: 1, tries: 0, time: 0 });
      for (const w of [t.fetch, t.primary, t.secondary]) w.at(m).set({ need: 0, node: 0, id: 0, repeats: 0, first: 0 });
    },
    io.job.fire,
  );
  when(io.regionWrite.valid, () => {
    for (let m = 0; m < p.misses; m++) t.entries.at(m).held.set(0);
  });
}
