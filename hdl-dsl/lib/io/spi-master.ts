import { input, output, sink, source } from "../../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import { addressBits, bitsFor } from "../../types/bits.ts";
import { fsm } from "../../build/fsm.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { decode } from "../../vectors/index.ts";

/** Sizes of an SPI master. */
export interface SpiMasterParameters {
  /** Bits of a word, 2 or more; the highest goes first. */
  readonly width: number;
  /** Slaves, 1 or more: chip selects. */
  readonly slaves: number;
  /** Bits of the divisor; 8 when left out. */
  readonly divisorBits?: number;
}
/** A word for a slave; with `last` its chip select rises afterwards. */
export type SpiCommand = StructShape<{
  readonly data: UIntShape;
  readonly slave: UIntShape;
  readonly last: UIntShape<1>;
}>;
/** The shape of an SPI command. */
export const spiCommand = (p: Pick<SpiMasterParameters, "width" | "slaves">): SpiCommand =>
  struct({ data: uint(p.width), slave: uint(addressBits(p.slaves)), last: bit });

/**
 * SPI master, all four modes: `cpol` is the idle level of `sck`, with `cpha` 1 data are sampled at the second edge of
 * each bit instead of the first. Half a period of `sck` takes `divisor` + 1 cycles. `reply` has the word that came
 * back for each command. `miso` is sampled in the cycle in which `sck` changes, straight from the pin: it must be
 * settled before.
 *
 * Latency (2 × `width`) × (`divisor` + 1) + 1 cycles from a command to its reply. Initiation interval within a chip
 * select: one cycle more than the bits take. After `last` the chip select stays low for half a period, then high for
 * half a period at least. Without `last` it stays low, and the next command must be for the same slave. Full (a reply
 * waits, or a word is under way): `command.ready` is 0, so no reply is lost. `cpol`, `cpha` and `divisor` change only
 * while all chip selects are high. After reset they are high.
 */
export const SpiMaster = module(
  "SpiMaster",
  (p: SpiMasterParameters) => ({
    cpol: input(bit),
    cpha: input(bit),
    divisor: input(uint(p.divisorBits ?? 8)),
    command: sink(spiCommand(p)),
    reply: source(uint(p.width)),
    sck: output(bit),
    mosi: output(bit),
    miso: input(bit),
    csN: output(uint(p.slaves)),
  }),
  (io, p) => {
    const w = p.width,
      halves = uint<number>(bitsFor(2 * w - 1));
    const cycles = reg(uint<number>(io.divisor.width), { init: 0 }),
      left = reg(halves),
      sck = reg(bit, { init: 0 }),
      last = reg(bit),
      csN = reg(uint<number>(p.slaves), { init: 2 ** p.slaves - 1 }),
      out = reg(uint<number>(w)),
      into = reg(uint<number>(w)),
      answered = reg(bit, { init: 0 });
    const tick = node(cycles.eq(0)),
      allHigh = 2 ** p.slaves - 1,
      { data, slave, last: isLast } = io.command.payload;
    when(tick.not(), () => cycles.set(cycles.sub(1)));
    when(io.reply.fire, () => answered.set(0));
    const phase = fsm(["Idle", "Word", "Hold", "Gap"], "Idle", s => ({
      Idle: () => {
        when(io.command.fire, () => {
          cycles.set(io.divisor);
          csN.set(decode(slave, p.slaves).not());
          s.go("Word");
        });
      },
      Word: () => {
        when(tick, () => {
          cycles.set(io.divisor);
          sck.set(sck.not());
          when(left.eq(0), () => {
            answered.set(1);
            when(last, () => s.go("Hold")).otherwise(() => s.go("Idle"));
          });
        });
      },
      Hold: () => {
        when(tick, () => {
          cycles.set(io.divisor);
          csN.set(allHigh);
          s.go("Gap");
        });
      },
      Gap: () => {
        when(tick, () => s.go("Idle"));
      },
    }));
    const edge = node(phase.is("Word").and(tick)),
      first = left.eq(2 * w - 1);
    when(io.command.fire, () => {
      left.set(2 * w - 1);
      out.set(data);
      last.set(isLast);
    }).elseWhen(edge, () => {
      left.set(left.sub(1));
      // `sck` is 1 between a bit's two edges. With `cpha` the first edge of a word shows its first bit, which stands.
      when(sck.eq(io.cpha), () => into.set(cat(into.trunc(w - 1), io.miso))).elseWhen(io.cpha.and(first).not(), () =>
        out.set(cat(out.trunc(w - 1), constant(0, 1))),
      );
    });
    io.command.ready.set(phase.is("Idle").andNot(answered));
    io.reply.valid.set(answered);
    io.reply.payload.set(into);
    io.sck.set(sck.xor(io.cpol));
    io.mosi.set(out.bit(w - 1));
    io.csN.set(csN);
  },
);
