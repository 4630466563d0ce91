/** Errors as data: stable code, sentence, both positions, likely fix. All of a run are reported together. */
import type { Position } from "./circuit.ts";

/** One message of the language: its code, what is wrong, the remedy, both places in the source. */
export interface Diagnostic {
  /** Stable, e.g. `HDL003`; see docs. */
  readonly code: string;
  /** Name of the module; empty outside of any. */
  readonly module: string;
  /** One sentence: the fault. */
  readonly message: string;
  /** One sentence: the likely fix. */
  readonly fix: string;
  /** Where it was found. */
  readonly at: Position | undefined;
  /** The other party: where the signal was declared, or the other driver. */
  readonly related: Position | undefined;
}

/** `file.ts:12` (base name: no machine path in any output). */
export function shortPosition(p: Position | undefined): string {
  return p === undefined
    ? "?"
    : `${p.file.slice(Math.max(p.file.lastIndexOf("/"), p.file.lastIndexOf("\\")) + 1)}:${p.line}`;
}

/** Whether a code is that of a warning: the design is emitted all the same, unless the user is strict. */
export const isWarning = (code: string): boolean => code.startsWith("HDL2");

/** `error HDL003 in Counter_width8: ... (counter.ts:8; declared at counter.ts:6). Fix: ...` */
export function formatDiagnostic(d: Diagnostic): string {
  const related = d.related === undefined ? "" : `; see ${shortPosition(d.related)}`;
  return `${d.code}${d.module === "" ? "" : ` in ${d.module}`}: ${d.message} (${shortPosition(d.at)}${related}). ${d.fix}`;
}

/** Thrown once, with everything found. */
export class HdlError extends Error {
  override readonly name = "HdlError";
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(formatDiagnostic).join("\n"));
    this.diagnostics = diagnostics;
  }
}
