/* eslint-disable @typescript-eslint/no-extraneous-class -- the classes are VS Code's; here stands what is used. */
/** As much of VS Code's interface as the adapter uses: the project needs no package of its for this. */
declare module "vscode" {
  export class Position {
    constructor(line: number, character: number);
    readonly line: number;
  }
  export class Range {
    constructor(start: Position, end: Position);
  }
  export class Uri {
    static file(path: string): Uri;
    toString(): string;
  }
  export class MarkdownString {
    constructor(text: string);
  }
  export class Hover {
    constructor(content: MarkdownString, range?: Range);
  }
  export enum DiagnosticSeverity {
    Error,
    Warning,
  }
  export class Diagnostic {
    constructor(range: Range, message: string, severity: DiagnosticSeverity);
    source?: string;
    code?: string;
  }
  export enum ViewColumn {
    Beside = -2,
  }
  export interface Disposable {
    dispose(): void;
  }
  export interface DiagnosticCollection extends Disposable {
    set(uri: Uri, diagnostics: readonly Diagnostic[]): void;
    delete(uri: Uri): void;
  }
  export interface TextDocument {
    readonly fileName: string;
    readonly uri: Uri;
    readonly languageId: string;
    readonly lineCount: number;
    getText(range?: Range): string;
    lineAt(line: number): { readonly range: Range };
    getWordRangeAtPosition(at: Position): Range | undefined;
  }
  export interface TextEditor {
    readonly document: TextDocument;
    readonly selection: { readonly active: Position };
    readonly viewColumn: ViewColumn | undefined;
  }
  export interface ExtensionContext {
    readonly subscriptions: Disposable[];
  }
  export const window: {
    readonly activeTextEditor: TextEditor | undefined;
    readonly visibleTextEditors: readonly TextEditor[];
    onDidChangeActiveTextEditor(then: (editor: TextEditor | undefined) => void): Disposable;
    showInformationMessage(text: string): Promise<string | undefined>;
    showErrorMessage(text: string): Promise<string | undefined>;
    showQuickPick<T extends { readonly label: string; readonly description: string }>(
      items: readonly T[],
      options: { readonly placeHolder: string },
    ): Promise<T | undefined>;
    showTextDocument(
      uri: Uri,
      options: { readonly viewColumn: ViewColumn; readonly selection: Range },
    ): Promise<TextEditor>;
    createWebviewPanel(kind: string, title: string, column: ViewColumn): { readonly webview: { html: string } };
  };
  export const workspace: {
    getConfiguration(section: string): { get<T>(name: string): T | undefined };
    onDidSaveTextDocument(then: (document: TextDocument) => void): Disposable;
    onDidCloseTextDocument(then: (document: TextDocument) => void): Disposable;
  };
  export const commands: { registerCommand(name: string, run: () => Promise<void>): Disposable };
  export const languages: {
    createDiagnosticCollection(name: string): DiagnosticCollection;
    registerHoverProvider(
      language: string,
      provider: { provideHover(document: TextDocument, at: Position): Promise<Hover | undefined> },
    ): Disposable;
  };
}
