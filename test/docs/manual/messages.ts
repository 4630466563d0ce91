/** The chapter of messages: every code with its meaning, programs that cause it, and the message word for word. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";
import {
  type Def,
  type Diagnostic,
  diagnosticCodes,
  elaborate,
  formatDiagnostic,
  HdlError,
  warningsOf,
} from "../../../hdl-dsl/index.ts";
import { faults as builderFaults } from "../../hdl-dsl/build/faults.ts";
import { faults as silentFaults } from "../../hdl-dsl/build/silent.ts";
import { faults as formalFaults } from "../../hdl-dsl/formal/formal-faults.ts";
import { faults as enumerationFaults } from "../../hdl-dsl/types/enumeration-faults.ts";
import { faults as interfaceFaults } from "../../hdl-dsl/types/interface-faults.ts";
import { faults as checkFaults } from "./check-faults.ts";
import { root } from "./chapters.ts";

/** A program, and the lines where it stands in its file. */
interface Snippet {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The entries of `faults = { ... }` of a file, as they are written. */
function snippetsOf(path: string): ReadonlyMap<string, Snippet> {
  const source = ts.createSourceFile(path, readFileSync(resolve(root, path), "utf8"), ts.ScriptTarget.ES2022, true);
  const found = new Map<string, Snippet>();
  const lineOf = (at: number): number => source.getLineAndCharacterOfPosition(at).line + 1;
  const visit = (n: ts.Node): void => {
    if (
      ts.isVariableDeclaration(n) &&
      n.name.getText() === "faults" &&
      n.initializer !== undefined &&
      ts.isObjectLiteralExpression(n.initializer)
    ) {
      for (const p of n.initializer.properties) {
        if (!ts.isPropertyAssignment(p)) continue;
        const text = p.initializer
          .getText()
          .replace(/ \/\/ eslint-disable.*$/gm, "")
          .replace(/\n {2}/g, "\n");
        found.set(p.name.getText(), {
          text,
          from: lineOf(p.initializer.getStart()),
          to: lineOf(p.initializer.getEnd()),
        });
      }
    }
    ts.forEachChild(n, visit);
  };
  visit(source);
  return found;
}

function diagnosticsOf(def: Def): readonly Diagnostic[] {
  try {
    elaborate(def);
    return warningsOf(def);
  } catch (e) {
    if (e instanceof HdlError) return e.diagnostics;
    throw e;
  }
}

/** The messages of one code, with places by the snippet's own lines. */
export function messagesOf(def: Def, code: string, snippet: Snippet): readonly string[] {
  const place = (line: number): string =>
    line >= snippet.from && line <= snippet.to ? `line ${line - snippet.from + 1}` : "its declaration";
  return diagnosticsOf(def)
    .filter(d => d.code === code)
    .map(d =>
      formatDiagnostic(d).replace(/(?:(?:\w+-)?faults|silent)\.ts:(\d+)/g, (_all, line: string) => place(Number(line))),
    );
}

/** Programs by code; several may show one code (`HDL101_set`). */
export function programs(): readonly { readonly code: string; readonly def: Def; readonly snippet: Snippet }[] {
  return (
    [
      [checkFaults, "test/docs/manual/check-faults.ts"],
      [builderFaults, "test/hdl-dsl/build/faults.ts"],
      [silentFaults, "test/hdl-dsl/build/silent.ts"],
      [enumerationFaults, "test/hdl-dsl/types/enumeration-faults.ts"],
      [formalFaults, "test/hdl-dsl/formal/formal-faults.ts"],
      [interfaceFaults, "test/hdl-dsl/types/interface-faults.ts"],
    ] as const
  ).flatMap(([faults, path]) => {
    const snippets = snippetsOf(path);
    return Object.entries(faults)
      .filter(([key]) => key.startsWith("HDL"))
      .map(([key, def]) => ({ code: key.slice(0, 6), def, snippet: snippets.get(key) as Snippet }));
  });
}

const preface = `# 15. Messages

<!-- Generated: MNEMO_UPDATE=1 npx vitest run test/docs/manual -->

All errors of a run come together, in one \`HdlError\`; its \`diagnostics\` hold each as data: \`code\`, \`module\`, \`message\`, \`fix\`, \`at\` (where it was found) and \`related\` (the
other party: where a signal was declared, or the other driver). As text:

\`\`\`text
HDL101 in Narrow: \`held\` is set: expected 8 bits, \`wide\` has 16 (narrow.ts:4; see narrow.ts:2). Cut it with trunc(8) or select bits
\`\`\`

Codes are stable. HDL0.. are found in the finished circuit, HDL1.. while a body runs, HDL2.. are warnings; where the compiler knows enough, it refuses the same program before. In the programs below
\`loose(v)\` is a value of which the compiler does not know the width, \`fault(name, body)\` a module with the inputs \`a\` (16 bits), \`n\` (8 bits), \`s\` (8 bits,
signed), \`c\` (1 bit) and the outputs \`y\` (8 bits) and \`z\` (1 bit), \`other\` a module with a second clock domain \`slow\`; places are told by the program's own lines.
\`misuse(name, body)\` is a module with the inputs \`a\` and \`b\` (8 bits), \`s\` (8 bits, signed), \`c\` (1 bit) and the outputs \`y\` (16 bits) and \`z\` (1 bit),
\`doubtful(name, make)\` one that drives \`y\` with what \`make\` gives,
\`crossing(name, body)\` one with registers \`one\`, \`other\` and \`count\` (4 bits) in one clock domain and \`body\` in another.
Programs with \`here\` and \`there\` have these registers in the clock domains \`default\` and \`slow\`.
For HDL155, \`fault(name, s, m)\` joins two interfaces. \`Job\` has the streams \`order\` and \`done\`, the port \`busy\` and the interface \`log\`; the others differ from it as their names say.

A warning stops nothing. \`emit(def).warnings\` and \`warningsOf(def)\` list them, and \`mnemo emit\`, \`generate\` and \`lint\` print and count them.
With \`--strict\`, or \`emit(def, { strict: true })\`, they are errors.
`;

/** The chapter as it should be now. */
export function messagesChapter(): string {
  const all = programs();
  const rows = Object.entries(diagnosticCodes).map(([code, says]) => `| [${code}](#${code.toLowerCase()}) | ${says} |`);
  const sections = Object.entries(diagnosticCodes).map(([code, says]) => {
    const shown = all
      .filter(p => p.code === code)
      .map(
        p =>
          `\`\`\`ts\n${p.snippet.text}\n\`\`\`\n\`\`\`text\n${messagesOf(p.def, code, p.snippet).join("\n")}\n\`\`\`\n`,
      );
    return `\n## ${code}\n\n${says.charAt(0).toUpperCase()}${says.slice(1)}.\n\n${shown.join("\n")}`;
  });
  return `${preface}\n| code | says |\n|---|---|\n${rows.join("\n")}\n${sections.join("")}`;
}
