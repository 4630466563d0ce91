import { clockPeriod, makeSettings } from "../../config/index.ts";
import { clientEndpoint, FrameClient } from "../../workload/index.ts";
import { withNode } from "../../rig/index.ts";
import { CheckFailed } from "../../../shared/command-line/index.ts";
import { sharedProcess, withClients } from "./clients.ts";
import { type Answer, Probe } from "./probe.ts";

/** Whether the TLB has the page, the page table only, or the page has no frame yet. */
export const pageStates = ["TLB hit", "TLB miss", "page fault"] as const;
export type PageState = (typeof pageStates)[number];
export type Access = "read" | "write";
export interface AccessSample {
  readonly access: Access;
  readonly state: PageState;
  readonly bytes: number;
  readonly answer: Answer;
}

const mean = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0) / all.length;
/** Mean latency at the node's ports, ns. */
export function boardNs(samples: readonly AccessSample[], access: Access, state: PageState, bytes: number): number {
  return mean(
    samples
      .filter(s => s.access === access && s.state === state && s.bytes === bytes)
      .map(s => s.answer.latency * clockPeriod),
  );
}

/**
 * Reads and writes of each size at the node's ports, one at a time, each on pages of its own in the three states.
 * @param watch called with each answer while its signals' history is at hand
 */
export async function measureAtBoard({
  seed,
  sizes,
  rounds,
  watch,
}: {
  readonly seed: number;
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly watch?: (node: Parameters<Parameters<typeof withNode>[3]>[0]) => (s: AccessSample) => void;
}): Promise<readonly AccessSample[]> {
  const settings = makeSettings(),
    { pageSize } = settings.config,
    page = BigInt(pageSize);
  return withNode("access latency", settings, { seed, wave: false, limitCycles: 1e8 }, async node => {
    const { memory } = node.slowPath,
      client = new FrameClient(clientEndpoint(0), settings.runtime),
      probe = new Probe(node),
      out: AccessSample[] = [];
    const seen = watch?.(node),
      count = BigInt(2 * rounds * sizes.length),
      ready = 16n * page,
      fresh = ready + count * page;
    memory.createProcess(1);
    for (const [address, populate] of [
      [ready, true],
      [fresh, false],
    ] as const) {
      const given = await memory.allocate({
        pid: 1,
        address,
        length: count * page,
        vregion: 0n,
        write: true,
        populate,
      });
      if (!given.ok || given.value !== address) throw new CheckFailed("the pages of a figure cannot be allocated");
    }
    await node.settled();
    await probe.greet(client);
    let next = 0n;
    for (let r = 0; r < rounds; r++)
      for (const bytes of sizes)
        for (const access of ["read", "write"] as const) {
          const i = next++;
          for (const [state, at] of [
            ["TLB miss", ready],
            ["TLB hit", ready],
            ["page fault", fresh],
          ] as const) {
            const va = at + i * page;
            const answer = await probe.ask(
              access === "read" ? client.read(1, va, bytes) : client.write(1, va, new Uint8Array(bytes).fill(r + 1)),
            );
            const sample = { access, state, bytes, answer };
            seen?.(sample);
            out.push(sample);
          }
        }
    return out;
  });
}

/** The same from end to end: CLib's synchronous calls of one thread. ns by access, state and size. */
export async function measureEndToEnd({
  seed,
  sizes,
  rounds,
  states,
}: {
  readonly seed: number;
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly states: readonly PageState[];
}): Promise<(access: Access, state: PageState, bytes: number) => number> {
  const found = new Map<string, number[]>(),
    key = (access: Access, state: PageState, bytes: number): string => `${access} ${state} ${bytes}`;
  await withClients("end to end", { seed, clients: 1 }, async rig => {
    const pages = 2 * rounds * sizes.length,
      ready = await sharedProcess(rig, { threads: 1, pages: pages + 1, populate: true }),
      [thread] = ready.threads;
    if (thread === undefined) return;
    // Makes the client known, which goes along with its first write.
    await thread.rwrite(ready.page(pages), new Uint8Array(1));
    const fresh = states.includes("page fault")
      ? await thread.ralloc(BigInt(pages) * BigInt(rig.node.config.pageSize))
      : 0n;
    let next = 0;
    for (let r = 0; r < rounds; r++)
      for (const bytes of sizes)
        for (const access of ["read", "write"] as const) {
          const i = next++,
            data = new Uint8Array(bytes).fill(r + 1);
          // A miss goes before the hit on the same page, whether it is wanted or not.
          for (const [state, va] of [
            ["TLB miss", ready.page(i)],
            ["TLB hit", ready.page(i)],
            ["page fault", fresh + BigInt(i * rig.node.config.pageSize)],
          ] as const) {
            if (state === "page fault" && !states.includes(state)) continue;
            const ns = await rig.timed(() => (access === "read" ? thread.rread(va, bytes) : thread.rwrite(va, data)));
            found.set(key(access, state, bytes), [...(found.get(key(access, state, bytes)) ?? []), ns]);
          }
        }
  });
  return (access, state, bytes) => mean(found.get(key(access, state, bytes)) ?? [Number.NaN]);
}
