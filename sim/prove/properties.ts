/** The properties of an emitted design, and where they stand in its text. */
import type { EmittedDesign } from "../../hdl-dsl/index.ts";

/** One `assertAlways`, `assumeAlways` or `cover`. */
export interface Property {
  readonly what: "assert" | "assume" | "cover";
  readonly message: string;
  /** TypeScript, `file.ts:12`. */
  readonly position: string;
  readonly file: string;
  /** Line in the Verilog file, from 1. */
  readonly line: number;
}

/**
 * Every property of the design: the formal half of each file, in the order in which the emitter lists their messages.
 */
export function propertiesOf(design: EmittedDesign): readonly Property[] {
  const found: Omit<Property, "message" | "position">[] = [];
  for (const f of design.files) {
    let formal = false;
    f.text.split("\n").forEach((text, i) => {
      if (text.startsWith("`ifdef FORMAL")) formal = true;
      else if (text.startsWith("`else") || text.startsWith("`endif")) formal = false;
      const what = formal ? /\b(assert|assume|cover) \(/.exec(text)?.[1] : undefined;
      if (what !== undefined) found.push({ what: what as Property["what"], file: f.name, line: i + 1 });
    });
  }
  // A property under a condition that is constant is not emitted: its message then has no line to go with.
  if (found.length !== design.assertions.length) {
    throw new Error(
      `${design.top}: ${design.assertions.length} properties are declared and ${found.length} are emitted; ` +
        "take those away that can never be reached",
    );
  }
  return found.map((p, i) => ({
    ...p,
    ...(design.assertions[i] as { readonly message: string; readonly position: string }),
  }));
}

/** The property that a tool's position (`file.v:83.70-84.129`, innermost last) means. */
export function propertyAt(properties: readonly Property[], text: string): Property | undefined {
  const places = [...text.matchAll(/([\w.$-]+\.v):(\d+)(?:\.\d+-(\d+))?/g)];
  for (const [, file, from, to] of places.reverse()) {
    const last = Number(to ?? from);
    const found =
      properties.find(p => p.file === file && p.line === last) ??
      properties.find(p => p.file === file && p.line >= Number(from) && p.line <= last);
    if (found !== undefined) return found;
  }
  return undefined;
}
