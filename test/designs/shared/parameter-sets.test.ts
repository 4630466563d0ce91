/**
 * Every block of designs/shared has a bench of its own, in the same place under test/, with a table of two or more
 * parameter sets and a planted fault. The table is called `parameterSets`, in the bench or in the rig beside it.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import ts from "typescript";

const root = new URL("../../../", import.meta.url).pathname;
/** Files that are no block: one thing with no parameters, or data that others are made of. */
const noBlocks: readonly RegExp[] = [
  /\/index\.ts$/,
  // Formats of others, shared records, and sizes.
  /^wire\/(?:arp|ethernet|icmp|ipv4|udp|header-offsets)\.ts$/,
  /^frame\/(?:beats|slots)\.ts$/,
  /^go-back-n\/(?:rtl\/types|wire\/\w+)\.ts$/,
  // How the kernel names a device: one rule, without parameters.
  /^settings\/device-name\.ts$/,
  // Time as the benches of the others play it.
  /^control\/software\/clock\.ts$/,
  // Loads of benches: numbers that are drawn, held to their distributions.
  /^workload\//,
  // Proofs, and what surrounds a design: not blocks that a design is made of.
  /^(?:proofs|evaluation|rig|command-line|errors)\//,
];
/** Blocks whose bench is another file's, with which they make one thing. */
const together: Readonly<Record<string, string>> = {
  "counters/rtl/gathered.ts": "counters/rtl/counters.ts",
  "frame/claimed-queue.ts": "frame/frame-buffer.ts",
  "settings/read.ts": "settings/fields.ts",
  "settings/units.ts": "settings/fields.ts",
  "frame/header-strip.ts": "frame/header-insert.ts",
  "virtual-memory/table/entry.ts": "virtual-memory/rtl/entry.ts",
  "virtual-memory/table/geometry.ts": "virtual-memory/table/table.ts",
  "virtual-memory/table/mixing.ts": "virtual-memory/table/table.ts",
  "virtual-memory/table/polynomial.ts": "virtual-memory/table/table.ts",
  "go-back-n/software/receiver.ts": "go-back-n/rtl/receiver.ts",
  "go-back-n/software/sequence.ts": "go-back-n/software/session.ts",
  "go-back-n/software/sender.ts": "go-back-n/software/session.ts",
  // The layouts are the parameters of all of these, and the codec's bench goes through them.
  "wire/layout.ts": "wire/codec.ts",
  "wire/hardware.ts": "wire/codec.ts",
  "wire/addresses.ts": "wire/codec.ts",
  "wire/validation.ts": "wire/codec.ts",
  "wire/dissect.ts": "wire/frames.ts",
  "wire/echo.ts": "wire/frames.ts",
  "wire/checksum.ts": "wire/frames.ts",
  "wire/reference.ts": "wire/dissector.ts",
};

/** The benches of Go-Back-N at the memory node and in the sNIC: each has its own sizes, and planted faults. */
const goBackN = [
  "clio/rtl/transport/gbn-shims",
  "clio/rtl/transport/gbn-tx",
  "supernic/rtl/tasks/go-back-n/go-back-n-faults",
];
/** Stages of two designs, which the benches of both go through with the sizes of both. */
const inDesigns: Readonly<Record<string, readonly string[]>> = {
  "frame/own-ipv4.ts": goBackN,
  "go-back-n/rtl/answer-frame.ts": goBackN,
  "go-back-n/rtl/sending.ts": goBackN,
  "go-back-n/rtl/shift.ts": goBackN,
  "go-back-n/rtl/tags.ts": goBackN,
};

const blocks = (readdirSync(join(root, "designs/shared"), { recursive: true }) as string[])
  .map(f => f.replaceAll("\\", "/"))
  .filter(f => f.endsWith(".ts") && !noBlocks.some(r => r.test(f)))
  .sort();

/** Entries of the table `parameterSets` of a source; undefined when it has none. */
function entries(text: string): readonly string[] | undefined {
  let found: readonly string[] | undefined;
  const value = (e: ts.Expression): ts.Expression => (ts.isAsExpression(e) ? value(e.expression) : e);
  const visit = (n: ts.Node): void => {
    if (ts.isVariableDeclaration(n) && n.name.getText() === "parameterSets" && n.initializer !== undefined) {
      const table = value(n.initializer);
      if (ts.isArrayLiteralExpression(table)) found = table.elements.map(e => e.getText());
      if (ts.isObjectLiteralExpression(table)) found = table.properties.map(e => e.getText());
    }
    ts.forEachChild(n, visit);
  };
  visit(ts.createSourceFile("bench.ts", text, ts.ScriptTarget.Latest, true));
  return found;
}
/** What is missing of the bench of a block. */
function missing(bench: string | undefined, beside: readonly string[] = []): string[] {
  if (bench === undefined) return ["a bench"];
  const sets = new Set([bench, ...beside].flatMap(text => entries(text) ?? []));
  return [
    ...(sets.size < 2 ? ["a second set of parameters"] : []),
    ...(/\bparameterSets\b/.test(bench) || beside.some(t => /\bparameterSets\b/.test(t)) ? [] : ["parameterSets"]),
    ...(/planted/.test(bench) ? [] : ["a planted fault"]),
  ];
}
/** The block that a file is a part of: `x/` beside `x.ts` has the stages of `x`. */
const whole = (block: string): string => (blocks.includes(`${dirname(block)}.ts`) ? `${dirname(block)}.ts` : block);
const read = (file: string): string => readFileSync(file, "utf8");

it.each(Object.entries(inDesigns))("%s is benched by two designs with planted faults", (block, benches) => {
  expect(blocks).toContain(block);
  expect(new Set(benches.map(b => b.split("/")[0])).size).toBeGreaterThan(1);
  for (const b of benches) expect(read(join(root, "test/designs", `${b}.test.ts`)), b).toMatch(/plant/);
});
it.each(blocks.filter(b => !Object.hasOwn(inDesigns, b)))(
  "%s is benched with two parameter sets and a planted fault",
  block => {
    const file = join(root, "test/designs/shared", (together[block] ?? whole(block)).replace(/\.ts$/, ".test.ts")),
      support = join(dirname(file), "support"),
      used = existsSync(file) ? read(file) : undefined,
      beside = existsSync(support)
        ? readdirSync(support).flatMap(n => (used?.includes(`./support/${n}`) ? [read(join(support, n))] : []))
        : [];
    expect(missing(used, beside)).toEqual([]);
  },
);
it("the lists name files that are there", () => {
  for (const block of Object.keys(together)) expect(blocks).toContain(block);
});
it("a bench with one set, with one set twice, or without a planted fault is found", () => {
  expect(missing(undefined)).toEqual(["a bench"]);
  expect(missing("const parameterSets = [{ a: 1 }]; // planted")).toEqual(["a second set of parameters"]);
  expect(missing("const parameterSets = [{ a: 1 }, { a: 1 }]; // planted")).toEqual(["a second set of parameters"]);
  expect(missing("const parameterSets = [{ a: 1 }, { a: 2 }];")).toEqual(["a planted fault"]);
  expect(missing("const parameterSets = { 1: { a: 1 }, 2: { a: 2 } } as const; // planted")).toEqual([]);
});
