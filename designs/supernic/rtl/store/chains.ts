/** The chains of cells: which cell follows which. Each group that follows them has a copy of its own. */
import type { bit } from "../../../../hdl-dsl/index.ts";
import {
  type Bit,
  node,
  onehotMux,
  orTree,
  ram,
  type Ram,
  type UInt,
  type Val,
  type Var,
} from "../../../../hdl-dsl/index.ts";
import { fairTurn } from "../../../shared/stream/index.ts";
import { Chain, type StoreParameters } from "./records.ts";

type ChainShape = ReturnType<typeof Chain>;
/** What is written of a chain: what follows a cell. */
export interface Link {
  readonly en: Bit;
  readonly cell: UInt;
  readonly value: { readonly last: Bit; readonly next: UInt };
}
/** One who asks what follows a cell. */
export interface Asker {
  readonly asks: Bit;
  readonly cell: UInt;
  /** To be set: he is served. */
  readonly served: Var<typeof bit>;
  /** To be set: the answer, in the cycle after. */
  readonly link: Var<ChainShape>;
}
export type ChainMemory = Ram<ChainShape>;

/**
 * A copy of the chains. Each link is written once, before anybody may ask for it: what is read at the edge of a write
 * does not matter.
 */
export const chainCopy = (p: StoreParameters, name: string): ChainMemory =>
  ram(Chain(p), { depth: p.cells, collision: "undefined", style: "block", name: `${name}_chains` });

/** Several askers at one copy, by turns: whoever asks is served after each other one at most once. */
export function askByTurns(name: string, memory: ChainMemory, askers: readonly Asker[]): void {
  const served = fairTurn(
    `${name}_turn`,
    askers.map(a => a.asks),
  );
  const cell = node(
    onehotMux(
      served,
      askers.map(a => a.cell),
    ),
    { name: `${name}_asked` },
  );
  const link: Val<ChainShape> = memory.readSync(cell, { en: orTree(served), name: `${name}_link` });
  askers.forEach((a, i) => {
    a.served.set(served[i] ?? a.asks);
    a.link.set(link);
  });
}
