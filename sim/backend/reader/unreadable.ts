import { Unsupported } from "../unsupported.ts";

/** Where something stands in the text. */
export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Verilog outside the subset that is read here: one sentence with its place. */
export function unreadable(at: Place, what: string): Unsupported {
  return new Unsupported(`${at.file}:${at.line} has ${what}`);
}
