/** What the packages are made with: imports across their borders, and files beside the code. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { copyAssets, filesBelow } from "../../scripts/package/assets.mjs";
import { packagesOf, withPackageNames } from "../../scripts/package/specifiers.mjs";

const named = (file: string, text: string): string => withPackageNames(text, `/d/${file}`, "/d");

describe("an import by its path is one by its package's name", () => {
  it.each([
    ["designs/clio/rtl/top.js", "../../../hdl-dsl/index.js", "mnemosyne/hdl-dsl"],
    ["designs/clio/rtl/top.js", "../../shared/go-back-n/rtl/index.js", "mnemosyne/shared/go-back-n/rtl"],
    ["designs/rack/rig/a.js", "../../supernic/wire/index.js", "mnemosyne-supernic/wire"],
    ["designs/rack/rig/a.d.ts", "../../supernic/wire/index.ts", "mnemosyne-supernic/wire"],
    [
      "designs/clio/design.d.ts",
      "../shared/command-line/design.ts",
      "mnemosyne/types/designs/shared/command-line/design",
    ],
  ])("%s: %s", (file, path, name) => {
    expect(named(file, `import { a } from "${path}";`)).toBe(`import { a } from "${name}";`);
    expect(named(file, `const a = await import("${path}");`)).toBe(`const a = await import("${name}");`);
  });
  it("and stays as it is within a package", () => {
    for (const text of ['export * from "./b.js";', 'import("../clio/wire/index.js")', 'import "node:fs";'])
      expect(named("designs/clio/a.js", text)).toBe(text);
    expect(named("sim/a.js", 'from "../designs/shared/wire/index.js"')).toBe('from "../designs/shared/wire/index.js"');
  });
  it("and is refused past the other package's index", () => {
    expect(() => named("designs/rack/rig/a.js", 'import { a } from "../../clio/rtl/top.js";')).toThrow(
      "imports ../../clio/rtl/top.js, which mnemosyne-clio does not export",
    );
  });
  it("says which packages a text needs", () => {
    const text = 'import a from "zod";\nimport { b } from "mnemosyne-clio/wire";\nimport "node:fs";\nimport("@x/y/z");';
    expect(packagesOf(text)).toEqual(["zod", "mnemosyne-clio", "@x/y"]);
  });
});

describe("files beside the code", () => {
  const root = mkdtempSync(join(tmpdir(), "mnemo-assets-"));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  it("are copied when code names them; modules and what is outside are not", () => {
    const url = (path: string): string => `new URL(${path}, import.meta.url);\n`;
    write("sim/backend/native/a.cc", "a");
    for (const path of ["data/one.wic", "data/two.wic", "data/three.txt", "designs/x/y/half.mjs", "designs/x/main.ts"])
      write(path, path);
    write(
      "dist/designs/x/y/a.js",
      url("`../../../data/${name}.wic`") +
        url('"half.mjs"') +
        url('"./half.mjs"') +
        url("`../main${e}`") +
        url('"../../../../z"'),
    );
    copyAssets(root, join(root, "dist"));
    expect(
      filesBelow(join(root, "dist"))
        .map(f => relative(join(root, "dist"), f))
        .sort(),
    ).toEqual(["data/one.wic", "data/two.wic", "designs/x/y/a.js", "designs/x/y/half.mjs", "sim/backend/native/a.cc"]);
    expect(readFileSync(join(root, "dist/data/one.wic"), "utf8")).toBe("data/one.wic");
  });
});
