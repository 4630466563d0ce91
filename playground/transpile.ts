/** A user's TypeScript as a script that runs here: types go, lines stay. */
import { parser } from "@lezer/javascript";
import { transform } from "sucrase";
import { provideText } from "../hdl-dsl/source/host-browser.ts";

export type Exports = Record<string, unknown>;
/** Something wrong with a text, at its place. */
export class SourceError extends Error {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  constructor(message: string, file: string, line: number, column: number) {
    super(message);
    this.file = file;
    this.line = line;
    this.column = column;
  }
}

/** Where a text stops being TypeScript, counted from its beginning: the editor's parser goes on after errors. */
function firstFault(text: string): number | undefined {
  let found: number | undefined;
  parser
    .configure({ dialect: "ts" })
    .parse(text)
    .iterate({
      enter: n => {
        if (n.type.isError) found ??= n.from;
      },
    });
  return found;
}

/** Before a module's own text, on its first line. */
const HEAD = "(function(require,exports,module){";

/** @throws SourceError where the text is no TypeScript */
function scriptOf(file: string, text: string): string {
  try {
    return transform(text, {
      transforms: ["typescript", "imports"],
      preserveDynamicImport: true,
      disableESTransforms: true,
    }).code;
  } catch (e) {
    const message = e instanceof Error ? e.message : String(e),
      said = /\((\d+):(\d+)\)/.exec(message),
      fault = firstFault(text);
    // Within an arrow function the transformer names the arrow, which it tried first.
    const before = fault === undefined ? undefined : text.slice(0, fault).split("\n");
    throw new SourceError(
      message.replace(/^Error transforming [^:]*: /, "").replace(/ ?\(\d+:\d+\)/, ""),
      file,
      before?.length ?? Number(said?.[1] ?? 1),
      before === undefined ? Number(said?.[2] ?? 1) : (before.at(-1) ?? "").length + 1,
    );
  }
}

/** Runs modules by their names; each once. */
export class Loader {
  readonly #done = new Map<string, Exports>();
  readonly #texts: ReadonlyMap<string, string>;
  readonly #packages: Readonly<Record<string, Exports>>;
  readonly #folder: string;

  /** @param run a number: scripts of another run have other names, so that no place is taken for one of before */
  constructor(texts: ReadonlyMap<string, string>, packages: Readonly<Record<string, Exports>>, run: number) {
    this.#texts = texts;
    this.#packages = packages;
    this.#folder = `/run${run}`;
  }

  load(name: string): Exports {
    const ready = this.#packages[name] ?? this.#done.get(name);
    if (ready !== undefined) return ready;
    const file = name.replace(/^\.\//, ""),
      text = this.#texts.get(file);
    if (text === undefined)
      throw new Error(
        `there is no "${name}" here; there are ${[...Object.keys(this.#packages), ...[...this.#texts.keys()].map(f => `./${f}`)].join(", ")}`,
      );
    const path = `${this.#folder}/${file}`,
      script = `${HEAD}${scriptOf(file, text)}\n})`;
    provideText(path, script);
    const exports: Exports = {};
    this.#done.set(name, exports);
    // The user's own program, in the user's own page.
    const body = (0, eval)(`${script}\n//# sourceURL=${path}`) as (
      require: (name: string) => Exports,
      exports: Exports,
      module: object,
    ) => void;
    body(n => this.load(n), exports, { exports });
    return exports;
  }
}

/** The file that a path of a run stands for. */
export const plainFile = (path: string): string => path.replace(/^\/?run\d+\//, "");
