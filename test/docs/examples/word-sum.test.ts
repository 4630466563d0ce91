/** The example of docs/clio/offloads.md: the page shows the files that are built and run here. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { lintDesign } from "../../../cli/lint/lint.ts";
import { makeSettings, parametersOf } from "../../../designs/clio/config/index.ts";
import { extendedNode, type OffloadParameters } from "../../../designs/clio/offload/index.ts";
import { encode } from "../../../designs/shared/wire/index.ts";
import { opcode, status } from "../../../designs/clio/wire/index.ts";
import { ModelMemory } from "../../../designs/clio/model/index.ts";
import { WordSum, wordSum, wordSumBody } from "../../../docs/examples/word-sum.ts";
import { wordSumBench } from "../../../docs/examples/word-sum-bench.ts";
import { elaborate, emit } from "../../../hdl-dsl/index.ts";
import { OffloadHost } from "../../../designs/clio/rig/index.ts";
import { runBench } from "../../../sim/index.ts";
import { bench } from "../../bench.ts";
import { findsFault, plant } from "../../support/plant.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
/** Imports as a user of the package has them. */
const published = (text: string): string =>
  text
    .replace("../../hdl-dsl/index.ts", "mnemosyne")
    .replace("../../sim/index.ts", "mnemosyne/sim")
    .replaceAll(/\.\.\/\.\.\/designs\/(clio|shared)\/(\w+)\/index\.ts/g, (_, of: string, part: string) =>
      of === "shared" ? `mnemosyne/shared/${part}` : `mnemosyne-${of}/${part}`,
    );
test.each(["word-sum.ts", "word-sum-bench.ts"])("the page shows %s as it is", file => {
  const shown = new RegExp(`\`\`\`ts ${file.replace(".", "\\.")}\\n([\\s\\S]*?)\`\`\``).exec(
    read("docs/clio/offloads.md"),
  )?.[1];
  expect(shown).toBe(published(read(`docs/examples/${file}`)));
});

const parametersAt = (beatBytes: number): OffloadParameters => ({ beatBytes, contexts: 4, maxData: 1466 });
describe.each([64, 8])("WordSum, %i bytes a beat", beatBytes => {
  const parameters = parametersAt(beatBytes),
    dut = WordSum(parameters);
  bench("the page's bench passes", dut, { seed: 3 }, async b => {
    const ends = await wordSumBench(b, parameters, 150);
    for (const code of [status.OK, status.INVALID, status.MALFORMED]) expect(ends.get(code)).toBeGreaterThan(5);
  });
  bench("latency is as stated", dut, { seed: 4 }, async b => {
    const memory = new ModelMemory(),
      latency = 30,
      host = new OffloadHost(b, { parameters, memory, latency }),
      bytes = 256;
    memory.map(1, 0x1000n, bytes);
    const call = await host.call({
        opcode: opcode.WIC,
        pid: 1,
        body: encode(wordSumBody, { va: 0x1000n, length: bytes }),
      }),
      taken = host.trace[0]?.taken ?? 0;
    expect(taken - (call.taken ?? 0)).toBe(1 + Math.ceil(wordSumBody.bytes / beatBytes));
    expect((call.replies[0]?.cycle ?? 0) - taken - latency).toBe(1 + bytes / beatBytes);
  });
});
test("its bench finds a word too many in the last beat", async () => {
  const p = parametersAt(64);
  await findsFault(
    runBench("a word too many", plant(WordSum(p), /left > 14'd56/, "left > 14'd48"), { wave: false, seed: 3 }, b =>
      wordSumBench(b, p, 150),
    ),
  );
});
test("verilator, yosys and iverilog accept it", async () => {
  expect(await lintDesign(emit(WordSum(parametersAt(64))))).toEqual([]);
});
test("a node with it elaborates", () => {
  const node = elaborate(extendedNode([wordSum])(parametersOf(makeSettings().config)));
  expect(node.name).toContain("word_sum");
});
