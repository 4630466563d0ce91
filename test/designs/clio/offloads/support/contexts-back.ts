/** At the end of an offload's bench: each of its contexts can wait for memory, all at once, and each of them ends. */
import { expect } from "vitest";
import type { OffloadHost, OffloadHostOptions } from "../../../../../designs/clio/rig/index.ts";
import { bernoulli, never, type Pause, type Random } from "../../../../../sim/index.ts";
import { allBack } from "../../../../support/all-back.ts";

type Pausing = NonNullable<OffloadHostOptions["pause"]>;

/** Memory of a host that takes accesses and answers none of them while `on`. */
export class Standstill {
  on = false;

  /** Options of a host in place of those that it had. */
  options(
    b: { readonly random: Random },
    { pause = 0, hold }: Partial<OffloadHostOptions>,
  ): Pick<OffloadHostOptions, "hold" | "pause"> {
    const pauses: Pausing = s => {
      const was: Pause =
        typeof pause === "function" ? pause(s) : pause === 0 ? never : bernoulli(pause, b.random.fork(s).word());
      return s === "memoryReply" || s === "memoryReplyData" ? () => this.on || was() : was;
    };
    return { pause: pauses, hold: hold ?? pause !== 0 };
  }
}

/**
 * As many requests as there are contexts, and more, each of which has to read memory, which answers nobody: one access
 * is made for each context. Then memory answers, and all of them end.
 * @param ask asks for something of which the first access is made without waiting for others
 */
export async function contextsBack(
  b: Parameters<typeof allBack>[0],
  host: OffloadHost,
  still: Standstill,
  contexts: number,
  ask: () => void,
): Promise<void> {
  await host.drained();
  const { length } = host.trace,
    had = (): number => host.trace.length - length;
  still.on = true;
  for (let i = 0; i < contexts + 3; i++) ask();
  await allBack(b, { what: "contexts", count: contexts, had, patience: 1000 });
  still.on = false;
  await host.drained();
  expect(had(), "accesses of those that came behind").toBeGreaterThanOrEqual(contexts + 3);
}
