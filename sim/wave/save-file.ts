/**
 * A GTKWave save file beside a wave: a group for each module, a group for each struct, state machines by the names
 * of their states.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { NamedModule, NamedSignal, NameMap } from "../../hdl-dsl/index.ts";

// Trace flags of GTKWave (analyzer.h), written in hexadecimal before the traces that they hold for.
const HEX = 0x2,
  RIGHT = 0x20,
  BLANK = 0x200,
  TRANSLATED = 0x2000,
  CLOSED = 0x400000,
  BEGIN = 0x800000,
  END = 0x1000000;
const flags = (n: number): string => `@${n.toString(16)}`;

/** A file that gives the values of one state machine their names. */
export interface StateNames {
  readonly name: string;
  readonly text: string;
}

/**
 * @param names the design's name map @param wave path of the wave @param scope what the simulator puts before the top
 * module's own signals
 * @param folder where the state names stand, as GTKWave is to look for it
 */
export function saveFile(
  names: NameMap,
  wave: string,
  scope: string,
  folder: string,
): { readonly text: string; readonly states: readonly StateNames[] } {
  const lines = [`[dumpfile] "${basename(wave)}"`],
    states = new Map<string, string>();
  const trace = (s: NamedSignal, path: string): void => {
    const text = `${path}.${s.name}${s.width === 1 ? "" : `[${s.width - 1}:0]`}`;
    if (s.states === undefined) {
      lines.push(flags(HEX | RIGHT), text);
      return;
    }
    const table = s.states
      .map((name, n) => `${(s.codes?.[n] ?? n).toString(16).padStart(Math.ceil(s.width / 4), "0")} ${name}\n`)
      .join("");
    const file = `${s.name}_${s.states.join("_").replace(/\W/g, "").slice(0, 60)}.txt`;
    states.set(file, table);
    lines.push(flags(TRANSLATED | HEX | RIGHT), `^1 ${join(folder, file)}`, text);
  };
  const group = (name: string, closed: boolean, fill: () => void): void => {
    lines.push(flags(BEGIN | BLANK | (closed ? CLOSED : 0)), `-${name}`);
    fill();
    lines.push(flags(END | BLANK | (closed ? CLOSED : 0)), `-${name}`);
  };
  const show = (m: NamedModule, path: string): void => {
    for (const [declaration, signals] of byDeclaration(m.signals)) {
      const only = signals[0];
      if (signals.length === 1 && only !== undefined) trace(only, path);
      else
        group(declaration, true, () => {
          for (const s of signals) trace(s, path);
        });
    }
    for (const i of m.instances) {
      const inner = names.modules[i.module];
      if (inner !== undefined) group(`${i.name} (${i.module})`, true, () => show(inner, `${path}.${i.name}`));
    }
  };
  const top = names.modules[names.top];
  if (top !== undefined) show(top, scope);
  return { text: `${lines.join("\n")}\n`, states: [...states].map(([name, text]) => ({ name, text })) };
}

/** Fields of one struct, parts of one stream, elements of one vec stand together. */
function byDeclaration(signals: readonly NamedSignal[]): Map<string, NamedSignal[]> {
  const out = new Map<string, NamedSignal[]>();
  for (const s of signals) {
    const key = s.path[0] ?? s.name,
      list = out.get(key);
    if (list === undefined) out.set(key, [s]);
    else list.push(s);
  }
  return out;
}

/** Writes `<wave>.gtkw`, and the state names into `<wave>.states/`. */
export function writeSaveFile(names: NameMap, wave: string, scope: string): void {
  const folder = `${wave}.states`,
    save = saveFile(names, wave, scope, folder);
  if (save.states.length > 0) mkdirSync(folder, { recursive: true });
  for (const s of save.states) writeFileSync(join(folder, s.name), s.text);
  writeFileSync(`${wave}.gtkw`, save.text);
}
