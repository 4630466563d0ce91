/** The engine as a task of the SmartNIC, alone: clients at one port, a node at another, packets between them. */
import { expect } from "vitest";
import { ModelMemory } from "../../../../designs/clio/model/index.ts";
import { type EngineParameters, usualEngine } from "../../../../designs/wickit/config/index.ts";
import { runWic } from "../../../../designs/wickit/model/index.ts";
import { SnicWic } from "../../../../designs/wickit/places/index.ts";
import { bytesOfWords, clioMemory, SnicHost } from "../../../../designs/wickit/rig/index.ts";
import { bench } from "../../../bench.ts";
import { example, listWords, nodes, requestsFor } from "../support/programs.ts";

const base = 0x10_0000n,
  pid = 7;
const parameters = (slots: number, engine: Partial<EngineParameters> = {}) => ({
  slots,
  engine: { ...usualEngine, mostSteps: 5000, ...engine },
});
const ready = (): ModelMemory => {
  const m = new ModelMemory();
  m.map(pid, base, 4096);
  return m;
};
const p = parameters(64);
bench("answers as the interpreter does", SnicWic(p), { seed: 1, limitCycles: 3_000_000 }, async b => {
  const memory = ready(),
    twin = ready(),
    host = new SnicHost(b, { base, pid, memory, latency: 60, timeout: 600 });
  for (const name of ["list", "log", "kv"] as const) {
    const image = example(name).instructions;
    for (const m of [memory, twin]) {
      m.store(pid, base, new Uint8Array(1024));
      if (name === "list") m.store(pid, base, bytesOfWords(listWords(base, nodes)));
    }
    await host.load(image);
    for (const call of requestsFor(name, b.random, 8)) {
      const { status: code, words } = runWic({ ...p.engine, image, base }, call, clioMemory(twin, pid));
      expect(await host.call(call)).toMatchObject({ status: code, words });
    }
    expect(memory.load(pid, base, 4096)).toEqual(twin.load(pid, base, 4096));
  }
  await host.drained();
});
