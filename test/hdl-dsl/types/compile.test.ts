import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));
const accepted = resolve(here, "accepted.ts"),
  refused = resolve(here, "refused.ts");

/** Every error of the compiler by file, as `line: sentence` (the innermost sentence, which the user looks for). */
const errors = new Map<string, string[]>();

beforeAll(() => {
  const config = ts.getParsedCommandLineOfConfigFile(
    resolve(here, "../../../tsconfig.json"),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  const host = ts.createCompilerHost(config?.options ?? {});
  // The directives are taken out, so that the errors that they expect can be read. Lines stay.
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    if (resolve(name) !== refused) return read(name, version);
    return ts.createSourceFile(
      name,
      readFileSync(refused, "utf8").replaceAll("// @ts-expect-error", "// refused:"),
      version,
    );
  };
  const program = ts.createProgram([accepted, refused], { ...config?.options, noEmit: true }, host);
  for (const file of [accepted, refused]) {
    const source = program.getSourceFile(file);
    errors.set(
      file,
      [...program.getSemanticDiagnostics(source), ...program.getSyntacticDiagnostics(source)].map(d => {
        const line = ts.getLineAndCharacterOfPosition(source as ts.SourceFile, d.start ?? 0).line + 1;
        return `${line}: ${ts
          .flattenDiagnosticMessageText(d.messageText, "\n")
          .split("\n")
          .map(s => s.trim())
          .join(" | ")}`;
      }),
    );
  }
});

const refusedLines = readFileSync(refused, "utf8").split("\n");

test("the compiler accepts what it should, with the types that it should", () => {
  expect(errors.get(accepted)).toEqual([]);
});

test("the compiler refuses each line that follows a @ts-expect-error, and no other", () => {
  const expected = refusedLines.flatMap((l, i) => (l.includes("// @ts-expect-error") ? [i + 2] : []));
  const found = [...new Set((errors.get(refused) ?? []).map(e => Number(e.split(":")[0])))];
  expect(found).toEqual(expected);
  expect(found.length).toBeGreaterThanOrEqual(50);
});

test.each([
  [
    "8 bits + 16 bits",
    `'UIntVar<16>' is not assignable to parameter of type 'UIntVar<16> & WidthError<"expected 8 bits, got 16">'`,
  ],
  ["16 bits into 8", `WidthError<"expected 8 bits, got 16">`],
  ["field y is 8 bits", `WidthError<"expected 8 bits, got 16">`],
  ["field missing", "Property 'y' is missing in type '{ x: 1; }'"],
  ["misspelt port", "Property 'oo' does not exist"],
  ["misspelt state", `Argument of type '"Idel"' is not assignable to parameter of type '"Idle" | "Run"'`],
  ["no handler for Run", "Property 'Run' is missing"],
  ["missing parameter", "Property 'width' is missing"],
  ["an input cannot be driven from inside", "Property 'set' does not exist on type 'UInt<8>'"],
  ["an output cannot be driven from outside", "Property 'set' does not exist on type 'UInt<number>'"],
  ["4-bit tag into 5-bit field", `WidthError<"expected 5 bits, got 4">`],
  ["the sides of mux have one width", `WidthError<"expected 8 bits, got 16">`],
  ["a sum with its carry has 9 bits", `WidthError<"expected 8 bits, got 9">`],
  ["a product has 24 bits", `WidthError<"expected 16 bits, got 24">`],
  ["the struct packs into 12 bits", `WidthError<"expected 16 bits, got 12">`],
  ["8 bits are no struct of 12", `WidthError<"expected 12 bits, got 8">`],
  ["both ends drive the data of one side", `ConnectError<"both ends drive it">`],
  ["the interface's data have 16 bits", `WidthError<"expected 16 bits, got 8">`],
  ["the interface has a member more", `ConnectError<"no member deep">`],
  ["the interface lacks a member", "Property 'deep' is missing in type"],
  ["a stream is joined with a plain port", `ConnectError<"one is a stream, the other is none">`],
  ["the inner interface's level has 3 bits", `WidthError<"expected 3 bits, got 2">`],
  ["joined data are 4 bits", `WidthError<"expected 4 bits, got 8">`],
  ["a field too many", `WidthError<"no field last">`],
  ["no row of that name", "there are no ports form0, form1 and so on"],
  ["the sides of mux have one signedness", `WidthError<"an unsigned value is expected">`],
])("the sentence for: %s", (what, sentence) => {
  const line = refusedLines.findIndex(l => l.includes(`@ts-expect-error ${what}`)) + 2;
  const text = (errors.get(refused) ?? [])
    .filter(e => e.startsWith(`${line}: `))
    .join("\n")
    .replaceAll('\\"', '"');
  expect(text).toContain(sentence);
});
