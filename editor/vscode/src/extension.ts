/** The adapter to VS Code: it knows editors and files, and leaves everything else to the functions beside it. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import * as vscode from "vscode";
import { drawArguments, emitArguments, folderOf, hasModule } from "./commands.ts";
import { problemsOf } from "./diagnostics.ts";
import { hoverText, type Names, signalsAt } from "./hover.ts";
import { type Mapped, type Place, type RawMap, sourceOf, verilogOf } from "./maps.ts";

/** A file of a project, and where its Verilog is written. */
interface Here {
  readonly project: string;
  readonly source: string;
  readonly folder: string;
}

function projectOf(file: string): string {
  for (let at = dirname(file); ; at = dirname(at))
    if (existsSync(join(at, "package.json")) || dirname(at) === at) return at;
}

function hereOf(document: vscode.TextDocument): Here {
  const project = projectOf(document.fileName),
    source = relative(project, document.fileName).replaceAll("\\", "/");
  return { project, source, folder: join(project, folderOf(source)) };
}

/** Runs the project's command. @returns what it said on standard error */
function mnemo(here: Here, args: readonly string[]): Promise<string> {
  const command = vscode.workspace.getConfiguration("mnemosyne").get<string>("command") ?? "node_modules/.bin/mnemo";
  return new Promise(done => {
    execFile(join(here.project, command), [...args], { cwd: here.project }, (error, _out, said) => {
      done(error !== null && said === "" ? `mnemo: ${error.message.split("\n")[0] ?? ""}` : said);
    });
  });
}

const filesOf = (folder: string, end: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter(f => f.endsWith(end)) : [];
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
const mapsOf = (folder: string): readonly Mapped[] =>
  filesOf(folder, ".v.map").map(f => ({
    file: join(folder, f.replace(/\.map$/, "")),
    map: readJson(join(folder, f)) as RawMap,
  }));

/** The line itself, so that a choice of several can be made. */
const textAt = ({ file, line }: Place): string =>
  existsSync(file) ? (readFileSync(file, "utf8").split("\n")[line - 1] ?? "").trim() : "";

async function show(places: readonly Place[], none: string): Promise<void> {
  const [first, ...others] = places;
  if (first === undefined) {
    void vscode.window.showInformationMessage(none);
    return;
  }
  const chosen =
    others.length === 0
      ? first
      : (
          await vscode.window.showQuickPick(
            places.map(place => ({
              label: `${basename(place.file)}:${place.line}`,
              description: textAt(place),
              place,
            })),
            { placeHolder: "Several lines belong to it" },
          )
        )?.place;
  if (chosen === undefined) return;
  const at = new vscode.Position(chosen.line - 1, 0);
  // Where the file is seen already, it stays: a jump and back again are two columns, not three.
  const seen = vscode.window.visibleTextEditors.find(e => e.document.fileName === chosen.file);
  await vscode.window.showTextDocument(vscode.Uri.file(chosen.file), {
    viewColumn: seen?.viewColumn ?? vscode.ViewColumn.Beside,
    selection: new vscode.Range(at, at),
  });
}

async function toVerilog(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return;
  const here = hereOf(editor.document),
    line = editor.selection.active.line + 1;
  await mnemo(here, emitArguments(here.source, editor.document.getText()));
  await show(verilogOf(mapsOf(here.folder), here.source, line), "This line makes no Verilog.");
}

async function toSource(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return;
  const file = editor.document.fileName,
    map = `${file}.map`;
  if (!existsSync(map)) {
    void vscode.window.showInformationMessage("There is no source map beside this file.");
    return;
  }
  const raw = readJson(map) as RawMap,
    root = raw.sourceRoot === "" ? projectOf(file) : join(dirname(file), raw.sourceRoot);
  const places = sourceOf(raw, editor.selection.active.line + 1);
  await show(
    places.map(p => ({ ...p, file: join(root, p.file) })),
    "This line stands before everything that has a source.",
  );
}

async function schematic(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return;
  const here = hereOf(editor.document);
  // The folder is made by the first of the two.
  await mnemo(here, emitArguments(here.source, editor.document.getText()));
  const said = await mnemo(here, drawArguments(here.source, editor.document.getText())),
    picture = join(here.folder, "schematic.svg");
  if (!existsSync(picture)) {
    void vscode.window.showErrorMessage(said.split("\n")[0] ?? "mnemo draw has written nothing");
    return;
  }
  const panel = vscode.window.createWebviewPanel(
    "mnemosyne",
    `Schematic of ${basename(here.source)}`,
    vscode.ViewColumn.Beside,
  );
  panel.webview.html = `<!doctype html><body style="background:#fff">${readFileSync(picture, "utf8")}</body>`;
}

/** What elaborates at present or has done so, by address: a hover waits for it. */
const checks = new Map<string, Promise<void>>();

/** Elaborates a file, and puts what is said of it into the list of problems. */
async function check(document: vscode.TextDocument, into: vscode.DiagnosticCollection): Promise<void> {
  if (!hasModule(document.getText())) return;
  const here = hereOf(document),
    said = await mnemo(here, emitArguments(here.source, document.getText())),
    own = basename(here.source);
  into.set(
    document.uri,
    problemsOf(said).map(p => {
      // What is said of another file stands at this one's first line, with the place in its text.
      const isHere = p.file === undefined || p.file === own,
        line = isHere ? Math.min(p.line, document.lineCount) - 1 : 0;
      const d = new vscode.Diagnostic(
        document.lineAt(line).range,
        isHere ? p.text : `${p.text} (${p.file}:${p.line})`,
        p.severity === "error" ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning,
      );
      d.source = "mnemosyne";
      if (p.code !== undefined) d.code = p.code;
      return d;
    }),
  );
}

async function hover(document: vscode.TextDocument, at: vscode.Position): Promise<vscode.Hover | undefined> {
  const word = document.getWordRangeAtPosition(at),
    here = hereOf(document);
  if (word === undefined) return undefined;
  await checks.get(document.uri.toString());
  const found = filesOf(here.folder, ".names.json").flatMap(f =>
    signalsAt(readJson(join(here.folder, f)) as Names, here.source, document.getText(word)),
  );
  if (found.length === 0) return undefined;
  const verilog = (module: string): string | undefined => {
    const path = join(here.folder, `${module}.v`);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
  return new vscode.Hover(new vscode.MarkdownString(hoverText(found, verilog)), word);
}

export function activate(context: vscode.ExtensionContext): void {
  const problems = vscode.languages.createDiagnosticCollection("mnemosyne");
  const elaborate = (document: vscode.TextDocument): void => {
    const wanted = vscode.workspace.getConfiguration("mnemosyne").get<boolean>("onSave") ?? true;
    if (wanted && document.languageId === "typescript") checks.set(document.uri.toString(), check(document, problems));
  };
  // A file is elaborated when it is first seen, and then when it is saved.
  const first = (editor: vscode.TextEditor | undefined): void => {
    if (editor !== undefined && !checks.has(editor.document.uri.toString())) elaborate(editor.document);
  };
  vscode.window.visibleTextEditors.forEach(first);
  context.subscriptions.push(
    problems,
    vscode.commands.registerCommand("mnemosyne.toVerilog", toVerilog),
    vscode.commands.registerCommand("mnemosyne.toSource", toSource),
    vscode.commands.registerCommand("mnemosyne.schematic", schematic),
    vscode.languages.registerHoverProvider("typescript", { provideHover: hover }),
    vscode.window.onDidChangeActiveTextEditor(first),
    vscode.workspace.onDidSaveTextDocument(elaborate),
    vscode.workspace.onDidCloseTextDocument(document => {
      problems.delete(document.uri);
      checks.delete(document.uri.toString());
    }),
  );
}
