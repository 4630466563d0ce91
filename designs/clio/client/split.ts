import { piecesAtOnce } from "./link/options.ts";

/** A part of a read or write that fits one packet: `length` bytes, `offset` bytes into the whole. */
export interface Piece {
  readonly offset: number;
  readonly length: number;
}

/** The parts of an access in address order (paper §4.4.5, T1), each at most `room` bytes. */
export function* piecesOf(length: number, room: number): Generator<Piece> {
  for (let offset = 0; offset < length; offset += room) yield { offset, length: Math.min(room, length - offset) };
}

/**
 * Does every part, `atOnce` at a time; they end in any order. Once one has failed no more are begun.
 * @returns when all that were begun have ended, so that nothing of a failed operation is still under way
 * @throws the first failure
 */
export async function eachPiece(
  pieces: Iterator<Piece>,
  perform: (piece: Piece) => Promise<void>,
  atOnce = piecesAtOnce,
): Promise<void> {
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = pieces.next(); next.done !== true && failures.length === 0; next = pieces.next()) {
      try {
        await perform(next.value);
      } catch (e) {
        failures.push(e);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
