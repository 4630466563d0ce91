/** Racks of the examples, run with their own numbers of operations, or with more. */
import { readFileSync } from "node:fs";
import {
  type Finished,
  type RackOptions,
  type RunningRack,
  withRack,
} from "../../../../designs/rack/rig/fabric/index.ts";
import { clientGroups, problemsOf, work, type Workload } from "../../../../designs/rack/rig/program/index.ts";
import { type Rack, readRack } from "../../../../designs/rack/setup/index.ts";

/** An example with so many operations for each kind of clients. */
export function example(name: string, wanted: Readonly<Record<"clib" | "kv", number>>): Rack {
  const rack = readRack(readFileSync(`examples/${name}.json`, "utf8"), name),
    kinds = rack.endpoints.map(e => e.program.kind);
  return {
    ...rack,
    endpoints: rack.endpoints.map(e => {
      if (!("node" in e.program)) return e;
      const { kind } = e.program,
        operations = Math.ceil(wanted[kind] / kinds.filter(k => k === kind).length);
      return { ...e, program: { ...e.program, operations } };
    }),
  };
}

export interface Ran {
  readonly workloads: readonly Workload[];
  readonly finished: Finished;
  readonly problems: readonly string[];
  readonly lost: number;
  /** Repetitions that nodes answered without doing them again. */
  readonly repetitions: number;
}
/** Runs all clients of a rack to their ends. @param before plants a fault into the wiring */
export const ran = (
  rack: Rack,
  o: Partial<RackOptions> = {},
  before: (rack: RunningRack) => void = () => undefined,
): Promise<Ran> =>
  withRack(rack, { seed: 1, ...o }, async running => {
    before(running);
    const groups = clientGroups(running, 1),
      workloads = await Promise.all(groups.map((g, i) => work(running, g, { seed: 1 + i }))),
      finished = await running.finish();
    return {
      workloads,
      finished,
      problems: [...workloads.flatMap(problemsOf), ...finished.problems],
      lost: running.lines.flatMap(l => l.ways).reduce((n, w) => n + w.statistics.lost, 0),
      repetitions: [...finished.nodes.values()].reduce((n, c) => n + Number(c.retriesAnswered), 0),
    };
  });
