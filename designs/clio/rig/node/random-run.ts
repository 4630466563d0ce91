import { type CounterName, type Settings, settingsBehindTransport } from "../../config/index.ts";
import { Scoreboard } from "../../model/index.ts";
import { Mixture, type MixtureOptions } from "../../workload/index.ts";
import { type BenchOptions, type SentFrame, SimulationError } from "../../../../sim/index.ts";
import { type NodeOptions, type SimulatedNode, withNode } from "./simulated-node.ts";

export interface RandomRunOptions extends Omit<NodeOptions, "slowPath"> {
  readonly requests: number;
  readonly mixture: MixtureOptions;
  /** Requests that wait for a reply at most; 1 for one after another. */
  readonly window?: number;
  readonly bench?: BenchOptions;
  /** Frames instead of the mixture's own, after its set-up. */
  readonly next?: (mixture: Mixture, node: SimulatedNode) => { readonly frame: Uint8Array; readonly damaged?: boolean };
}
export interface RandomRunResult {
  readonly completed: number;
  readonly checkedBytes: number;
  readonly cycles: number;
  readonly problems: readonly string[];
  readonly counters: Readonly<Record<CounterName, bigint>>;
  /** The model's own count of what does not depend on timing or memory. */
  readonly expected: Readonly<Record<CounterName, number>>;
}

/**
 * Random requests end to end, many in flight, every reply judged by the scoreboard (clio.md "The end-to-end check").
 * Stops at the first problem: later ones are noise.
 */
export function randomRun(name: string, settings: Settings, o: RandomRunOptions): Promise<RandomRunResult> {
  const inside = settingsBehindTransport(settings),
    scoreboard = new Scoreboard(inside.config, inside.runtime);
  const mixture = new Mixture(inside, o.mixture);
  const { requests, window = 256, bench, next, ...node } = o;
  return withNode(
    name,
    settings,
    {
      limitCycles: 100_000_000,
      frames: "plain",
      seed: o.mixture.seed,
      ...bench,
      ...node,
      slowPath: { observer: scoreboard },
    },
    async n => {
      const { bench: b } = n;
      const entering: { readonly bytes: Uint8Array; readonly damaged: boolean; readonly sent: SentFrame }[] = [];
      b.onEdge({
        sample: () => {
          for (let f = n.take(); f !== undefined; f = n.take()) scoreboard.reply(f.bytes, f.end);
          for (let e = entering[0]; e?.sent.end !== undefined; e = entering[0]) {
            entering.shift();
            scoreboard.issue(e.bytes, e.sent.end, e.damaged);
          }
        },
      });
      const send = (bytes: Uint8Array, damaged = false): void => {
        entering.push({ bytes, damaged, sent: n.send(bytes, { damaged }) });
      };
      const quiet = (): boolean => entering.length === 0 && scoreboard.outstanding === 0;
      for (const frame of mixture.setup()) {
        send(frame);
        await b.until(quiet);
      }
      // Pointers that were laid down are known from here on.
      scoreboard.quiesce(b.cycle);
      const from = b.cycle;
      for (let i = 0; i < requests && scoreboard.problems.length === 0; i++) {
        const { frame, damaged } =
          next === undefined ? { frame: mixture.next(), damaged: false } : { damaged: false, ...next(mixture, n) };
        send(frame, damaged);
        // Writes without a reply are known to be done only when the node is idle. Without this the histories of their
        // bytes would grow for ever.
        if (i % 2000 === 1999) {
          await b.until(quiet);
          await n.settled();
          scoreboard.quiesce(b.cycle);
        }
        if (scoreboard.outstanding + entering.length >= window)
          await b.until(
            () => scoreboard.outstanding + entering.length < (window * 3) / 4 || scoreboard.problems.length > 0,
          );
      }
      if (scoreboard.problems.length === 0)
        await b.withTimeout(b.until(quiet), { cycles: 100_000 }, "the last replies").catch((e: unknown) => {
          scoreboard.problems.push(e instanceof Error ? e.message : String(e));
        });
      const cycles = b.cycle - from;
      if (scoreboard.problems.length === 0) await n.settled();
      scoreboard.quiesce(b.cycle);
      const problems = [...scoreboard.finish()];
      const counters = await n.counters();
      if (problems.length > 0 && bench?.wave !== false) throw new SimulationError(problems.slice(0, 5).join("\n"));
      return {
        completed: scoreboard.completed,
        checkedBytes: scoreboard.checkedBytes,
        cycles,
        problems,
        counters,
        expected: scoreboard.counters,
      };
    },
  );
}
