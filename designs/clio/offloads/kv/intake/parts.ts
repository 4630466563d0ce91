/** What the steps of the intake share. */
import { bit, type FsmControl, node, reg } from "../../../../../hdl-dsl/index.ts";
import type { KvParameters } from "../parameters.ts";
import type { IntakeIo } from "./ports.ts";
import { formOf, requestOf } from "./request.ts";
import { walkOf } from "./walk.ts";

export function partsOf(io: IntakeIo, p: KvParameters) {
  const state = requestOf(io, p),
    form = formOf(state, p);
  const walk = walkOf(io, p, state.asked.bucket),
    left = node(state.ended.not());
  /** The next beat of a pair is its first. */
  const begins = reg(bit);
  return { io, p, state, form, hash: form.sums, walk, left, begins };
}
export type Parts = ReturnType<typeof partsOf>;

export const states = [
  "idle",
  "head",
  "hash",
  "parse",
  "decide",
  "table",
  "tableWait",
  "block",
  "blockWait",
  "enter",
  "send",
  "drain",
  "answer",
  "look",
  "sweep",
  "weigh",
] as const;
export type Control = FsmControl<(typeof states)[number]>;
