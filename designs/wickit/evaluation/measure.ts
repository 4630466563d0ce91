import { ModelMemory } from "../../clio/model/index.ts";
import { runBench } from "../../../sim/index.ts";
import { type EngineParameters, usualEngine } from "../config/index.ts";
import { StretchMemory, type WicCall } from "../model/index.ts";
import { nodeParameters, NodeWic, SnicWic } from "../places/index.ts";
import { bytesOfWords, ClientHost, EngineHost, NodeHost, SnicHost } from "../rig/index.ts";
import { ClientWic, WicEngine } from "../rtl/index.ts";
import { exampleImage, ring } from "./programs.ts";

const base = 0x10_0000n,
  nodes = 64,
  pid = 7,
  loader = 1,
  snicSlots = 64,
  beatBytes = 64;
/** Nanoseconds of a cycle: 250 MHz, as the memory node. */
export const nsPerCycle = 4;
const options = { wave: false, limitCycles: Number.POSITIVE_INFINITY } as const;

/** A run of an engine alone: cycles in all, and of each request from its coming to its reply's header. */
export interface EngineRun {
  readonly cycles: number;
  readonly each: readonly number[];
}

/**
 * Requests, all at once, for an engine whose memory answers after `latency` cycles: the place is nothing but that
 * number.
 */
export function engineRun(
  program: "list" | "log",
  engine: Partial<EngineParameters>,
  latency: number,
  calls: readonly WicCall[],
  seed: number,
): Promise<EngineRun> {
  const image = exampleImage(program),
    parameters = { ...usualEngine, ...engine, image };
  return runBench(`wickit ${program}`, WicEngine(parameters), { ...options, seed }, async b => {
    const memory = new StretchMemory(base, 8192);
    if (program === "list") ring(base, nodes).forEach((w, i) => memory.setWord(base + BigInt(8 * i), w));
    const machine = { image, base, mostSteps: parameters.mostSteps, replyWords: parameters.replyWords },
      host = new EngineHost(b, { parameters, machine, memory: a => memory.access(a), latency }),
      from = b.cycle,
      all = calls.map(c => host.ask(c));
    await host.drained();
    const last = Math.max(...all.map(c => c.end ?? 0));
    return { cycles: last - from, each: all.map(c => (c.replied ?? 0) - (c.taken ?? 0)) };
  });
}

/** Walks over `hops` nodes of a list, one after the other, at a place; cycles of each. */
export function walks(
  place: "node" | "snic" | "client",
  hops: readonly number[],
  latency: number,
  seed: number,
): Promise<number[]> {
  const image = exampleImage("list"),
    engine = usualEngine,
    memory = new ModelMemory();
  memory.map(pid, base, 8192);
  memory.store(pid, base, bytesOfWords(ring(base, nodes)));
  const walk = async (host: NodeHost | SnicHost | ClientHost): Promise<number[]> => {
    const out: number[] = [];
    await host.load(image);
    // The client greets the node before its first access.
    await host.call({ program: 0, words: [1n] });
    for (const n of hops) {
      const { taken, replied } = await host.call({ program: 0, words: [BigInt(n)] });
      out.push(replied - taken);
    }
    return out;
  };
  if (place === "client") {
    const parameters = { engine, beatBytes };
    return runBench("wickit at the client", ClientWic(parameters), { ...options, seed }, b =>
      walk(new ClientHost(b, { parameters, base, pid, memory, latency, timeout: 4 * latency + 1000 })),
    );
  }
  if (place === "snic")
    return runBench("wickit at the SmartNIC", SnicWic({ engine, slots: snicSlots }), { ...options, seed }, b =>
      walk(new SnicHost(b, { base, pid, memory, latency, timeout: 4 * latency + 1000, clientTimeout: 1_000_000 })),
    );
  const parameters = nodeParameters({ engine, beatBytes }, { base, loader });
  return runBench("wickit at the node", NodeWic(parameters), { ...options, seed }, b =>
    walk(new NodeHost(b, { parameters, memory, latency, process: pid, loader })),
  );
}
