import { output, sink } from "../../types/ports.ts";
import { bit, struct, uint } from "../../types/shape.ts";
import { enumOf } from "../../build/enumeration.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { priority } from "../../vectors/index.ts";
import { axisBeat } from "../axi/index.ts";
import { crc32Next } from "../codes/index.ts";
import { ethernet, preamble } from "./frame.ts";

/** A byte of a line in each cycle: GMII (IEEE 802.3, 35). */
export const Gmii = struct({ en: bit, er: bit, data: uint(8) });
const Phase = enumOf("SendPhase", ["idle", "preamble", "data", "pad", "check", "gap"]);
const ALL = 0xffffffff;

/**
 * Sends frames over GMII, 1 Gbit/s with a clock of 125 MHz: preamble, start delimiter, the frame (padded to 60 bytes),
 * its check sequence, and 12 bytes of gap. `from` is a frame without check sequence, a byte a beat. Its bytes must
 * come without a pause; a pause is sent as an error of the line (`er`), once for each cycle, and spoils the frame.
 *
 * Latency 2 cycles from `from.valid` to the first byte of the preamble. Initiation interval: the frame's bytes on the
 * line and 24 more. After reset the line is idle; a frame under way ends where it is.
 */
export const GmiiTransmitter = module(
  "GmiiTransmitter",
  () => ({ from: sink(axisBeat(1)), line: output(Gmii) }),
  io => {
    const phase = reg(Phase, { init: "idle" }),
      count = reg(uint(6), { init: 0 }),
      crc = reg(uint(32)),
      line = reg(Gmii, { init: { en: 0, er: 0, data: 0 } });
    const is = {
      idle: phase.is("idle"),
      preamble: phase.is("preamble"),
      data: phase.is("data"),
      pad: phase.is("pad"),
      check: phase.is("check"),
    };
    const starts = node(count.eq(preamble.bytes)),
      enough = node(count.ge(ethernet.least - 1));
    io.from.ready.set(is.data);
    const byte = node(
      priority(
        [is.preamble, mux(starts, constant(preamble.start, 8), constant(preamble.byte, 8))],
        [is.data, io.from.payload.data.is(8)],
        [is.check, crc.trunc(8).not()],
        constant(0, 8),
      ),
    );
    const sends = node(is.preamble.or(is.data).or(is.pad).or(is.check));
    line.set({ en: sends, er: is.data.andNot(io.from.valid), data: byte });
    io.line.set(line);

    count.set(count.add(1));
    const goes = (to: "preamble" | "data" | "pad" | "check" | "gap" | "idle"): void => {
      phase.set(to);
      count.set(0);
    };
    when(is.idle, () => {
      count.set(0);
      when(io.from.valid, () => goes("preamble"));
    });
    when(is.preamble, () => {
      crc.set(ALL);
      when(starts, () => goes("data"));
    });
    when(is.data.or(is.pad), () => {
      crc.set(crc32Next(crc.is(32), byte));
      // The length counts as far as it matters.
      when(enough, () => count.set(count));
    });
    when(is.data.and(io.from.valid).and(io.from.payload.last), () => {
      when(enough, () => goes("check")).otherwise(() => phase.set("pad"));
    });
    when(is.pad.and(enough), () => goes("check"));
    when(is.check, () => {
      crc.set(crc.shr(8));
      when(count.eq(ethernet.check - 1), () => goes("gap"));
    });
    // The idle cycle that follows is the last of the gap.
    when(phase.is("gap").and(count.eq(ethernet.gap - 2)), () => goes("idle"));
  },
);
