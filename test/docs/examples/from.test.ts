/** The pages for those who come from other languages: our side of each runs here, and the pages show it as it is. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { withExcerpts } from "../../../cli/generate/excerpts.ts";
import { Job } from "../../../docs/examples/from/job.ts";
import { LampRegisters } from "../../../docs/examples/from/lamp-registers.ts";
import { Queue } from "../../../docs/examples/from/queue.ts";
import { emit } from "../../../hdl-dsl/index.ts";
import { benchWith, bernoulli, LiteMaster, StreamSink, StreamSource } from "../../../sim/index.ts";

const root = new URL("../../../", import.meta.url),
  read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const pages = readdirSync(new URL("docs/", root)).filter(f => /^from-.*\.md$/.test(f)),
  examples = readdirSync(new URL("docs/examples/from/", root)).map(f => `docs/examples/from/${f}`);
const bench = benchWith(test);

describe.each(pages)("%s", page => {
  const text = read(`docs/${page}`);
  test("shows each of our files, word for word", () => {
    for (const file of examples) expect(text).toContain(`<!-- file: ${file} -->`);
    expect(withExcerpts(text, read)).toBe(text);
  });
});
test("there is a page for each of four", () => {
  expect(pages).toEqual(["from-amaranth.md", "from-chisel.md", "from-hardcaml.md", "from-systemverilog.md"]);
});
test("the examples pass without a warning", () => {
  for (const def of [Queue({ width: 8, depth: 4 }), Job(), LampRegisters])
    expect(emit(def, { strict: true }).warnings).toEqual([]);
});

bench("the queue keeps order and loses nothing, whatever the pauses", Queue({ width: 8, depth: 5 }), {}, async b => {
  const from = new StreamSource(b.sim, b.io.from, { pause: bernoulli(0.3, 1) }),
    to = new StreamSink(b.sim, b.io.to, { pause: bernoulli(0.4, 2) });
  for (let i = 0; i < 200; i++) from.send((7 * i) % 256);
  for (let i = 0; i < 200; i++) expect(await to.recv()).toBe((7 * i) % 256);
});
bench("a full queue holds what its depth says, and its latency is 1", Queue({ width: 8, depth: 5 }), {}, async b => {
  b.io.from.valid.value = 1;
  await b.risingEdge();
  expect(b.io.to.valid.value).toBe(0);
  await b.risingEdge();
  expect(b.io.to.valid.value).toBe(1);
  // Two words are in, of eight that are offered.
  let taken = 2;
  for (let i = 0; i < 6; i++) {
    await b.risingEdge();
    taken += b.io.from.ready.value;
  }
  expect(taken).toBe(5);
});
bench("a job runs as long as it was told, and waits to be taken", Job(), {}, async b => {
  for (const cycles of [1, 2, 9, 255]) {
    b.io.cycles.value = cycles;
    b.io.start.value = 1;
    await b.risingEdge();
    b.io.start.value = 0;
    let ran = 0;
    await b.risingEdge();
    while (b.io.busy.value === 1) {
      ran++;
      await b.risingEdge();
    }
    expect([ran, b.io.done.value]).toEqual([cycles, 1]);
    b.io.start.value = 1;
    await b.cycles(3);
    expect([b.io.busy.value, b.io.done.value]).toEqual([0, 1]);
    b.io.start.value = 0;
    b.io.taken.value = 1;
    await b.cycles(2);
    expect(b.io.done.value).toBe(0);
    b.io.taken.value = 0;
  }
});
bench("registers are read and written, an event is kept until it is cleared", LampRegisters, {}, async b => {
  const bus = new LiteMaster(b.sim, b.io);
  expect([await bus.read(0), await bus.read(4), await bus.read(8)]).toEqual([0x4c414d50, 1000, 0]);
  await bus.write(4, 0x1234);
  expect([await bus.read(4), b.io.period.value]).toEqual([0x1234, 0x1234]);
  b.io.pressed.value = 1;
  await b.risingEdge();
  b.io.pressed.value = 0;
  expect(await bus.read(8)).toBe(1);
  await bus.write(8, 1);
  expect(await bus.read(8)).toBe(0);
  await expect(bus.write(0, 1)).rejects.toThrow("SLVERR");
  await expect(bus.read(12)).rejects.toThrow("DECERR");
});
