/** Commits of several clients at once by the task of a SmartNIC, clock by clock, with the engine's own times. */
import { type Dut, runBench } from "../../../sim/index.ts";
import { CommitTask } from "../task/index.ts";
import { marks, type Message, taskAreas } from "../wire/index.ts";
import { homeAt } from "./cluster.ts";
import { type Commits, type Scenario, wayCycles } from "./scenario.ts";
import type { Submitted } from "./task-clients.ts";
import { TaskHost, type TaskPorts } from "./task-host.ts";

const contexts = 16,
  /** The SmartNIC stands half-way between its clients and the nodes. */
  half = wayCycles / 2,
  /** Resends and rounds of waiting, in units of 64 cycles: no node is so slow. */
  timers = { timeout: 200, backoff: 8, life: 150 };

/** Areas at each owner, as many as a message of a commit names in all. */
export const areasOfTask = ({ owners, areas }: Scenario["settings"]): number =>
  Math.max(1, Math.min(areas, Math.floor(taskAreas / owners)));

/**
 * What `measureCommits` measures, with `areasOfTask` at each owner. A single owner is asked in one phase.
 * @param task the task, or one with a fault
 */
export function measureTaskCommits(
  { settings: s, times: t, lanes, conflict, seed }: Scenario,
  task: Dut<TaskPorts> = CommitTask({ contexts }),
): Promise<Commits> {
  const areas = areasOfTask(s),
    nodes = Math.max(s.owners, s.copies);
  const work = ({ kind, part = 0, parts = 1, marks: mark = 0 }: Message): number => {
    if (kind === "prepare")
      return (mark & marks.merged) !== 0 && part === parts - 1 ? t.merged : (t.prepare[part] ?? t.merged);
    return kind === "commit" ? t.commit : kind === "update" ? t.update : t.forget;
  };
  const options = { seed, wave: false as const, limitCycles: Number.POSITIVE_INFINITY };
  return runBench("commits by the task", task, options, async b => {
    const homeBytes = 4096 * areas * s.owners * lanes,
      host = new TaskHost(b, { contexts, nodes, clients: lanes, homeBytes, delay: [half, half], work, config: timers });
    host.strict = false;
    await host.configure();
    const all: Submitted[] = Array.from({ length: lanes }, (_, lane) =>
      host.submit(
        lane,
        Array.from({ length: areas * s.owners }, (_a, i) => {
          const owner = Math.floor(i / areas);
          return {
            owner,
            replicas: Array.from({ length: s.copies - 1 }, (_c, c) => (owner + c + 1) % nodes),
            va: homeAt + 4096n * BigInt((conflict ? 0 : lane * areas * s.owners) + i),
            data: b.random.bytes(64 * s.lines),
          };
        }),
      ),
    );
    await host.finished();
    const mean = all.reduce((n, c) => n + ((c.ended ?? 0) - c.begun), 0) / all.length;
    await host.drained();
    const sent = Object.values(host.sent).reduce((a, n) => a + n, 0);
    return {
      ...{ cycles: mean + 2 * half, messages: sent / lanes, tries: Number.NaN },
      bytes: { client: host.bytes.clients / lanes, nodes: host.bytes.nodes / lanes },
    };
  });
}
