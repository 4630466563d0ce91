/**
 * The reaper, beside a list of free cells that may give any cell that is not out (which CellList's proof shows of the
 * real one). A cell comes back once, and only when nobody owns its payload any more; and all such cells come back. So
 * free cells and those of payloads with an owner are all. Payloads have one or two cells.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  connect,
  constant,
  cover,
  decode,
  input,
  instance,
  module,
  mux,
  node,
  orTree,
  output,
  past,
  type Proof,
  reg,
  sink,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { FirstCell, Reaper, type StoreParameters } from "../store/index.ts";

const sizesOf = (cells: number): StoreParameters => ({ cells, cellBeats: 2, beatBytes: 1, payloadBeats: 4 });
/** Cycles in which all cells that nobody owns come back, when nothing is released meanwhile. */
const SOON = 7;

const harness = module(
  "ReaperProof",
  (p: StoreParameters) => ({
    /** A cell is given: the first of a payload, or its second. Or the payload ends, with so many owners. */
    gives: input(bit),
    ends: input(bit),
    which: input(uint(Math.log2(p.cells))),
    two: input(bit),
    release0: sink(FirstCell(p)),
    release1: sink(FirstCell(p)),
    out: output(uint(p.cells)),
  }),
  (io, p) => {
    const BITS = Math.log2(p.cells),
      dut = instance("dut", Reaper(p));
    const out = reg(uint(p.cells), { init: 0, name: "model_out" });
    io.out.set(out);

    // A payload comes in.
    const inside = reg(bit, { init: 0, name: "model_inside" }),
      long = reg(bit, { name: "model_long" }),
      current = reg(uint(BITS), { name: "model_current" }),
      began = reg(uint(BITS), { name: "model_began" });
    const begins = node(inside.not().and(io.gives), { name: "model_begins" }),
      goesOn = node(inside.and(io.gives).andNot(long), { name: "model_goes_on" }),
      ends = node(inside.and(io.ends).andNot(goesOn), { name: "model_ends" }),
      given = node(begins.or(goesOn), { name: "model_given" });
    assumeAlways(given.not().or(out.shr(io.which).bit(0).not()), "a cell that is given is free");
    when(begins, () => began.set(io.which));
    when(given, () => {
      current.set(io.which);
      long.set(goesOn);
    });
    when(begins, () => inside.set(1)).elseWhen(ends, () => inside.set(0));
    // A cycle late, as the store does.
    const Linked = struct({ en: bit, cell: uint(BITS), value: struct({ last: bit, next: uint(BITS) }) }),
      Owned = struct({ en: bit, first: uint(BITS), owners: uint(3) });
    const linked = reg(Linked, { init: { en: 0 }, name: "model_linked" }),
      owned = reg(Owned, { init: { en: 0 }, name: "model_owned" });
    linked.set({ en: goesOn.or(ends), cell: current, value: { last: ends, next: io.which } });
    owned.set({ en: ends, first: began, owners: mux(io.two, constant(2, 3), constant(1, 3)) });
    dut.link.set(linked);
    dut.owns.set(owned);
    connect(io.release0, dut.release0);
    connect(io.release1, dut.release1);

    // Whose a cell is, and how many own the payload that begins in it.
    const releases = [io.release0, io.release1],
      isOf = (r: (typeof releases)[number], i: number): Bit => r.valid.and(r.payload.first.eq(i));
    const owners = Array.from({ length: p.cells }, (_, i) => {
        const n = reg(uint(2), { init: 0, name: `model_owners_${i}` });
        when(ends.and(began.eq(i)), () => n.set(mux(io.two, constant(2, 2), constant(1, 2)))).elseWhen(
          orTree(releases.map(r => isOf(r, i).and(r.ready))),
          () => n.set(n.sub(1)),
        );
        const one = isOf(io.release0, i),
          other = isOf(io.release1, i);
        assumeAlways(n.ge(one.zext(2).add(other.zext(2))), `an owner releases what it owns, once (${i})`);
        return n;
      }),
      firsts = Array.from({ length: p.cells }, (_, i) => {
        const first = reg(uint(BITS), { name: `model_first_${i}` });
        when(given.and(io.which.eq(i)), () => first.set(mux(begins, io.which, began)));
        return first;
      });
    const live = firsts.map((first, i): Bit =>
      node(inside.and(began.eq(first)).or(orTree(owners.map((n, o) => n.any().and(first.eq(o))))), {
        name: `model_live_${i}`,
      }),
    );
    const { valid, cell } = dut.back,
      back: UInt = node(mux(valid, decode(cell, p.cells), constant(0, p.cells)), { name: "model_back" });
    out.set(out.or(mux(given, decode(io.which, p.cells), constant(0, p.cells))).andNot(back));
    live.forEach((is, i) => {
      assertAlways(back.bit(i).not().or(out.bit(i)), `cell ${i} comes back once`);
      assertAlways(back.bit(i).and(out.bit(i)).and(is).not(), `nobody owns cell ${i} when it comes back`);
    });
    const still = reg(uint(4), { init: 0, name: "model_still" }),
      moves = orTree([...releases.map(r => r.valid), given, ends]);
    when(moves, () => still.set(0)).elseWhen(still.ne(SOON), () => still.set(still.add(1)));
    live.forEach((is, i) =>
      assertAlways(still.ne(SOON).or(out.bit(i).not()).or(is), `cell ${i} is back when nobody owns it`),
    );
    cover(still.eq(SOON).and(past(out.all(), 15)).and(out.any().not()), "all cells are back");
    cover(isOf(io.release0, 1).and(isOf(io.release1, 1)), "two owners release at once");
  },
);

const faults = [
  { what: "two owners just behind one another see the same count", from: "left_hit ? left_fwd", to: "1'b0 ? left_fwd" },
  {
    what: "a release counts nothing while a payload comes in",
    from: "counts = ~owns_en & dead_push_ready",
    to: "counts = dead_push_ready",
  },
  {
    what: "behind a payload of one cell another one comes back twice",
    from: "goes_on = asked & ~link_last",
    to: "goes_on = asked & (~link_last | dead_pop_valid)",
  },
] as const;

export const reaperProofs: readonly Proof[] = [
  {
    module: "Reaper, 2 cells",
    harness: harness(sizesOf(2)),
    long: "minutes",
    by: "abc pdr",
    reach: 24,
    faults,
  },
];
