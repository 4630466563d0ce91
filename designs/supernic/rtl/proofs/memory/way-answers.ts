/**
 * Each access to memory is answered once, and in order: what comes back of reads, and of writes, for pieces that come
 * as `MemoryWay: a burst stays in its look's page` shows. Two accesses and two beats can wait, and not 8 and 32;
 * it is the same hardware.
 */
import {
  assertAlways,
  assumeAlways,
  axi4Read,
  axi4Response,
  bit,
  type Bit,
  constant,
  cover,
  input,
  type Inside,
  module,
  mux,
  node,
  type Proof,
  reg,
  sink,
  source,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { busOf, readsBack, writesBack } from "../../memory/index.ts";
import { MemoryGot, MemoryWrote } from "../../tasks/index.ts";

const p = { ways: 2, pages: 4, spaces: 2, pageShift: 13, ppnBits: 2, freePages: 2 } as const,
  ACCESSES = 2,
  BEATS = 2,
  most = { pieces: 2 * ACCESSES, beats: BEATS };
/** A piece begins: it goes to the bus, or is refused; and whether another piece of its access follows. */
const pieces = () => ({ mapped: input(bit), refused: input(bit), crosses: input(bit) });
type Pieces = Inside<ReturnType<typeof pieces>>;

/** Accesses whose last piece has begun, and which have not been answered; and which of them were denied, in order. */
function accessesOf({ mapped, refused, crosses }: Pieces) {
  const due = reg(uint(2), { init: 0, name: "model_due" }),
    half = reg(bit, { init: 0, name: "model_half" }),
    denied = reg(uint(ACCESSES), { init: 0, name: "model_denied" }),
    goes = node(mapped.or(refused), { name: "model_piece" }),
    ends = node(refused.or(mapped.andNot(crosses)), { name: "model_last_piece" });
  assumeAlways(mapped.and(refused).not(), "a piece goes one way");
  assumeAlways(goes.andNot(half).not().or(due.ne(ACCESSES)), "so many accesses are not answered, at most");
  assumeAlways(half.and(mapped).and(crosses).not(), "an access has two pieces at most");
  when(goes, () => half.set(ends.not()));
  return {
    due,
    half,
    /** The oldest one was denied. */
    first: denied.bit(0),
    answered: (answer: Bit): void => {
      due.set(due.add(ends.zext(2)).sub(answer.zext(2)));
      const left = node(mux(answer, denied.shr(1), denied), { name: "model_denied_left" }),
        place = node(due.sub(answer.zext(2)), { name: "model_place" });
      denied.set(
        left.or(mux(refused, mux(place.any(), constant(2, ACCESSES), constant(1, ACCESSES)), constant(0, ACCESSES))),
      );
      assertAlways(answer.not().or(due.any()), "an answer belongs to an access: none has two");
    },
  };
}
/** Pieces that the memory has. */
function busFor(mapped: Bit, over: Bit) {
  const atBus = reg(uint(3), { init: 0, name: "model_at_bus" }),
    after = node(atBus.sub(over.zext(3)), { name: "model_at_bus_after" });
  atBus.set(after.add(mapped.zext(3)));
  return { atBus, after };
}

const reads = module(
  "WayReadsProof",
  () => ({ ...pieces(), beats: input(uint(2)), r: sink(axi4Read(busOf(p))), got: source(MemoryGot) }),
  io => {
    const { mapped, refused, crosses, r, got } = io,
      // Of a way's ports what comes back of reads looks at.
      back = readsBack({ r, got }, { mapped, refused, crosses, isWrite: constant(0, 1) }, most),
      { due, half, first, answered } = accessesOf(io),
      over = node(r.valid.and(r.payload.last), { name: "model_piece_over" }),
      { atBus, after } = busFor(mapped, over);
    // Beats that the memory owes, each piece at least one; a piece goes when there is room for all of it.
    const owed = reg(uint(2), { init: 0, name: "model_owed" }),
      room = reg(uint(2), { init: BEATS, name: "model_room" }),
      owes = node(owed.sub(r.valid.zext(2)), { name: "model_owes" }),
      takes = node(mux(mapped, io.beats, constant(0, 2)).is(2), { name: "model_takes" });
    assumeAlways(mapped.not().or(io.beats.any().and(io.beats.le(room))), "there is room for a piece that goes");
    assumeAlways(r.valid.not().or(atBus.any()), "a beat belongs to a piece");
    assumeAlways(
      r.valid.not().or(after.le(owes.zext(3)).and(after.any().eq(owes.any()))),
      "each piece ends with the last of its beats",
    );
    owed.set(owes.add(takes));
    room.set(room.add(back.comes.zext(2)).sub(takes));

    answered(node(got.fire.and(got.payload.last), { name: "model_answered" }));
    const came = reg(bit, { init: 0, name: "model_came" }),
      last = node(got.valid.and(got.payload.last), { name: "model_shows_last" });
    came.set(r.valid);
    assertAlways(last.not().or(got.payload.error.is("denied").eq(first)), "whoever was denied is told so, nobody else");
    assertAlways(back.some.or(back.shows).or(due.any().not()), "no access is left without an answer");
    assertAlways(back.held.not().or(atBus.any()).or(came), "whoever waits, waits for the memory");
    assertAlways(got.valid.not().or(due.any()).or(half), "a beat belongs to an access");
    assertAlways(
      due.any().or(half).or(owed.any()).or(back.some).or(room.eq(BEATS)),
      "each beat goes to the access that it was read for",
    );
    const late = reg(uint(3), { init: 0, name: "model_late" });
    late.set(mux(due.any().andNot(got.valid).andNot(atBus.any()), late.add(1), constant(0, 3)));
    assertAlways(late.lt(4), "an access is answered at once when the memory owes nothing");
    cover(got.fire.and(last).and(due.eq(2)), "two accesses wait, and one is answered");
    cover(last.and(got.payload.error.is("denied")), "an access is denied");
    cover(last.and(got.payload.error.is("failed")), "an access fails");
  },
);
const writes = module(
  "WayWritesProof",
  () => ({ ...pieces(), b: sink(axi4Response(busOf(p))), wrote: source(MemoryWrote) }),
  io => {
    const { mapped, refused, crosses, b, wrote } = io,
      // As for reads.
      back = writesBack({ b, wrote }, { refused, crosses }, mapped.or(refused), most.pieces),
      { due, first, answered } = accessesOf(io),
      { atBus } = busFor(mapped, b.valid),
      came = reg(bit, { init: 0, name: "model_came" });
    came.set(b.valid);
    assumeAlways(b.valid.not().or(atBus.any()), "an answer belongs to a piece");
    answered(wrote.fire);
    assertAlways(
      wrote.valid.not().or(wrote.payload.error.is("denied").eq(first)),
      "whoever was denied is told so, nobody else",
    );
    assertAlways(back.some.or(due.any().not()), "no access is left without an answer");
    assertAlways(back.held.not().or(atBus.any()).or(came), "whoever waits, waits for the memory");
    cover(wrote.fire.and(due.eq(2)), "two accesses wait, and one is answered");
    cover(wrote.fire.and(wrote.payload.error.is("failed")), "an access fails");
    cover(wrote.fire.and(first), "an access is denied");
  },
);
const common = { own: true, by: "abc pdr" } as const;
export const wayAnswersProofs: readonly Proof[] = [
  {
    module: "MemoryWay: each read is answered once, 2 accesses",
    harness: reads(),
    ...common,
    long: true,
    faults: [
      {
        what: "a denied read waits for a beat",
        from: "(read_pieces_pop_payload_denied | read_beats_pop_valid)",
        to: "read_beats_pop_valid",
      },
      {
        what: "a denied read takes the next one's beat",
        from: "& read_pieces_pop_valid & ~read_pieces_pop_payload_denied;",
        to: "& read_pieces_pop_valid;",
      },
      { what: "each piece answers its access", from: /read_ends = [^;]*;/, to: "read_ends = piece_ends;" },
      { what: "each beat ends its piece", from: /piece_ends = [^;]*;/, to: "piece_ends = 1'b1;" },
      {
        what: "a piece stays when its beats are taken",
        from: "& read_answer_ready & piece_ends;",
        to: "& read_answer_ready & piece_ends & ~read_failed;",
      },
    ],
  },
  {
    module: "MemoryWay: each write is answered once, 2 accesses",
    harness: writes(),
    ...common,
    faults: [
      { what: "each piece answers its access", from: /wrote_tells = [^;]*;/, to: "wrote_tells = wrote_one;" },
      {
        what: "an answer is not held until it is taken",
        from: "(~write_pieces_pop_payload_last | wrote_ready)",
        to: "1'b1",
      },
      {
        what: "a denied write takes another one's answer",
        from: "wrote_goes & ~write_pieces_pop_payload_denied;",
        to: "wrote_goes;",
      },
      {
        what: "a write is answered before the memory has",
        from: "(write_pieces_pop_payload_denied | write_answers_pop_valid)",
        to: "1'b1",
      },
    ],
  },
];
