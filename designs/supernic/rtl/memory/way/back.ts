/** What comes back to a way: beats of reads, and how writes ended. */
import {
  bit,
  type Bit,
  connect,
  constant,
  mux,
  node,
  reg,
  stage,
  stream,
  struct,
  type Var,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { MemoryError, MemoryGot, MemoryPut, payloadBits } from "../../tasks/index.ts";
import { wayBeats } from "../records.ts";
import { roomy } from "./bounds.ts";
import { mostPieces, Piece, type WayIo } from "./ports.ts";

/** What the way has to know of either. */
export interface Back {
  /** An access is answered; it failed. */
  readonly ends: Bit;
  readonly failed: Bit;
  /** Something is on its way; it is the memory that lets it wait. */
  readonly some: Bit;
  readonly held: Bit;
  /** A piece of the access before has failed. */
  readonly failing: Var<typeof bit>;
}
/** Pieces that begin: `Access` has them. */
interface ReadPieces {
  readonly mapped: Bit;
  readonly refused: Bit;
  readonly isWrite: Bit;
  readonly crosses: Bit;
}
const pieceOf = ({ refused, crosses }: Pick<ReadPieces, "refused" | "crosses">) => ({
  denied: refused,
  last: refused.or(crosses.not()),
});

/**
 * Beats in the order of the asks; a refused piece has one of zeros. `comes`: a beat's place is free again. @param most
 * what can wait; less than a way has for proofs alone
 */
export function readsBack(
  io: Pick<WayIo, "r" | "got">,
  access: ReadPieces,
  most = { pieces: mostPieces, beats: wayBeats },
): Back & { readonly comes: Bit; readonly shows: Bit } {
  const { mapped, refused, isWrite } = access;
  const reads = node(mapped.or(refused).andNot(isWrite), { name: "read_begins" }),
    { out: reading } = roomy("read_pieces", Piece, most.pieces, reads, pieceOf(access));
  const came = roomy("read_beats", struct({ ...MemoryPut.fields, last: bit, bad: bit }), most.beats, io.r.valid, {
    data: io.r.payload.data.is(payloadBits),
    last: io.r.payload.last,
    bad: io.r.payload.resp.any(),
  });
  io.r.ready.set(1);
  const beat = stream(MemoryGot, { name: "read_answer" }),
    failedRead = reg(bit, { init: 0, name: "read_failed" }),
    readBad = node(failedRead.or(came.out.payload.bad), { name: "read_is_bad" }),
    endsPiece = node(reading.payload.denied.or(came.out.payload.last), { name: "piece_ends" }),
    endsRead = node(endsPiece.and(reading.payload.last), { name: "read_ends" });
  beat.valid.set(reading.valid.and(reading.payload.denied.or(came.out.valid)));
  const nothing = node(reading.payload.denied.or(came.out.payload.bad), { name: "read_shows_nothing" });
  beat.payload.set({
    data: mux(nothing, constant(0, payloadBits), came.out.payload.data),
    last: endsRead,
    error: mux(reading.payload.denied, MemoryError.denied, mux(readBad, MemoryError.failed, MemoryError.none)),
  });
  came.out.ready.set(beat.ready.and(reading.valid).andNot(reading.payload.denied));
  reading.ready.set(beat.fire.and(endsPiece));
  when(beat.fire, () => failedRead.set(readBad.andNot(endsRead).andNot(reading.payload.denied)));
  const shown = stage(beat, "forward", { name: "got_stage" });
  connect(shown, io.got);
  const { denied } = reading.payload;
  return {
    ends: shown.fire.and(shown.payload.last),
    failed: beat.fire.and(endsRead).and(readBad).andNot(denied),
    some: reading.valid,
    shows: shown.valid,
    held: node(reading.valid.andNot(denied).andNot(came.out.valid), { name: "read_held" }),
    failing: failedRead,
    comes: came.out.fire,
  };
}

/** One answer for each write. @param most pieces that can wait; less than a way has for proofs alone */
export function writesBack(
  io: Pick<WayIo, "b" | "wrote">,
  access: Pick<ReadPieces, "refused" | "crosses">,
  begins: Bit,
  most = mostPieces,
): Back {
  const { out: writing } = roomy("write_pieces", Piece, most, begins, pieceOf(access));
  const answers = roomy("write_answers", bit, most, io.b.valid, io.b.payload.resp.any());
  io.b.ready.set(1);
  const failedWrite = reg(bit, { init: 0, name: "write_failed" }),
    writeBad = node(failedWrite.or(answers.out.payload), { name: "write_is_bad" }),
    wroteOne = node(writing.valid.and(writing.payload.denied.or(answers.out.valid)), { name: "wrote_one" }),
    tells = node(wroteOne.and(writing.payload.last), { name: "wrote_tells" }),
    gone = node(wroteOne.and(writing.payload.last.not().or(io.wrote.ready)), { name: "wrote_goes" });
  io.wrote.valid.set(tells);
  io.wrote.payload.set({
    error: mux(writing.payload.denied, MemoryError.denied, mux(writeBad, MemoryError.failed, MemoryError.none)),
  });
  writing.ready.set(gone);
  answers.out.ready.set(gone.andNot(writing.payload.denied));
  when(gone, () => failedWrite.set(writeBad.andNot(writing.payload.last)));
  const { denied, last } = writing.payload,
    ends = gone.and(last);
  return {
    ends,
    failed: ends.and(writeBad).andNot(denied),
    some: writing.valid,
    held: node(writing.valid.andNot(denied).andNot(answers.out.valid), { name: "write_held" }),
    failing: failedWrite,
  };
}
