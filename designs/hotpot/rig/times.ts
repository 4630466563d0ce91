/** Cycles that the engine takes for each message, clock by clock. */
import { runBench } from "../../../sim/index.ts";
import type { Settings } from "../config/index.ts";
import { CommitEngine, parametersOf } from "../node/index.ts";
import { type Kind, marks, type Message } from "../wire/index.ts";
import { CommitHost } from "./commit-host.ts";
import { clusterPid, homeAt } from "./cluster.ts";
import { FallibleMemory } from "./fallible-memory.ts";

/** Cycles from a message's taking to its answer, in a commit of these settings. */
export interface Times {
  /** By area: the last one has the commit's record written, too. */
  readonly prepare: readonly number[];
  /** The last area of a merged commit: with all that COMMIT does. */
  readonly merged: number;
  readonly commit: number;
  readonly update: number;
  readonly forget: number;
  readonly grant: number;
}
/** Cycles that memory takes to answer: a node's fast path and its DRAM. */
export const memoryCycles = 60;

export function measureTimes(s: Settings, seed: number): Promise<Times> {
  const p = parametersOf(s);
  return runBench("hotpot messages", CommitEngine(p), { wave: false, seed }, async b => {
    const memory = new FallibleMemory(p.base, [[clusterPid, homeAt, 4096 * s.areas]]),
      h = new CommitHost(b, { parameters: p, memory, latency: memoryCycles });
    const say = async (m: Message): Promise<number> => {
      const directs = m.kind === "recover" || m.kind === "open" || m.kind === "grant",
        a = await h.send(m, directs ? s.director : clusterPid);
      if (a.verdict !== "done") throw new Error(`${m.kind} is answered ${a.verdict}`);
      return a.cycles;
    };
    const named = (kind: Kind, seq: number): Message => ({ kind, lane: 1, seq });
    const prepares = async (seq: number, mark: number): Promise<number[]> => {
      const cycles: number[] = [];
      for (let part = 0; part < s.areas; part++) {
        const area = { va: homeAt + 4096n * BigInt(part), data: b.random.bytes(64 * s.lines) };
        cycles.push(await say({ ...named("prepare", seq), part, parts: s.areas, marks: mark, ...area }));
      }
      return cycles;
    };
    await say({ kind: "recover", seq: 1 });
    await say({ kind: "open", seq: 1 });
    const grant = await say({ kind: "grant", lane: 1, grantee: clusterPid });
    const prepare = await prepares(1, 0),
      commit = await say(named("commit", 1)),
      forget = await say(named("forget", 1)),
      merged = (await prepares(2, marks.merged)).at(-1) ?? 0;
    await say(named("forget", 2));
    const update = await say({ ...named("update", 3), va: homeAt, data: b.random.bytes(64 * s.lines) });
    await h.host.drained();
    return { prepare, merged, commit, update, forget, grant };
  });
}
