import { match, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import type { MemoryAsk } from "./types.ts";

/** Words that an access sends with it. */
export const wordsOf = ({ kind, words }: Val<ReturnType<typeof MemoryAsk>>): UInt =>
  match(kind, {
    load: () => words.sub(words),
    store: () => words,
    tas: () => words.sub(words),
    cas: () => words.sub(words).or(2),
    faa: () => words,
    put: () => words,
  });
