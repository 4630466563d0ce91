/** Exports of a library's face that say too little: no doc comment, or an option without one. */
import { relative, resolve } from "node:path";
import ts from "typescript";

/** The program of some files under the settings of the project. */
export function programOf(files: readonly string[]): ts.Program {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
    options = ts.getParsedCommandLineOfConfigFile(resolve("tsconfig.json"), {}, host)?.options ?? {};
  return ts.createProgram(
    files.map(f => resolve(f)),
    { ...options, noEmit: true },
  );
}

/** What an export lacks; undefined when it lacks nothing. */
export interface Lack {
  readonly name: string;
  /** `file:line` of its declaration. */
  readonly at: string;
  readonly what: string;
}

const hasText = (s: ts.Symbol, checker: ts.TypeChecker): boolean => s.getDocumentationComment(checker).length > 0;

/** Members of an interface or of an object type that a reader sets or reads; methods and fields alike. */
function membersOf(d: ts.Declaration, checker: ts.TypeChecker): readonly ts.Symbol[] {
  const node = ts.isTypeAliasDeclaration(d) ? d.type : d;
  if (!ts.isInterfaceDeclaration(node) && !ts.isTypeLiteralNode(node)) return [];
  return node.members.flatMap(m => {
    const named = m.name !== undefined && ts.isIdentifier(m.name);
    return (named ? checker.getSymbolAtLocation(m.name) : undefined) ?? [];
  });
}

/** The object types that a function takes in place of named parameters, written where it is declared. */
function inlineOptions(d: ts.Declaration): readonly ts.TypeLiteralNode[] {
  const f = ts.isVariableDeclaration(d) ? d.initializer : d;
  if (f === undefined || !(ts.isFunctionDeclaration(f) || ts.isArrowFunction(f) || ts.isFunctionExpression(f)))
    return [];
  return f.parameters.flatMap(p => (p.type !== undefined && ts.isTypeLiteralNode(p.type) ? [p.type] : []));
}

/** Options that the doc comment of a function tells: `@param o.name`. */
const paramsTold = (s: ts.Symbol, checker: ts.TypeChecker): ReadonlySet<string> =>
  new Set(
    s
      .getJsDocTags(checker)
      .filter(t => t.name === "param")
      .flatMap(t => /^\w+\.(\w+)/.exec(ts.displayPartsToString(t.text))?.[1] ?? []),
  );

/** @param file the face: its exports are looked at wherever they are declared */
export function undocumented(program: ts.Program, file: string): { readonly all: number; readonly lacks: Lack[] } {
  const checker = program.getTypeChecker(),
    source = program.getSourceFile(resolve(file)),
    face = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (face === undefined) throw new Error(`${file} is no module`);
  const exported = checker.getExportsOfModule(face);
  const lacks = exported.flatMap((named): Lack[] => {
    const { name } = named,
      symbol = (named.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(named) : named;
    const declarations = (symbol.declarations ?? []).filter(d => !ts.isSourceFile(d)),
      first = declarations[0];
    // `export * as ir`: a namespace, whose comment is its file's.
    if (first === undefined) return [];
    const where = first.getSourceFile(),
      at = `${relative("", where.fileName)}:${where.getLineAndCharacterOfPosition(first.getStart()).line + 1}`;
    if (!hasText(symbol, checker)) return [{ name, at, what: "no comment" }];
    const told = paramsTold(symbol, checker),
      members = (of: readonly ts.Declaration[]): readonly ts.Symbol[] => of.flatMap(d => membersOf(d, checker));
    const options = [
      ...(/(?:Options|Parameters)$/.test(name) ? members(declarations) : []),
      ...members(declarations.flatMap(inlineOptions)).filter(m => !told.has(m.name)),
    ].filter(m => !hasText(m, checker));
    const missing = [...new Set(options.map(m => m.name))];
    return missing.length === 0 ? [] : [{ name, at, what: `no comment at ${missing.join(", ")}` }];
  });
  return { all: exported.length, lacks };
}
