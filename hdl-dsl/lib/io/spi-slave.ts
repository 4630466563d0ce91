import { input, output, sink, source } from "../../types/ports.ts";
import { bit, uint } from "../../types/shape.ts";
import { bitsFor } from "../../types/bits.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { synchronise } from "../clocks/index.ts";
import { edgesOf } from "./line.ts";

/**
 * SPI slave, all four modes (`cpol`, `cpha` as in `SpiMaster`), clocked by this clock alone: `sck`, `csN` and `mosi`
 * go through two registers. Half a period of `sck` is 5 cycles or more, and so is the time from the chip select to
 * the first edge. Words have `width` bits, the highest first.
 *
 * `toSend` is the next word: it is taken when its first bit is sampled. No word there in time: zeros are sent, and
 * `underrun` is 1 for a cycle. A whole word goes to `received`, 4 to 5 cycles after its last sample. Full (a word
 * waits and the next is complete): the new one is lost, and `overrun` is 1 in that cycle. A word that the chip select
 * cuts off is forgotten. `misoEnable` is 1 while the slave is selected. `cpol` and `cpha` change only while it is
 * not. Initiation interval: a word's bits. Reset forgets the word under way.
 */
export const SpiSlave = module(
  "SpiSlave",
  (p: { readonly width: number }) => ({
    cpol: input(bit),
    cpha: input(bit),
    sck: input(bit),
    csN: input(bit),
    mosi: input(bit),
    miso: output(bit),
    misoEnable: output(bit),
    toSend: sink(uint(p.width)),
    received: source(uint(p.width)),
    overrun: output(bit),
    underrun: output(bit),
  }),
  (io, p) => {
    const w = p.width,
      sck = synchronise(io.sck, { name: "sck", init: 0 }),
      csN = synchronise(io.csN, { name: "cs_n", init: 1 }),
      mosi = synchronise(io.mosi, { name: "mosi" });
    const { fell: selected } = edgesOf(csN, "cs_n");
    const count = reg(uint<number>(bitsFor(w - 1)), { init: 0 }),
      out = reg(uint<number>(w)),
      into = reg(uint<number>(w - 1)),
      loaded = reg(bit, { init: 0 });
    // The edge that samples is the first of a bit, or with `cpha` the second: a rise when both are equal.
    const rises = node(io.cpol.eq(io.cpha)),
      edge = edgesOf(sck, "sck");
    const active = csN.not(),
      samples = node(active.and(mux(rises, edge.rose, edge.fell))),
      changes = node(active.and(mux(rises, edge.fell, edge.rose)));
    const first = node(count.eq(0)),
      load = node(changes.and(first).or(selected.andNot(io.cpha)));
    when(load, () => {
      out.set(mux(io.toSend.valid, io.toSend.payload, constant(0, w)));
      loaded.set(io.toSend.valid);
    }).elseWhen(changes, () => out.set(cat(out.trunc(w - 1), constant(0, 1))));
    const last = node(count.eq(w - 1));
    when(csN, () => count.set(0)).elseWhen(samples, () => {
      into.set(cat(into, mosi).trunc(w - 1));
      count.set(mux(last, constant(0, count.width), count.add(1)));
    });
    const begins = node(samples.and(first)),
      whole = node(samples.and(last));
    io.toSend.ready.set(begins.and(loaded));
    const full = reg(bit, { init: 0 }),
      held = reg(uint<number>(w)),
      room = node(full.not().or(io.received.ready));
    when(room, () => full.set(whole));
    when(whole.and(room), () => held.set(cat(into, mosi)));
    io.received.valid.set(full);
    io.received.payload.set(held);
    io.overrun.set(whole.andNot(room));
    io.underrun.set(begins.andNot(loaded));
    io.miso.set(out.bit(w - 1));
    io.misoEnable.set(active);
  },
);
