import {
  arbiter,
  assertAlways,
  bit,
  Fifo,
  input,
  instance,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  struct,
  uint,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { chainCopy } from "./chains.ts";
import { cellBits, Chain, FirstCell, FreedCell, ownersBits, type StoreParameters } from "./records.ts";

/** A link of a chain, when a cell is full or a payload ends. */
export const LinkWrite = (p: StoreParameters) => struct({ en: bit, cell: uint(cellBits(p)), value: Chain(p) });
/** A payload that has come in whole. */
export const OwnersWrite = (p: StoreParameters) =>
  struct({ en: bit, first: uint(cellBits(p)), owners: uint(ownersBits) });

/** Payloads that nobody owns, waiting to be taken apart. */
const deadPayloads = 4;

/**
 * Counts the owners of each payload down, and gives the cells of one back that nobody owns any more.
 * Latency: 3 cycles from the last release to the first cell; a cell a cycle, payloads back to back. A release waits
 * while a payload comes in, or while 4 payloads wait to be taken apart; two releases take turns. Reset forgets all.
 * A payload must not be released more often than it has owners: asserted.
 */
export const Reaper = module(
  "Reaper",
  (p: StoreParameters) => ({
    link: input(LinkWrite(p)),
    owns: input(OwnersWrite(p)),
    release0: sink(FirstCell(p)),
    release1: sink(FirstCell(p)),
    back: output(FreedCell(p)),
  }),
  (io, p) => {
    const owners = ram(uint(ownersBits), { depth: p.cells, collision: "new", style: "block" });
    const chains = chainCopy(p, "reaper");
    chains.write(io.link.en, io.link.cell, io.link.value);

    // The number of owners is read as a release is taken, and written back in the next cycle. A release of the same
    // payload just behind it reads what is written.
    const released = arbiter([io.release0, io.release1], { name: "release" }),
      taken = reg(bit, { init: 0 }),
      first = reg(uint(cellBits(p)));
    const left = owners.readSync(released.payload.first, { en: released.fire, name: "left" });
    const dead = instance("dead", Fifo({ shape: FirstCell(p), depth: deadPayloads, style: "distributed" }));
    // One write port: a payload that comes in goes first, once for many beats.
    const counts = node(io.owns.en.not().and(dead.push.ready)),
      counted = node(taken.and(counts));
    const moves = node(taken.not().or(counts));
    released.ready.set(moves);
    when(moves, () => taken.set(released.valid));
    when(released.fire, () => first.set(released.payload.first));
    dead.push.valid.set(counted.and(left.eq(1)));
    dead.push.payload.set({ first });
    owners.write(
      io.owns.en.or(counted),
      mux(io.owns.en, io.owns.first, first),
      mux(io.owns.en, io.owns.owners, left.sub(1)),
    );
    assertAlways(counted.not().or(left.ne(0)), "a payload is released once by each owner");

    // A cell goes back when its link is known, which names the next one.
    const asked = reg(bit, { init: 0 }),
      askedCell = reg(uint(cellBits(p))),
      asks = wire(bit),
      cell = wire(uint(cellBits(p)));
    const link = chains.readSync(cell, { en: asks, name: "follows" }),
      goesOn = node(asked.andNot(link.last));
    asks.set(goesOn.or(dead.pop.valid));
    cell.set(mux(goesOn, link.next, dead.pop.payload.first));
    dead.pop.ready.set(goesOn.not());
    asked.set(asks);
    when(asks, () => askedCell.set(cell));
    io.back.set({ valid: asked, cell: askedCell });
  },
);
