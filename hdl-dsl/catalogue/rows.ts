/** How the lists of units are written. */
import { input, output } from "../types/ports.ts";
import type { Shape, UIntShape } from "../types/shape.ts";
import type { UInt } from "../types/value.ts";
import { type Def, module } from "../build/module.ts";
import type { CatalogueEntry } from "./entry.ts";

/** A function of one value. */
export const pure = (name: string, from: UIntShape, to: Shape & UIntShape, f: (v: UInt) => UInt): Def =>
  module(
    name,
    () => ({ from: input(from), to: output(to) }),
    io => io.to.set(f(io.from).is(to.width)),
  )();

type Row = Omit<CatalogueEntry, "source" | "interval"> & { readonly file: string; readonly interval?: number | string };
/** An entry; `file` is below `hdl-dsl/` and without its ending. */
export const row = ({ file, interval, ...r }: Row): CatalogueEntry => ({
  source: `hdl-dsl/${file}.ts`,
  interval: interval ?? 1,
  ...r,
});
