/** The packet store: cells of live payloads and free ones are all, whatever comes in and goes. */
import {
  assertAlways,
  assumeAlways,
  type Bit,
  bit,
  connect,
  constant,
  cover,
  input,
  instance,
  module,
  mux,
  node,
  type Proof,
  reg,
  sink,
  struct,
  type UInt,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { FirstCell, PacketStore, type StoreParameters } from "../store/index.ts";

const p: StoreParameters = { cells: 2, cellBeats: 2, beatBytes: 1, payloadBeats: 4 };
/** Cycles after which nothing is under way any more: a payload of all cells is taken apart. */
const SETTLES = 8;

const harness = module(
  "StoreCellsProof",
  () => ({
    write: sink(struct({ last: bit, two: bit })),
    release0: sink(FirstCell(p)),
    release1: sink(FirstCell(p)),
    told: input(bit),
  }),
  io => {
    const dut = instance("dut", PacketStore(p));
    const nothing = { first: constant(0, 1), beats: constant(1, 3) };
    for (const job of [dut.leaveJob, dut.read0Job, dut.read1Job, dut.back0Job, dut.back1Job]) {
      job.valid.set(0);
      job.payload.set(nothing);
    }
    for (const back of [dut.back0, dut.back1]) {
      back.valid.set(0);
      back.payload.set({ data: 0, last: 0 });
    }
    for (const out of [dut.leave, dut.read0, dut.read1]) out.ready.set(1);
    dut.write.valid.set(io.write.valid);
    io.write.ready.set(dut.write.ready);
    // One owner or two.
    const owners = node(mux(io.write.payload.two, constant(2, 3), constant(1, 3)));
    dut.write.payload.set({ data: 0, last: io.write.payload.last, owners });
    connect(io.release0, dut.release0);
    connect(io.release1, dut.release1);
    dut.stored.ready.set(io.told);

    // The model: of each first cell the owners left, and the cells of its payload.
    const beats = reg(uint(3), { init: 0, name: "model_beats" }),
      pendingTwo = reg(bit, { init: 0, name: "model_two" }),
      pendingCells = reg(uint(3), { init: 0, name: "model_cells" });
    const cells = node(beats.add(2).shr(1).is(3), { name: "model_cells_now" });
    const ends = node(io.write.fire.and(io.write.payload.last), { name: "model_ends" });
    when(io.write.fire, () => beats.set(mux(io.write.payload.last, constant(0, 3), beats.add(1))));
    when(ends, () => {
      pendingTwo.set(io.write.payload.two);
      pendingCells.set(cells);
    });
    assumeAlways(beats.lt(3).or(io.write.valid.not()).or(io.write.payload.last), "a payload has 4 beats at most");
    const comes = node(dut.stored.fire, { name: "model_comes" });
    const isFirst = (cell: UInt, i: number): Bit => cell.eq(i);
    const live = Array.from({ length: p.cells }, (_, i) => {
      const left = reg(uint(2), { init: 0, name: `model_left_${i}` }),
        held = reg(uint(3), { init: 0, name: `model_held_${i}` });
      const down0 = node(io.release0.fire.and(isFirst(io.release0.payload.first, i)), { name: `model_down_0_${i}` }),
        down1 = node(io.release1.fire.and(isFirst(io.release1.payload.first, i)), { name: `model_down_1_${i}` }),
        up = node(comes.and(isFirst(dut.stored.payload.first, i)), { name: `model_up_${i}` });
      const next = node(left.sub(down0.zext(2)).sub(down1.zext(2)), { name: `model_next_${i}` });
      left.set(mux(up, mux(pendingTwo, constant(2, 2), constant(1, 2)), next));
      when(up, () => held.set(pendingCells)).elseWhen(next.eq(0), () => held.set(constant(0, 3)));
      const asked0 = io.release0.valid.and(isFirst(io.release0.payload.first, i)),
        asked1 = io.release1.valid.and(isFirst(io.release1.payload.first, i));
      assumeAlways(asked0.zext(2).add(asked1.zext(2)).le(left), `cell ${i} is released by its owners only`);
      assertAlways(up.and(left.ne(0)).not(), `a payload never begins in cell ${i} while another one does`);
      return { left, held };
    });

    const total = live.map(l => l.held.zext(4)).reduce((a, b) => a.add(b)),
      free = dut.free.zext(4);
    assertAlways(free.add(total).le(p.cells), "free and live cells are never more than all");
    // Quiet: nothing is being brought, told or released. What is neither live nor free then is lost.
    const busy = io.write.valid.or(beats.ne(0)).or(dut.stored.valid).or(io.release0.valid).or(io.release1.valid);
    const quiet = reg(uint(4), { init: 0, name: "model_quiet" });
    quiet.set(mux(busy, constant(0, 4), mux(quiet.eq(SETTLES), quiet, quiet.add(1))));
    assertAlways(quiet.ne(SETTLES).or(free.add(total).eq(p.cells)), "when all is quiet, free and live cells are all");
    cover(quiet.eq(SETTLES), "quiet for long enough");
    cover(total.eq(p.cells).and(free.eq(0)), "payloads in all cells");
    cover(
      live.map(l => l.left.ne(0)).reduce((a, b) => a.and(b)),
      "two payloads at once",
    );
  },
);

export const storeCellsProof: Proof = {
  module: "PacketStore, 2 cells in 2 banks",
  harness: harness(),
  faults: [
    { what: "a payload is taken apart while it has an owner left", from: "left == 3'd1", to: "left <= 3'd2" },
    { what: "the last cell of a payload is forgotten", from: "back_valid = asked", to: "back_valid = goes_on" },
  ],
};
