/**
 * Language, simulator, harness and node without Node: bundled for a browser, without a stand-in for any module of Node,
 * and run in a context that has a browser's globals only.
 */
import { createContext, runInContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { bundled } from "../../../cli/playground/bundle.ts";
import { buildOf, defaultDesign } from "../../../cli/design-named.ts";
import { emit, Fifo, uint } from "../../../hdl-dsl/index.ts";

const program = `
import { emit, Fifo, input, module, output, reg, uint } from "./hdl-dsl/index.ts";
import { Cancelled, runBench } from "./sim/index.ts";
import { withNode } from "./designs/clio/rig/index.ts";
import { clioNode } from "./designs/clio/build/index.ts";
import { parseSettings } from "./designs/clio/config/index.ts";

const texts = def => JSON.stringify(emit(def).files.map(f => [f.name, f.text]));
const Sum = module("Sum", () => ({ x: input(uint(8)), sum: output(uint(8)) }), io => {
  const sum = reg(uint(8), { init: 0 });
  sum.set(sum.add(io.x));
  io.sum.set(sum);
});
globalThis.exported = {
  fifo: () => texts(Fifo({ shape: uint(8), depth: 16, style: "distributed" })),
  node: () => texts(clioNode(parseSettings([]).config)),
  /** Tasks wait for their own edges, are cancelled alone, and the rest goes on. */
  tasks: () => runBench("tasks", Sum(), {}, async b => {
    const seen = [];
    b.io.x.value = 3;
    const count = async (name, every) => {
      try {
        for (;;) {
          await b.cycles(every);
          await Promise.resolve();
          seen.push(name + b.cycle);
        }
      } catch (e) {
        if (!(e instanceof Cancelled)) throw e;
        seen.push(name + " cancelled");
      }
    };
    const start = b.cycle,
      two = b.spawn(() => count("two", 2)),
      five = b.spawn(() => count("five", 5));
    await b.cycles(5);
    two.cancel();
    await b.cycles(6);
    return JSON.stringify([start, seen, b.io.sum.value, b.cycle]);
  }),
  counters: () => withNode("node", parseSettings([]), {}, async node => {
    node.send(new Uint8Array(64).fill(255));
    await node.settled();
    const c = await node.counters();
    return JSON.stringify([Number(c.rxFrames), Number(c.dropEtherType), node.bench.cycle]);
  }),
};
`;

interface Exported {
  readonly fifo: () => string;
  readonly node: () => string;
  readonly tasks: () => Promise<string>;
  readonly counters: () => Promise<string>;
}
const texts = (def: Parameters<typeof emit>[0]): string => JSON.stringify(emit(def).files.map(f => [f.name, f.text]));

describe("in a browser", () => {
  let exported: Exported;
  beforeAll(async () => {
    const { script, map } = await bundled(program);
    const { console, crypto, MessageChannel, performance, queueMicrotask, setTimeout, TextDecoder, TextEncoder } =
      globalThis;
    const context = createContext({
      ...{ console, crypto, MessageChannel, performance, queueMicrotask, setTimeout, TextDecoder, TextEncoder },
      mnemosyneMaps: { "program.js": map },
    });
    runInContext(script, context, { filename: "http://a.page/program.js" });
    exported = runInContext("exported", context) as Exported;
  });

  it("gives the same Verilog, names and lines of the library included", () => {
    expect(exported.fifo()).toBe(texts(Fifo({ shape: uint(8), depth: 16, style: "distributed" })));
  });
  it("gives the same Verilog of the whole node", async () => {
    expect(exported.node()).toBe(texts(await buildOf(defaultDesign, "generate")([])));
  });
  it("tells the tasks of a bench apart", async () => {
    const [start, seen, sum] = JSON.parse(await exported.tasks()) as [number, readonly string[], number];
    expect(seen).toEqual([
      `two${start + 2}`,
      `two${start + 4}`,
      `five${start + 5}`,
      "two cancelled",
      `five${start + 10}`,
    ]);
    expect(sum).toBeGreaterThan(0);
  });
  it("runs the whole node with its surroundings", async () => {
    expect(JSON.parse(await exported.counters())).toEqual([1, 0, expect.any(Number)]);
  });
  it("planted fault: an import of a module of Node is refused", async () => {
    await expect(bundled('import { readFileSync } from "node:fs"; readFileSync("x");')).rejects.toThrow(/node:fs/);
  });
});
