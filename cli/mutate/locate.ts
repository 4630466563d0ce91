/** Where a module is written, and which tests stand next to it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { root } from "../../scripts/setup/paths.mjs";
import { designs } from "../designs.ts";

/** Names of what is no design: the language's own modules, and what designs share. */
const library = "library",
  shared = "shared";

export interface Located {
  /** Without parameters, as in Verilog. */
  readonly module: string;
  /** From the folder of the project. */
  readonly file: string;
  /** That folder, when it is the user's own and not the repository. */
  readonly root?: string;
}

const filesBelow = (folder: string, project = root): readonly string[] =>
  existsSync(join(project, folder))
    ? readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
        .filter(f => f.endsWith(".ts"))
        .sort()
        .map(f => `${folder}/${f}`)
    : [];

/** Folders in which the modules of a design, or of the library, are written. */
function foldersOf(name: string): readonly string[] {
  if (name === library) return ["hdl-dsl"];
  if (name === shared) return [`designs/${shared}`];
  const own = ["designs", "examples"]
    .map(place => `${place}/${name}`)
    .filter(f => existsSync(join(root, f, "design.ts")));
  if (own.length === 0)
    throw new UsageError(
      `there is no design ${name}; name the module as <design>/<Module>, the design one of ${[...designs.map(d => d.name), library].join(", ")}`,
    );
  return [...own, "designs/shared"];
}

/** @param name `<design>/<Module>` @throws UsageError in one sentence when there is none */
export function locate(name: string): Located {
  const [design, module, ...rest] = name.split("/");
  if (design === undefined || module === undefined || rest.length > 0 || !/^[A-Z]\w*$/.test(module))
    throw new UsageError(`${name} names no module; give <design>/<Module>, such as ${designs[0].name}/NetTx`);
  const folders = foldersOf(design),
    declared = new RegExp(`\\b(?:const|function) ${module}\\b[^\\n]*(?:=|\\()`);
  const texts = folders.flatMap(f => filesBelow(f)).map(file => ({ file, text: textOf(file) })),
    found =
      texts.find(({ text }) => declared.test(text)) ?? texts.find(({ text }) => declaredIn(text).includes(module));
  if (found === undefined)
    throw new UsageError(
      `${design} has no module ${module}; \`const ${module} = ...\` stands nowhere below ${folders.join(" and ")}`,
    );
  return { module: inVerilog(found.text, module), file: found.file };
}

const texts = new Map<string, string>();
/** Of a source of the repository; read once. */
function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), "utf8");
  texts.set(file, text);
  return text;
}

/** A module's declaration, with its name in Verilog where that is another one than the constant's. */
const declaration = /\b(?:export )?const (\w+) = module\(\s*(?:"(\w+)")?/g;

/** What a constant's module is called in the Verilog. */
const inVerilog = (text: string, name: string): string =>
  [...text.matchAll(declaration)].find(m => m[1] === name)?.[2] ?? name;

/** The modules that a text declares; one that is called something else in the Verilog by that name. */
export const declaredIn = (text: string): readonly string[] =>
  [...text.matchAll(declaration)].map(m => m[2] ?? m[1] ?? "").filter(name => /^[A-Z]/.test(name));

/**
 * Every module of a design, of `shared` or of the language, by file; harnesses of proofs are none.
 * @throws UsageError when there is no such design
 */
export function modulesOf(name: string): readonly Located[] {
  const [folder = ""] = foldersOf(name);
  return filesBelow(folder)
    .filter(f => !f.includes("/proofs/"))
    .flatMap(file => declaredIn(textOf(file)).map(module => ({ module, file })));
}

/** The folders of tests from the one that mirrors the module's folder outwards, each without those before. */
export function* testsNear(file: string): Generator<readonly string[]> {
  const before = new Set<string>();
  for (let folder = `test/${dirname(file)}`; folder !== "test" && folder !== "."; folder = dirname(folder)) {
    const found = filesBelow(folder).filter(f => f.endsWith(".test.ts") && !before.has(f));
    found.forEach(f => before.add(f));
    if (found.length > 0) yield found;
  }
}

/** Modules of the repository for which the same tests are looked through first. */
export function siblingsOf({ file }: Located): readonly Located[] {
  const firstOf = (f: string): string => {
    const [first = []] = testsNear(f);
    return first.join();
  };
  const tests = firstOf(file),
    [place = ""] = file.split("/", 1);
  return filesBelow(place)
    .filter(f => !f.includes("/proofs/") && declaredIn(textOf(f)).length > 0 && firstOf(f) === tests)
    .flatMap(f => declaredIn(textOf(f)).map(module => ({ module, file: f })));
}

/**
 * All test files below folders or of names that the user gave. @param project its folder
 * @throws UsageError for one that has none
 */
export function testsNamed(names: readonly string[], project = root): readonly string[] {
  return names.flatMap(name => {
    const found = name.endsWith(".test.ts")
      ? [name].filter(f => existsSync(join(project, f)))
      : filesBelow(name, project).filter(f => f.endsWith(".test.ts"));
    if (found.length === 0)
      throw new UsageError(
        `--tests ${name}: there is no test file there; give a folder or a file of the ${project === root ? "repository" : "project"}`,
      );
    return found;
  });
}
