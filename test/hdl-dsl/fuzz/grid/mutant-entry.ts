/** Emits programs of the grid: bundled with a faulty language, it shows what that language makes of them. */
import { emitCircuit } from "../../../../hdl-dsl/verilog/emit.ts";
import { passes } from "./batch.ts";

export interface EmittedFile {
  readonly name: string;
  readonly text: string;
}

/** The Verilog of `count` programs from number `from` on, or the message of what the language found wrong. */
export function texts(seed: number, name: string, from: number, count: number): (readonly EmittedFile[] | string)[] {
  const out: (readonly EmittedFile[] | string)[] = [];
  let n = 0;
  for (const { make } of passes(seed, name)) {
    if (n++ < from) continue;
    if (out.length === count) break;
    try {
      out.push(emitCircuit(make().circuit).files.map(f => ({ name: f.name, text: f.text })));
    } catch (e) {
      out.push((e as Error).message);
    }
  }
  return out;
}
