/** ABC ends some netlists by an assertion of its own: they are mapped with more cuts for each node. */
import { expect, it } from "vitest";
import { CheckFailed } from "../../../designs/shared/command-line/index.ts";
import { synthesize } from "../../../cli/synth/synthesize.ts";
import { targets } from "../../../cli/synth/target.ts";
import type { Yosys } from "../../../cli/synth/yosys.ts";

const empty = JSON.stringify({ modules: { M: { attributes: {}, ports: {}, cells: {}, netnames: {} } } });
/** A Yosys that fails with these words unless the script has the word, and that keeps the scripts. */
function failing(words: string, unless: string): { readonly yosys: Yosys; readonly scripts: string[] } {
  const scripts: string[] = [];
  const yosys: Yosys = {
    version: `stub ${words}`,
    parallel: 1,
    run: (_files, script) => {
      scripts.push(script);
      return script.includes(unless)
        ? Promise.resolve(empty)
        : Promise.reject(new CheckFailed(`Yosys could not synthesize it: ERROR: ${words}`));
    },
  };
  return { yosys, scripts };
}
const abc = 'ABC: execution of command ""berkeley-abc" -s -f x 2>&1" failed: return code 134.';
/** Another text each time: results of earlier runs are remembered. */
const unit = () => ({
  name: "M",
  top: "M",
  files: [{ name: "M.v", text: `module M; endmodule // ${Math.random()}\n` }],
});
const none = (): void => undefined;

it("a netlist that ABC aborts on is mapped once more, with more cuts", async () => {
  const { yosys, scripts } = failing(abc, "abc9.if.C 12");
  expect((await synthesize(unit(), targets.xcup, yosys, none)).area).toBeDefined();
  expect(scripts.map(s => s.includes("abc9.if.C"))).toEqual([false, true]);
});
it("and is told when that fails, too; other failures are told at once", async () => {
  const twice = failing(abc, "never");
  await expect(synthesize(unit(), targets.xcup, twice.yosys, none)).rejects.toThrow("return code 134");
  expect(twice.scripts.length).toBe(2);
  const other = failing("no such module", "never");
  await expect(synthesize(unit(), targets.xcup, other.yosys, none)).rejects.toThrow("no such module");
  expect(other.scripts.length).toBe(1);
});
