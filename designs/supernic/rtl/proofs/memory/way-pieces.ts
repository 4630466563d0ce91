/**
 * A burst of a way stays in the page that its look was given: each piece of an access is looked up by its own
 * page, goes to the bus once and only with a verdict that says `mapped`, in that verdict's page and at the place
 * that was asked for, and never crosses 4 KB. Each access that is not given up has one piece that ends it: so it
 * is answered once, as the proofs of the ways back show. How much room there is, and what is here, is free.
 */
import {
  assertAlways,
  assumeAlways,
  axi4Address,
  bit,
  type Bit,
  cat,
  constant,
  cover,
  input,
  type Inside,
  module,
  mux,
  node,
  output,
  past,
  type Proof,
  reg,
  sink,
  source,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import {
  accessOf,
  atBits,
  type Bounds,
  busOf,
  laneBits,
  levelBits,
  Look,
  Verdict,
  type WayIo,
} from "../../memory/index.ts";
import { MemoryAsk } from "../../tasks/index.ts";

/** Pages of 8 KB: two windows of 4 KB in each. */
const p = { ways: 2, pages: 4, spaces: 2, pageShift: 13, ppnBits: 2, freePages: 2 } as const,
  WINDOW = 12,
  BEATS = WINDOW - laneBits;

const ports = () => ({
  ask: sink(MemoryAsk),
  off: input(bit),
  look: source(Look(p)),
  verdict: input(Verdict(p)),
  wanting: output(bit),
  ar: source(axi4Address(busOf(p))),
  aw: source(axi4Address(busOf(p))),
  accesses: input(uint(4)),
  room: input(uint(levelBits)),
  here: input(uint(levelBits)),
  /** What software sees of a way that waits. */
  waits: output(uint(3)),
});

/** A piece that is due at the bus: its page, where it begins, and its beats less one. */
interface Piece {
  readonly due: Bit;
  readonly page: UInt;
  readonly next: UInt;
  readonly more: UInt;
}
function burstOwes(bus: Inside<ReturnType<typeof ports>>["ar"], what: string, { due, page, next, more }: Piece): void {
  const { addr, len, size, burst } = bus.payload,
    place = cat(next.bits(laneBits, p.pageShift - laneBits), constant(0, laneBits)),
    owes = (holds: Bit, sentence: string): void => assertAlways(bus.valid.not().or(holds), `${what} ${sentence}`);
  owes(due, "has a verdict");
  owes(addr.shr(p.pageShift).eq(page.zext(addr.width)), "is in its look's page");
  owes(addr.trunc(p.pageShift).eq(place), "is at the place that was asked for");
  owes(len.eq(more.zext(8)), "has the piece's beats");
  owes(addr.bits(laneBits, BEATS).addGrow(len.trunc(BEATS)).bit(BEATS).not(), "does not leave its 4 KB, nor its page");
  owes(size.eq(laneBits).and(burst.eq(1)), "is of full beats");
}

const harness = module("WayPiecesProof", ports, io => {
  const free = (n: unknown) => ({ n, change: () => undefined }),
    bounds = { accesses: free(io.accesses), room: free(io.room), here: free(io.here) } as unknown as Bounds, // Free.
    // What the way's access looks at of all its ports.
    access = accessOf(io as Pick<WayIo, keyof Inside<ReturnType<typeof ports>> & keyof WayIo> as WayIo, p, bounds),
    { off, verdict, look, ar, aw } = io,
    { idle, sent, refused, mapped } = access;

  // The access: where its next piece begins, and how many bytes less one are left.
  const open = reg(bit, { init: 0, name: "model_open" }),
    next = reg(uint(atBits), { name: "model_next" }),
    left = reg(uint(10), { name: "model_left" }),
    write = reg(bit, { name: "model_write" }),
    asked = reg(bit, { init: 0, name: "model_asked" }),
    given = reg(bit, { init: 0, name: "model_given" }),
    page = reg(uint(p.ppnBits), { name: "model_page" }),
    second = reg(bit, { init: 0, name: "model_second" }),
    ended = reg(bit, { init: 0, name: "model_ended" });
  const end = node(next.trunc(WINDOW).addGrow(left.zext(WINDOW)), { name: "model_end" }),
    over = end.bit(WINDOW),
    first = next.bits(laneBits, BEATS),
    lastBeat = node(mux(over, constant(2 ** BEATS - 1, BEATS), end.bits(laneBits, BEATS)), { name: "model_last_beat" }),
    begins = node(io.ask.fire.andNot(off), { name: "model_begins" }),
    givenUp = node(open.and(idle), { name: "model_given_up" }),
    closes = node(refused.or(sent.and(over.not().or(off))), { name: "model_closes" }),
    final = node(mapped.andNot(over).or(refused), { name: "model_final" });
  when(givenUp.or(closes), () => open.set(0));
  when(begins, () => {
    open.set(1);
    next.set(io.ask.payload.address.zext(atBits));
    left.set(io.ask.payload.lastByte);
    write.set(io.ask.payload.write);
    ended.set(0);
    second.set(0);
  });
  when(sent.andNot(closes), () => {
    next.set(cat(next.bits(WINDOW, atBits - WINDOW).add(1), constant(0, WINDOW)).is(atBits));
    left.set(end.trunc(10));
    second.set(1);
  });
  when(final, () => ended.set(1));
  when(look.fire, () => asked.set(1)).elseWhen(verdict.valid, () => asked.set(0));
  assumeAlways(verdict.valid.not().or(asked), "a verdict belongs to a look");
  when(sent, () => given.set(0));
  when(verdict.valid.and(verdict.kind.is("mapped")), () => {
    given.set(1);
    page.set(verdict.ppn);
  });

  // What the way owes.
  assertAlways(
    look.valid
      .not()
      .or(look.payload.vpn.eq(next.shr(p.pageShift).trunc(atBits - p.pageShift)).and(look.payload.write.eq(write))),
    "a look is for the page of the next piece",
  );
  assertAlways(look.valid.not().or(asked.not()), "a way looks once at a time");
  const piece = { page, next, more: node(lastBeat.sub(first), { name: "model_more_beats" }) };
  burstOwes(ar, "a read", { ...piece, due: open.and(given).andNot(write) });
  burstOwes(aw, "a write", { ...piece, due: open.and(given).and(write) });
  assertAlways(sent.and(second).and(over).not(), "an access has two pieces at most");
  assertAlways(second.not().or(next.trunc(WINDOW).any().not()), "inside: the second one begins where 4 KB do");
  assertAlways(final.not().or(open.andNot(ended)), "an access is ended once");
  assertAlways(closes.andNot(off).not().or(ended.or(final)), "an access that is over has been ended");
  assertAlways(givenUp.not().or(past(off)), "only a task that is off gives up an access");

  // As it is inside: so that one step is enough.
  const busy = node(idle.not(), { name: "model_busy" }),
    cutOut = node(access.needs.or(access.looks).or(access.judged).or(access.waits).or(access.goes).or(refused), {
      name: "model_cut_out",
    });
  assertAlways(busy.not().or(open), "inside: whoever is busy has an access");
  assertAlways(
    busy.not().or(access.at.eq(next).and(access.left.eq(left)).and(access.isWrite.eq(write))),
    "inside: it is at the next piece",
  );
  assertAlways(
    cutOut.not().or(access.crosses.eq(over).and(access.beats.eq(lastBeat.sub(first).add(1).trunc(5)))),
    "inside: a piece is cut as the access says",
  );
  assertAlways(cutOut.andNot(over).not().or(access.rest.any()), "inside: a piece has beats");
  assertAlways(
    cutOut.not().or(access.lastLane.eq(mux(over, constant(2 ** laneBits - 1, laneBits), end.trunc(laneBits)))),
    "a piece ends with the byte that was asked for, or with its 4 KB",
  );
  io.waits.set(cat(access.page, access.remote).is(3));
  assertAlways(
    cutOut
      .and(over)
      .not()
      .or(access.leftBehind.eq(end.trunc(10))),
    "inside: what is left behind it",
  );
  assertAlways(asked.eq(access.judged), "inside: a look is out");
  assertAlways(given.eq(access.goes), "inside: a verdict is out");
  assertAlways(busy.not().or(ended.eq(access.goes.andNot(over))), "inside: the last piece ends the access");
  cover(sent.and(over), "an access goes on behind 4 KB");
  cover(sent.and(over).and(next.trunc(p.pageShift).shr(WINDOW).eq(1)), "it goes on in the next page");
  cover(refused.and(write), "a write is refused");
  cover(givenUp, "an access is given up");
});

export const wayPiecesProof: Proof = {
  module: "MemoryWay: a burst stays in its look's page, pages of 8 KB",
  harness: harness(),
  own: true,
  long: true,
  induction: 2,
  by: "yosys sat",
  faults: [
    { what: "a piece goes on behind its 4 KB", from: "(end_[12] ? 5'd31 : end_[10:6])", to: "end_[10:6]" },
    { what: "the next piece begins behind its 4 KB's first byte", from: "23'd1, 12'd0}", to: "23'd1, at[11:0]}" },
    { what: "the next piece has the bytes of the first one", from: "left <= left_behind;", to: "left <= left;" },
    { what: "a burst goes to the page of the look before", from: "ppn <= verdict_ppn;", to: "ppn <= ppn;" },
    { what: "a page that is elsewhere is used", from: "phase <= phase_later;", to: "phase <= phase_go;" },
    { what: "a page is looked up by its 4 KB", from: "at >> 13;", to: "at >> 12;" },
    { what: "a refused access goes on", from: "phase <= phase_refuse;", to: "phase <= phase_go;" },
    { what: "a task that is off goes on with its next piece", from: "crosses & ~off", to: "crosses" },
  ],
};
