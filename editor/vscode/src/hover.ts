/** What is said of a name under the cursor: its width, kind, states and clock domain. */

/** The part of `<top>.names.json` that is used here (hdl-dsl/types/emitted.ts). */
export interface Names {
  readonly modules: Readonly<Record<string, { readonly signals: readonly Signal[] }>>;
}
export interface Signal {
  readonly name: string;
  readonly kind: string;
  readonly width: number;
  readonly signed?: true;
  readonly path: readonly string[];
  readonly states?: readonly string[];
  readonly source?: string;
}

/** A signal with the Verilog of its module. */
export interface Found {
  readonly module: string;
  readonly signal: Signal;
}

/** Signals that a line of a source declares under a name: `left` is `left_q`, too, and each field of a struct. */
export const signalsAt = (names: Names, source: string, name: string): readonly Found[] =>
  Object.entries(names.modules).flatMap(([module, { signals }]) =>
    signals
      .filter(s => s.path[0] === name && s.source?.replace(/:\d+$/, "") === source)
      .map(signal => ({ module, signal })),
  );

/** The clock that a register takes its values at, as the emitter writes it; undefined for what is no register. */
export function clockOf(verilog: string, register: string): string | undefined {
  let clock: string | undefined;
  for (const line of verilog.split("\n")) {
    if (/^\s*always @/.test(line)) clock = /\b(?:pos|neg)edge (\w+)/.exec(line)?.[1];
    else if (/^(?: {2})?\w/.test(line) && !/^\s*(?:else|if|end|case|begin)\b/.test(line)) clock = undefined;
    if (clock !== undefined && new RegExp(`(?:^|[\\s;])${register}(?:\\[[^\\]]*\\])? <=`).test(line)) return clock;
  }
  return undefined;
}

/** `clk` is the default domain's clock, `fast_clk` that of `fast`. */
const domainOf = (clock: string): string =>
  clock === "clk" ? "the default domain" : `domain ${clock.replace(/_clk$/, "")}`;

/** One line of Markdown for each. @param verilogOf the text of a module's file; undefined when it is not at hand */
export const hoverText = (found: readonly Found[], verilogOf: (module: string) => string | undefined): string =>
  found
    .map(({ module, signal: s }) => {
      const text = verilogOf(module),
        clock = text === undefined ? undefined : clockOf(text, s.name);
      return [
        `\`${s.path.join(".")}\`: ${s.kind} of ${s.width} ${s.width === 1 ? "bit" : "bits"}${s.signed === true ? ", signed" : ""}`,
        `\`${s.name}\` in \`${module}\``,
        ...(s.states === undefined ? [] : [`states ${s.states.join(", ")}`]),
        ...(clock === undefined ? [] : [domainOf(clock)]),
      ].join(", ");
    })
    .join("\n\n");
