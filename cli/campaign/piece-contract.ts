/**
 * What a module of pieces and a campaign agree on. Types only: a worker starts without the packages that check what it
 * answers.
 */
import type { Run } from "./pieces.ts";

/** What a piece is asked to do. */
export interface PieceRequest {
  readonly seed: number;
  readonly count: number;
  readonly options: Readonly<Record<string, string | number>>;
}
/** What it found: nothing, or one sentence a problem; and what it measured, finite numbers. */
export interface PieceOutcome {
  readonly problems: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}
/** `export const piece: PieceFunction` of a module; what is left out is empty. */
export type PieceFunction = (request: PieceRequest) => Promise<Partial<PieceOutcome>>;

/** To a worker, one at a time. */
export interface Order {
  readonly run: Run;
  readonly seed: number;
  readonly count: number;
}
/** From a worker. */
export interface Answer extends PieceOutcome {
  readonly seconds: number;
}
