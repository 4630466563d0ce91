/**
 * Every packet ends once: of those that have left, were dropped, or were cleared from a list, each gives back its own
 * context once, its own cells once and only if it has any, and tells the merge so. One context is watched, whichever it
 * is; the others come from all three sides beside it.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  connect,
  constant,
  cover,
  fromBits,
  input,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  orTree,
  output,
  pack,
  past,
  type Proof,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { type EgressParameters, Releases } from "../egress/index.ts";
import { FirstCell } from "../store/index.ts";

const sizes: EgressParameters = {
    ports: 2,
    users: 2,
    contexts: 8,
    cells: 4,
    frameBytes: 320,
    macs: 4,
    pauseCycles: 16,
  },
  BITS = 3;

/** Two of them or more. */
const twoOf = (v: UInt): Bit => v.and(v.sub(1)).any();

const harness = module(
  "ReleasesProof",
  () => ({
    left: sink(uint(BITS)),
    dropped: sink(uint(BITS)),
    cleared: sink(uint(BITS)),
    note: input(struct({ en: bit, ctx: uint(BITS), user: bit, cell: uint(2), beats: uint(2) })),
    cells: source(FirstCell(sizes)),
    watched: input(uint(BITS)),
    freed: output(bit),
  }),
  io => {
    const dut = instance("dut", Releases(sizes)),
      ends = [io.left, io.dropped, io.cleared] as const;
    connect(io.left, dut.left);
    connect(io.dropped, dut.dropped);
    connect(io.cleared, dut.cleared);
    const { note, watched } = io;
    dut.note.set({
      en: note.en,
      ctx: note.ctx,
      holds: { user: note.user.zext(6), firstCell: note.cell, beats: note.beats.resize(dut.note.holds.beats.width) },
    });
    connect(dut.cells, io.cells);
    io.freed.set(dut.release.valid);
    const waited = moduleObeys(
      { valid: io.cells.valid, ready: io.cells.ready, payload: pack(io.cells.payload) },
      "cells",
    );
    const run = reg(bit, { init: 0, name: "model_run" });
    run.set(1);
    assumeAlways(run.not().or(watched.eq(past(watched, 1))), "one context is watched");

    // The one that is watched: noted, then it ends by one of the ways, then it is released.
    const isNoted = node(note.en.and(note.ctx.eq(watched)), { name: "model_is_noted" }),
      comes = ends.map((e, i) => node(e.valid.and(e.payload.eq(watched)), { name: `model_comes_${i}` })),
      goes = node(orTree(ends.map(e => e.fire.and(e.payload.eq(watched)))), { name: "model_goes" }),
      released = node(dut.release.valid.and(dut.release.ctx.eq(watched)), { name: "model_released" });
    const inside = reg(bit, { init: 0, name: "model_inside" }),
      ended = reg(bit, { init: 0, name: "model_ended" }),
      user = reg(bit, { name: "model_user" }),
      cell = reg(uint(2), { name: "model_cell" }),
      beats = reg(uint(2), { name: "model_beats" });
    when(isNoted, () => {
      inside.set(1);
      user.set(note.user);
      cell.set(note.cell);
      beats.set(note.beats);
    }).elseWhen(released, () => inside.set(0));
    when(goes, () => ended.set(1)).elseWhen(released, () => ended.set(0));
    assumeAlways(isNoted.and(inside).not(), "a context has one packet");
    assumeAlways(
      note.en.and(io.cells.valid).and(note.ctx.eq(dut.release.ctx)).not(),
      "nobody notes a context anew while its cells wait",
    );
    comes.forEach((c, i) => assumeAlways(c.not().or(inside.andNot(ended)), `a packet that is inside ends once (${i})`));
    assumeAlways(twoOf(fromBits(comes)).not(), "a packet ends in one way");
    ends.forEach((e, i) => {
      const before = past(e.valid.andNot(e.ready), 1, { name: `model_waited_${i}` });
      assumeAlways(before.not().or(e.valid.and(e.payload.eq(past(e.payload, 1)))), `what ends waits (${i})`);
    });

    assertAlways(released.not().or(inside.and(ended)), "a context is given back when its packet has ended, once");
    const given = node(io.cells.fire.and(dut.release.ctx.eq(watched)), { name: "model_given" });
    assertAlways(
      given.not().or(released.and(beats.any()).and(io.cells.payload.first.eq(cell))),
      "cells are given back with their context, and they are its own",
    );
    assertAlways(released.not().or(given.eq(beats.any())), "a packet with cells gives them back, another one none");
    const told = past(released, 1, { name: "model_told" });
    assertAlways(
      told
        .not()
        .or(
          dut.released.valid
            .and(dut.released.user.eq(past(user, 1).zext(6)))
            .and(
              dut.released.cells.eq(
                mux(past(beats.any(), 1), constant(1, 1), constant(0, 1)).resize(dut.released.cells.width),
              ),
            ),
        ),
      "the merge is told whose it was, and how many cells",
    );
    const waits = reg(uint(2), { init: 0, name: "model_waits" });
    when(ended.not().or(released).or(io.cells.valid.andNot(io.cells.ready)), () => waits.set(0)).elseWhen(
      waits.all().not(),
      () => waits.set(waits.add(1)),
    );
    assertAlways(waits.lt(2), "a packet that has ended is released, unless cells wait");
    cover(waited.and(given), "it is released after a stall");
    cover(released.and(past(released, 4)), "its context is used again at once");
  },
);

export const releasesProof: Proof = {
  module: `Releases, ${sizes.contexts} contexts`,
  harness: harness(),
  faults: [
    {
      what: "a context is given back while its cells wait",
      from: /is_released = [^;]*;/,
      to: "is_released = releasing_valid;",
    },
    { what: "cells are given back of one that has none", from: /has_cells = [^;]*;/, to: "has_cells = 1'b1;" },
    {
      what: "a packet that has left is taken although another one waits for its cells",
      from: /assign left_ready = ([^;&]*) & [^;]*;/,
      to: "assign left_ready = $1;",
    },
  ],
};
