import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crowded, foldersUnder, forbidden, layers } from "../scripts/layers.cjs";
import { root } from "../scripts/setup/paths.mjs";

/** Numbers of the lines in which one of the names stands, as a word or as a part of one. */
function namingLines(text: string, names: readonly string[]): number[] {
  // A name as a word of its own, alone or within a longer name: "rack" is not in "track", and "Clio" is in "ClioNode".
  const forms = names.flatMap(n => {
    const capital = n.charAt(0).toUpperCase() + n.slice(1);
    return [`(?<![A-Za-z])${n}(?![a-z])`, `${capital}(?![a-z])`, `(?<![A-Z])${n.toUpperCase()}(?![A-Z])`];
  });
  const named = new RegExp(forms.join("|"));
  return text
    .split("\n")
    .flatMap((line, i) => (named.test(line.replace(/\(\w+, section [\d., and]+\)/g, "")) ? [i + 1] : []));
}

/** Imports that break a rule below `folder`: `rule: from -> to`. */
async function violations(folder: string): Promise<string[]> {
  const { output } = await cruise(
    [...layers],
    {
      baseDir: folder,
      ruleSet: { forbidden: forbidden(folder) },
      validate: true,
      tsPreCompilationDeps: true,
      skipAnalysisNotInRules: true,
      doNotFollow: { path: "node_modules" },
    },
    {
      extensions: [".ts", ".mjs", ".cjs", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  );
  return (output as ICruiseResult).summary.violations.map(v => `${v.rule.name}: ${v.from} -> ${v.to}`).sort();
}

it("the project keeps to its layers", async () => {
  expect(await violations(root)).toEqual([]);
});

it("no folder has more than 20 files of code", () => {
  expect(crowded(root)).toEqual([]);
  const folder = mkdtempSync(join(tmpdir(), "mnemo-crowded-"));
  mkdirSync(join(folder, "sim/bus"), { recursive: true });
  for (let i = 0; i < 21; i++) writeFileSync(join(folder, `sim/bus/block-${i}.ts`), "");
  expect(crowded(folder)).toEqual(["sim/bus: 21"]);
  rmSync(folder, { recursive: true });
});

/** C programs include it by this name, which has to be the start of theirs. */
const namedForC = /(?:^|\/)mnemosyne_clio\.[ch]$/;
/** Files of code below a folder that are not named in kebab-case: words joined by `-`, parts by `.` (`4.4.ts`). */
const misnamed = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(f => !/(?:^|\/)node_modules\//.test(f) && /\.(?:ts|js|mjs|cjs|cc|c|h)$/.test(f) && !namedForC.test(f))
    .filter(f => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(basename(f)))
    .sort();

it("files of code are named in kebab-case", () => {
  expect(
    ["hdl-dsl", "designs", "sim", "cli", "scripts", "test", "docs", "examples"].flatMap(l => misnamed(join(root, l))),
  ).toEqual([]);
  const folder = mkdtempSync(join(tmpdir(), "mnemo-names-"));
  mkdirSync(join(folder, "a"));
  for (const name of ["a/net-rx.ts", "a/4.4.ts", "a/b.test.ts", "a/netRx.ts", "a/net_rx.mjs", "Net.ts", "a/Read_Me.md"])
    writeFileSync(join(folder, name), "");
  expect(misnamed(folder)).toEqual(["Net.ts", "a/netRx.ts", "a/net_rx.mjs"]);
  rmSync(folder, { recursive: true });
});

describe("names of designs stand where they belong", () => {
  /** Folders with a design.ts: the designs, and the examples of one. */
  const names = ["designs", "examples"].flatMap(place =>
    readdirSync(join(root, place)).filter(d => existsSync(join(root, place, d, "design.ts"))),
  );
  it("they are found", () => expect(names).toEqual(expect.arrayContaining(["clio", "frame-counter"])));
  /**
   * Lines of code below a folder that name a design: `file:line`. A source in parentheses, "(Clio, section
   * 4.4.2)", is none.
   */
  const naming = (folder: string, ...but: readonly string[]): string[] =>
    [folder, ...foldersUnder(join(root, folder), `${folder}/`)]
      .flatMap(f =>
        readdirSync(join(root, f))
          .filter(n => /\.(?:ts|mjs|cc|h)$/.test(n))
          .map(n => `${f}/${n}`),
      )
      .filter(f => !but.includes(f))
      .flatMap(f => namingLines(readFileSync(join(root, f), "utf8"), names).map(line => `${f}:${line}`));
  it.each([["cli", "cli/designs.ts", "cli/installed-designs.ts"], ["sim"], ["hdl-dsl"], ["designs/shared"]])(
    "%s names none (but in %s)",
    (folder, ...but) => {
      expect(naming(folder, ...but)).toEqual([]);
    },
  );
  it("a planted name is found, a source is none", () => {
    expect(
      namingLines('a\nimport x from "../clio/y.ts";\n/** (Clio, section 4.4.2) */\nconst ClioNode = 1;', ["clio"]),
    ).toEqual([2, 4]);
    expect(namingLines("tracked\nin brackets\nreadRack()\nTHE_RACK\na rack", ["rack"])).toEqual([3, 4, 5]);
  });
});

describe("each rule catches what it is for", () => {
  /** Imports, one file each, and the rules that they break. */
  const planted: readonly (readonly [from: string, to: string, rules: readonly string[]])[] = [
    ["hdl-dsl/a.ts", "designs/shared/wire/index.ts", ["hdl-dsl-knows-nothing-above"]],
    ["hdl-dsl/b.ts", "sim/index.ts", ["hdl-dsl-knows-nothing-above"]],
    ["sim/a.ts", "cli/main.ts", ["sim-knows-no-design"]],
    ["sim/d.ts", "designs/shared/wire/index.ts", ["sim-knows-no-design"]],
    ["sim/e.ts", "designs/clio/wire/index.ts", ["sim-knows-no-design"]],
    ["designs/shared/wire/a.ts", "sim/index.ts", ["only-rig-and-evaluation-simulate"]],
    ["designs/shared/rig/a.ts", "sim/index.ts", []],
    ["designs/shared/wire/b.ts", "designs/clio/wire/index.ts", ["no-design-knows-another"]],
    ["designs/clio/wire/a.ts", "designs/other/wire/index.ts", ["no-design-knows-another"]],
    ["designs/rack/rig/a.ts", "designs/clio/rig/index.ts", []],
    ["designs/clio/rig/d.ts", "designs/rack/rig/index.ts", ["no-design-knows-a-system", "no-design-knows-another"]],
    ["designs/rack/rig/b.ts", "designs/legoos/rig/index.ts", ["no-design-knows-a-system"]],
    ["designs/clio/rig/a.ts", "sim/index.ts", []],
    ["designs/clio/rig/b.ts", "cli/main.ts", ["designs-know-no-command-line"]],
    ["designs/clio/evaluation/a.ts", "sim/index.ts", []],
    ["designs/clio/design.ts", "sim/index.ts", []],
    ["cli/a.ts", "test/helper.ts", ["cli-knows-no-test"]],
    ["cli/designs.ts", "designs/clio/wire/index.ts", []],
    ["cli/e.ts", "designs/clio/wire/index.ts", ["cli-learns-of-designs-in-one-file"]],
    ["cli/f.ts", "designs/shared/wire/index.ts", []],
    ["cli/designs.ts", "examples/small/design.ts", []],
    ["cli/g.ts", "examples/small/design.ts", ["cli-learns-of-designs-in-one-file"]],
    ["sim/f.ts", "examples/small/design.ts", ["sim-knows-no-design"]],
    ["designs/clio/rig/c.ts", "examples/small/design.ts", ["no-design-knows-an-example"]],
    ["examples/small/a.ts", "designs/clio/wire/index.ts", ["an-example-stands-alone"]],
    ["examples/small/b.ts", "examples/other/a.ts", ["an-example-stands-alone"]],
    ["examples/small/c.ts", "cli/main.ts", ["designs-know-no-command-line"]],
    ["examples/small/small.ts", "sim/index.ts", ["only-rig-and-evaluation-simulate"]],
    ["examples/small/rig.ts", "sim/index.ts", []],
    ["examples/small/d.ts", "designs/shared/wire/index.ts", []],
    ["examples/gallery/one/test/a.test.ts", "sim/index.ts", []],
    ["examples/gallery/one/src/a.ts", "sim/index.ts", ["only-rig-and-evaluation-simulate"]],
    ["examples/gallery/one/src/b.ts", "examples/gallery/two/src/a.ts", ["an-example-stands-alone"]],
    ["sim/b.ts", "hdl-dsl/ir/inner.ts", ["only-through-hdl-dsl-index"]],
    ["test/sim/a.test.ts", "hdl-dsl/ir/inner.ts", ["only-through-hdl-dsl-index"]],
    ["test/hdl-dsl/a.test.ts", "hdl-dsl/ir/inner.ts", []],
    ["cli/b.ts", "sim/inner.ts", ["only-through-sim-index"]],
    [
      "designs/clio/model/d.ts",
      "designs/shared/virtual-memory/table/inner.ts",
      ["only-through-designs-shared-virtual-memory-table-index"],
    ],
    ["designs/clio/rtl/a.ts", "hdl-dsl/index.ts", []],
    ["designs/clio/rtl/b.ts", "designs/shared/virtual-memory/table/index.ts", []],
    ["designs/clio/rtl/c.ts", "designs/clio/model/index.ts", ["rtl-is-hardware"]],
    ["designs/clio/rtl/d.ts", "designs/clio/software/index.ts", ["rtl-is-hardware"]],
    ["designs/clio/rtl/e.ts", "designs/shared/go-back-n/software/index.ts", ["rtl-is-hardware"]],
    ["designs/clio/rtl/f.ts", "designs/shared/go-back-n/rtl/index.ts", []],
    ["designs/shared/go-back-n/rtl/a.ts", "designs/shared/go-back-n/software/index.ts", ["shared-blocks-are-hardware"]],
    [
      "designs/shared/go-back-n/software/a.ts",
      "designs/shared/go-back-n/rtl/index.ts",
      ["software-and-model-know-no-hardware"],
    ],
    ["designs/clio/software/a.ts", "designs/clio/rtl/index.ts", ["software-and-model-know-no-hardware"]],
    ["designs/clio/model/a.ts", "designs/clio/rtl/index.ts", ["software-and-model-know-no-hardware"]],
    [
      "designs/clio/model/b.ts",
      "sim/index.ts",
      ["only-rig-and-evaluation-simulate", "software-and-model-know-no-hardware"],
    ],
    ["designs/clio/model/c.ts", "designs/shared/wire/index.ts", []],
    ["designs/clio/offload/a.ts", "designs/clio/model/index.ts", ["offloads-are-hardware"]],
    ["designs/clio/offload/b.ts", "designs/clio/rtl/index.ts", []],
    ["designs/clio/offloads/c.ts", "designs/clio/software/index.ts", ["offloads-are-hardware"]],
    ["designs/clio/offloads/d.ts", "designs/clio/rtl/index.ts", ["offloads-know-their-host-only"]],
    ["designs/clio/offloads/e.ts", "designs/clio/offload/index.ts", []],
    ["designs/clio/client/a.ts", "designs/clio/model/index.ts", ["client-knows-the-wire-only"]],
    ["designs/clio/client/b.ts", "designs/clio/config/index.ts", []],
    ["sim/bus/cycle.ts", "sim/net/cycle.ts", ["no-cycles"]],
    ["sim/net/cycle.ts", "sim/bus/cycle.ts", []], // said once, above
    ["cli/d.ts", "cli/missing.ts", ["everything-is-found"]],
  ];
  const missing = "cli/missing.ts";
  let folder = "",
    found: readonly string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mnemo-layers-"));
    const imports = new Map<string, string>();
    for (const [i, [from, to]] of planted.entries()) {
      const up = "../".repeat(from.split("/").length - 1);
      imports.set(
        from,
        `${imports.get(from) ?? ""}import * as x${i} from "${up}${to}";\nexport const y${i} = x${i};\n`,
      );
    }
    for (const [, to] of planted) if (to !== missing && !imports.has(to)) imports.set(to, "export const z = 1;\n");
    for (const [path, text] of imports) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    found = await violations(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(planted)("%s -> %s", (from, _to, rules) => {
    expect(found.filter(v => v.includes(`: ${from} -> `)).map(v => v.replace(/:.*/, ""))).toEqual(rules);
  });
  it("folders that need each other", () => {
    expect(found.filter(v => v.startsWith("no-cycles-between-folders: sim/"))).toEqual([
      "no-cycles-between-folders: sim/bus -> sim/net",
      "no-cycles-between-folders: sim/net -> sim/bus",
    ]);
  });
});
