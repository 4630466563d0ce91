/** The beats: beat b of cell c is in bank (b + c) mod banks, so that payloads of one beat do not all meet in bank 0. */
import {
  type bit,
  type Bit,
  constant,
  mux,
  node,
  onehotMux,
  orTree,
  ram,
  reg,
  type UInt,
  uint,
  type UIntShape,
  type Var,
} from "../../../../hdl-dsl/index.ts";
import { fairTurn } from "../../../shared/stream/index.ts";
import { beatBits, cellBits, type StoreParameters } from "./records.ts";

/** One who wants a beat of a cell. */
interface Wish {
  readonly wants: Bit;
  readonly cell: UInt;
  readonly beat: UInt;
  /** To be set: he is served. */
  readonly served: Var<typeof bit>;
}
export interface WriteWish extends Wish {
  readonly data: UInt;
}
export interface ReadWish extends Wish {
  /** To be set: the beat, in the cycle after. */
  readonly data: Var<UIntShape>;
}
/** One bank after another. */
export type Banks = readonly ReturnType<typeof bank>[];
const bank = (p: StoreParameters, i: number) =>
  ram(uint(p.beatBytes * 8), { depth: p.cells, collision: "undefined", style: "block", name: `bank_${i}` });
export const banksOf = (p: StoreParameters): Banks => Array.from({ length: p.cellBeats }, (_, i) => bank(p, i));

const placeOf = (p: StoreParameters, w: Wish): UInt => w.cell.trunc(beatBits(p)).add(w.beat);
/** The word of a number: four of them are one lookup table a bit. */
function choose(index: UInt, words: readonly UInt[]): UInt {
  const [first, second] = words;
  if (first === undefined || second === undefined) return first ?? constant(0, 1);
  const half = words.length / 2,
    lower = index.trunc(Math.max(1, Math.log2(half)));
  return mux(index.bit(Math.log2(half)), choose(lower, words.slice(half)), choose(lower, words.slice(0, half)));
}

/** For each bank who is served there, by turns, and the cell that he wants. */
function serve(name: string, p: StoreParameters, wishes: readonly Wish[]) {
  const places = wishes.map((w, i) => node(placeOf(p, w), { name: `${name}_bank_of_${i}` }));
  return Array.from({ length: p.cellBeats }, (_, b) => {
    const asks = wishes.map((w, i) =>
      node(w.wants.and((places[i] ?? w.beat).eq(b)), { name: `${name}_${i}_asks_${b}` }),
    );
    const grants = fairTurn(`${name}_bank_${b}`, asks),
      cell = node(
        onehotMux(
          grants,
          wishes.map(w => w.cell),
        ),
        { name: `${name}_cell_${b}` },
      );
    return { grants, cell };
  });
}
type Served = ReturnType<typeof serve>;
/** Tells who is served at all. A wish is for one bank. */
const tell = (wishes: readonly Wish[], served: Served): void => {
  wishes.forEach((w, i) => w.served.set(orTree(served.map(s => s.grants[i] ?? w.wants))));
};

/** Writes a beat in each bank, at this edge. */
export function writeBanks(p: StoreParameters, banks: Banks, wishes: readonly WriteWish[]): void {
  const served = serve("write", p, wishes);
  served.forEach(({ grants, cell }, b) => {
    const data = onehotMux(
      grants,
      wishes.map(w => w.data),
    );
    banks[b]?.write(orTree(grants), cell, data);
  });
  tell(wishes, served);
}

/** Reads a beat in each bank. */
export function readBanks(p: StoreParameters, banks: Banks, wishes: readonly ReadWish[]): void {
  const served = serve("read", p, wishes);
  const words = banks.map((bank, b) => {
    const { grants, cell } = served[b] ?? { grants: [], cell: constant(0, cellBits(p)) };
    return bank.readSync(cell, { en: orTree(grants), name: `bank_${b}_word` });
  });
  wishes.forEach((w, i) => {
    const place = reg(uint(beatBits(p)), { name: `read_${i}_bank` });
    place.set(placeOf(p, w));
    w.data.set(choose(place, words));
  });
  tell(wishes, served);
}
