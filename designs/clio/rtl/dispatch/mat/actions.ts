/** The table by opcode, and the rules for a PID that come before it. */
import {
  assignView,
  type Bit,
  fromBits,
  lowestFlat,
  node,
  orTree,
  ram,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";
import { defaultMatTable, matAction, type MatAction, matWords } from "../../../registers/index.ts";
import type { MatIo } from "./ports.ts";
import { MatEntry, type Request } from "./records.ts";

/** The table's content after power-up: the entry's fields, the first in the low bits. */
function packed(entry: (typeof defaultMatTable)[number]): number {
  let word = 0,
    at = 0;
  for (const [name, { width }] of Object.entries(MatEntry.fields)) {
    word |= entry[name as keyof typeof entry] << at;
    at += width;
  }
  return word;
}

/** Written at any time: a request that is taken in the same cycle still sees the old entry. */
export function actionTable(io: MatIo): MatEntry {
  const table = ram(MatEntry, {
    depth: matWords,
    collision: "old",
    style: "distributed",
    init: defaultMatTable.map(packed),
  });
  table.write(io.matWrite.en, io.matWrite.opcode, io.matWrite.entry);
  assignView(io.matEntry, table.readAsync(io.matOpcode), "mat_entry");
  return table.readAsync(io.request.payload.opcode);
}

/** Tells whether the rule that counts (the lowest one for the PID), or else the table, names one of these actions. */
export type Says = (...actions: readonly MatAction[]) => Bit;

export function actionOf(entry: MatEntry, { pid }: Request, rules: MatIo["rules"]): Says {
  const all = rules.toArray();
  const matching = node(fromBits(all.map(r => r.valid.and(r.pid.eq(pid)))));
  // Without an adder's carries.
  const chosen = node(lowestFlat(matching)),
    unruled = node(matching.any().not());
  return (...actions) => {
    const among = (code: UInt): Bit => orTree(actions.map(a => code.eq(matAction[a])));
    const ruled = all.map((r, i) => chosen.bit(i).and(among(r.action)));
    return orTree([...ruled, unruled.and(among(entry.action))]);
  };
}
