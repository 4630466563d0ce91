/** What a module of pieces and a campaign agree on. */
import * as z from "zod";

/** What a piece is asked to do. */
export interface PieceRequest {
  readonly seed: number;
  readonly count: number;
  readonly options: Readonly<Record<string, string | number>>;
}
/** What it found: nothing, or one sentence a problem; and what it measured. */
export const outcomeSchema = z.strictObject({
  problems: z.array(z.string()).default([]),
  figures: z.record(z.string(), z.number()).default({}),
});
export type PieceOutcome = z.output<typeof outcomeSchema>;
/** `export const piece: PieceFunction` of a module. */
export type PieceFunction = (request: PieceRequest) => Promise<z.input<typeof outcomeSchema>>;

/** To a worker, one at a time. */
export interface Order {
  readonly run: import("./pieces.ts").Run;
  readonly seed: number;
  readonly count: number;
}
/** From a worker. */
export interface Answer extends PieceOutcome {
  readonly seconds: number;
}
