import { type Def, type Diagnostic, emit, type Emitted, formatDiagnostic } from "../hdl-dsl/index.ts";
import type { Terminal } from "../designs/shared/command-line/index.ts";

/** Emits definitions and keeps their warnings, each once however many designs have the module. */
export class Warned {
  readonly strict: boolean;
  readonly #found = new Map<string, Diagnostic>();

  constructor(strict: boolean) {
    this.strict = strict;
  }

  /** @throws HdlError with every error of the run; strict: with every warning, too */
  emit(def: Def): Emitted {
    const emitted = emit(def, { strict: this.strict });
    for (const w of emitted.warnings) this.#found.set(formatDiagnostic(w), w);
    return emitted;
  }

  /** Lists what was found, and counts it. */
  print(terminal: Terminal): void {
    for (const text of this.#found.keys()) terminal.error(`warning: ${text}`);
    const n = this.#found.size;
    if (n > 0) terminal.error(`${n} ${n === 1 ? "warning" : "warnings"}; --strict makes them errors`);
  }
}
