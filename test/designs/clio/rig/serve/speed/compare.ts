/**
 * Processor time of an operation at the served node, of several trees by turns: what else the machine does then falls
 * on all of them alike.
 *
 *     npx tsx test/designs/clio/rig/serve/speed/compare.ts [--rounds 5] [--operations 3000] [tree...]
 *
 * Without a tree it measures this one. A tree is another work tree of the repository (`git worktree add`), with its
 * packages.
 */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { table } from "../../../../../../designs/shared/command-line/index.ts";
import { median } from "../../../../../support/median.ts";
import { inFlightOf } from "./times.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "5" }, operations: { type: "string", default: "3000" } },
});
const trees = positionals.length > 0 ? positionals : ["."],
  once = fileURLToPath(new URL("once.ts", import.meta.url));
type Times = Readonly<Record<number, number>>;
const measured = new Map<string, Times[]>(trees.map(t => [t, []]));
for (let round = 0; round < Number(values.rounds); round++)
  for (const [tree, times] of measured) {
    const args = ["--import", "tsx", once, resolve(tree), values.operations];
    const text = execFileSync(process.execPath, args, { cwd: resolve(tree), encoding: "utf8" });
    times.push(JSON.parse(text.trimEnd().split("\n").at(-1) ?? "") as Times);
  }
const rows = [...measured].flatMap(([tree, times]) =>
  inFlightOf.map(n => {
    const all = times.map(t => t[n] ?? NaN);
    return [tree, `${n}`, ...[median(all), Math.min(...all), Math.max(...all)].map(us => us.toFixed(0))];
  }),
);
console.log(table(["tree", "in flight", "median us", "least", "most"], rows, "lrrrr"));
