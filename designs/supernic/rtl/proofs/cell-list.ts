/** The list of free cells: none is given out twice, none is forgotten. */
import {
  assertAlways,
  assumeAlways,
  bit,
  connect,
  constant,
  cover,
  input,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  output,
  past,
  type Proof,
  reg,
  source,
  struct,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { CellList } from "../store/index.ts";

const CELLS = 4,
  BITS = 2;

const harness = module(
  "CellListProof",
  () => ({
    offer: source(uint(BITS)),
    back: input(struct({ valid: bit, cell: uint(BITS) })),
    free: output(uint(BITS + 1)),
  }),
  io => {
    const dut = instance("dut", CellList({ cells: CELLS }));
    connect(dut.offer, io.offer);
    dut.back.set(io.back);
    io.free.set(dut.free.is(BITS + 1));
    const waited = moduleObeys(io.offer, "offer");

    const none = constant(0, CELLS),
      one = (cell: UInt): UInt => constant(1, CELLS).shl(cell);
    const freed = node(mux(io.back.valid, one(io.back.cell), none).is(CELLS), { name: "model_freed" }),
      given = node(mux(io.offer.fire, one(io.offer.payload), none).is(CELLS), { name: "model_given" });
    const out = reg(uint(CELLS), { init: 0, name: "model_out" });
    out.set(out.or(given).and(freed.not()));
    assumeAlways(freed.and(out.not()).any().not(), "only a cell that is out comes back");

    const count = reg(uint(BITS + 1), { init: 0, name: "model_count" });
    count.set(Array.from({ length: CELLS }, (_, i) => out.bit(i).zext(BITS + 1)).reduce((a, b) => a.add(b)));
    assertAlways(io.offer.valid.not().or(out.shr(io.offer.payload).bit(0).not()), "what is offered is not out");
    assertAlways(io.free.add(count).eq(CELLS), "free and live cells are all");
    const could = past(out.all().not().and(io.offer.valid.not()), 2, { name: "model_was_free" });
    assertAlways(could.not().or(past(io.offer.valid, 1)).or(io.offer.valid), "a free cell is offered within 2 cycles");
    cover(out.all(), "all cells are out");
    cover(waited.and(io.offer.fire), "a cell is taken after a stall");
    cover(io.back.valid.and(io.offer.fire).and(io.free.eq(1)), "one comes back while the last one goes");
  },
);

export const cellListProof: Proof = {
  module: `CellList, ${CELLS} cells`,
  long: true,
  harness: harness(),
  faults: [
    {
      what: "a cell that comes back as the last one goes is read before it is written",
      from: "pop ? count == 3'd1 : ~any",
      to: "~any",
    },
    { what: "the first cell is given out again at the end of the fresh ones", from: "fresh[2]", to: "&fresh" },
    { what: "a cell that comes back while another goes is not counted", from: "went & ~came", to: "went" },
    {
      what: "a used cell is taken off the list and a fresh one given",
      from: "next_ready & ~is_fresh",
      to: "next_ready",
    },
  ],
};
