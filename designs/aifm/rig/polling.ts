/** Idle cycles of a machine's cores under each stage of polling, with the node's latencies. */
import { Cores, type CoreUse, type Stage } from "../client/index.ts";
import type { Settings } from "../config/index.ts";
import { withMachine } from "./machine.ts";

export interface PollingOptions {
  readonly seed: number;
  readonly settings: Settings;
  readonly threads: number;
  /** Accesses of each thread. */
  readonly accesses: number;
  readonly objectBytes: number;
}
export interface Polled {
  readonly stage: Stage;
  readonly threads: number;
  readonly use: CoreUse;
  /** Accesses to the node by all threads. */
  readonly accesses: number;
  /** Cycles of the application's cores that were spent on polling, for an access. */
  readonly idleCycles: number;
  /** Accesses a microsecond. */
  readonly rate: number;
  /** ns that passed. */
  readonly passed: number;
}

/** Threads that work, then read an object at the node, and so on. */
export function measurePolling(stage: Stage, o: PollingOptions): Promise<Polled> {
  const { seed, settings: s, threads, objectBytes } = o,
    accesses = threads * o.accesses;
  return withMachine(`polling by ${stage}`, { seed, gbps: s.gbps, bytes: accesses * objectBytes }, async m => {
    // Once around, so that the node has each translation.
    for (let at = 0; at < accesses * objectBytes; at += 1 << 20) await m.far.read(at, objectBytes);
    const cores = new Cores(m.time, stage, s.cores, s),
      from = m.time.now();
    const thread = async (t: number): Promise<void> => {
      await cores.enter();
      for (let i = 0; i < o.accesses; i++) {
        await cores.work(s.workNs);
        await cores.remote(() => m.far.read((t * o.accesses + i) * objectBytes, objectBytes));
      }
      cores.leave();
    };
    await Promise.all(Array.from({ length: threads }, (_, t) => thread(t)));
    const passed = m.time.now() - from,
      use = cores.use();
    return {
      stage,
      threads,
      use,
      accesses,
      idleCycles: ((use.polling / accesses) * s.coreMhz) / 1000,
      rate: (accesses * 1000) / passed,
      passed,
    };
  });
}
