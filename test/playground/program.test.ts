/** A user's program as the page runs it, in a context that has a browser's globals only. */
import { createContext, runInContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { bundled } from "../../cli/playground/bundle.ts";
import { manualExamples } from "../../cli/playground/examples.ts";
import { root } from "../../scripts/setup/paths.mjs";

interface Summary {
  readonly problems: readonly { readonly file: string; readonly line: number; readonly message: string }[];
  readonly verilog: string;
  /** Lines of the user's file by line of Verilog. */
  readonly lines: readonly (readonly [number, readonly number[]])[];
  readonly drawing: string;
  readonly benches: readonly { readonly name: string; readonly failure?: string; readonly lanes?: object }[];
}
const program = `
import { load } from "./playground/program.ts";
globalThis.run = async (texts, main, show) => {
  const o = await load({ texts: new Map(Object.entries(JSON.parse(texts))), main, show });
  const benches = await o.runBenches();
  return JSON.stringify({
    problems: o.problems,
    verilog: o.verilog.map(f => f.text).join(""),
    lines: [...(o.verilog[0]?.lines ?? [])].map(([line, from]) => [line, from.map(p => p.line)]),
    drawing: o.drawing,
    benches: benches.map(b => ({ name: b.name, failure: b.failure, lanes: b.lanes?.(0, 6) })),
  });
};`;
let run: (texts: string, main: string, show: string) => Promise<string>;
const { texts, examples } = manualExamples(root);
const load = async (changed: Readonly<Record<string, string>>, main: string, show = ""): Promise<Summary> =>
  JSON.parse(await run(JSON.stringify({ ...texts, ...changed }), main, show)) as Summary;

beforeAll(async () => {
  const { script, map } = await bundled(program);
  const { console, crypto, MessageChannel, performance, queueMicrotask, setTimeout, TextDecoder, TextEncoder } =
    globalThis;
  const context = createContext({
    ...{ console, crypto, MessageChannel, performance, queueMicrotask, setTimeout, TextDecoder, TextEncoder },
    // The layout engine asks for these before it decides that it is no worker.
    document: {},
    mnemosyneMaps: { "program.js": map },
  });
  Object.assign(context, { self: context, window: context });
  runInContext(script, context, { filename: "http://a.page/program.js" });
  run = runInContext("run", context) as typeof run;
});

/** Whether scripts here may have `using` declarations. */
const hasUsing = ((): boolean => {
  try {
    runInContext("{ using x = null; }", createContext());
    return true;
  } catch {
    return false;
  }
})();
const counter = texts["counter.ts"] ?? "";
const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split("\n").length;

describe("a program of the page", () => {
  it("has its Verilog with the names of the source, and lines that lead to it", async () => {
    const s = await load({}, "counter.ts", "Counter({ width: 8 })");
    expect(s.problems).toEqual([]);
    expect(s.verilog).toContain("reg [7:0] value; // counter.ts:7");
    const declared = lineOf(s.verilog, "reg [7:0] value;"),
      from = s.lines.find(([line]) => line === declared)?.[1];
    expect(from).toEqual([lineOf(counter, "const value = reg")]);
    expect(s.drawing).toMatch(/^<svg [\s\S]*>count<\/text>/);
  });
  it.each([
    ["no TypeScript", "const value = reg(", "const value = = reg(", /Unexpected token/],
    ["a width that does not fit", "value.add(1)", "value.zext(p.width + 1)", /HDL101/],
    ["an exception", "when(io.clear", "nothing(); when(io.clear", /nothing is not defined/],
  ])("says %s at its line", async (_name, from, to, message) => {
    const s = await load({ "counter.ts": counter.replace(from, to) }, "counter.ts", "Counter({ width: 8 })");
    expect(s.problems[0]).toMatchObject({ file: "counter.ts", line: lineOf(counter, from) });
    expect(s.problems[0]?.message).toMatch(message);
  });
  it("runs the manual's bench, with its wave", async () => {
    const s = await load({}, "counter.test.ts");
    expect(s.benches.map(b => [b.name, b.failure])).toEqual([["counts while enabled, and wraps", undefined]]);
    expect(s.benches[0]?.lanes).toMatchObject({
      signal: expect.arrayContaining([expect.objectContaining({ name: "en" })]) as unknown,
    });
  });
  it("planted fault: a bench finds it, and the page says so", async () => {
    const s = await load({ "counter.ts": counter.replace("value.add(1)", "value.add(2)") }, "counter.test.ts");
    expect(s.benches[0]?.failure).toMatch(/expected 88 to be 44/);
  });
  it("opens every module of the manual that needs neither files nor a board", async () => {
    // Scripts are for Node; `using` is not known to Node 20, as it is to browsers of today.
    const open = examples.filter(
      e => !e.file.endsWith(".script.ts") && (hasUsing || !/^\s*using /m.test(texts[e.file] ?? "")),
    );
    const failed: string[] = [];
    for (const e of open) {
      const s = await load({}, e.file, e.show);
      failed.push(...s.problems.map(p => `${e.file}:${p.line}: ${p.message}`));
      failed.push(
        ...s.benches.filter(b => b.failure !== undefined).map(b => `${e.file}: ${b.name}: ${b.failure ?? ""}`),
      );
    }
    expect(failed).toEqual([]);
  });
});
