import { input, output, sink, source } from "../../types/ports.ts";
import { bit, struct, uint } from "../../types/shape.ts";
import type { Bit } from "../../types/value.ts";
import { bitsFor } from "../../types/bits.ts";
import { fsm } from "../../build/fsm.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { cat } from "../../build/value.ts";
import { clearedBits, i2cLines, watchI2c } from "./i2c-bus.ts";

/** A byte that a master has written; `first` is 1 for the first one after the address. */
export const I2cReceived = struct({ data: uint(8), first: bit });

/**
 * I2C slave (UM10204) with the seven-bit address `address`; it answers no general call. Half a period of `scl` is 12
 * cycles or more.
 *
 * Bytes that a master writes go to `received`, with the acknowledge. Bytes that it reads come from `toSend`, each
 * taken when its first bit goes out, and only when the master has asked for it. Full (a byte waits and the next has
 * come) or nothing to send: the slave holds `scl` low until there is room or a byte, so nothing is lost or made up.
 * After its last change of `sda` it holds `scl` for `setup` + 1 cycles more. `active` is 1 from its address to the
 * next start or stop, or to the master's refusal of more; `reading` says which way. `address` counts when an address
 * byte ends.
 *
 * Latency 5 to 6 cycles from a byte's eighth fall of `scl` to `received`. Initiation interval: nine bits. Reset lets
 * go of both lines and waits for a start condition.
 */
export const I2cSlave = module(
  "I2cSlave",
  (_p: { readonly setup: number }) => ({
    ...i2cLines,
    address: input(uint(7)),
    received: source(I2cReceived),
    toSend: sink(uint(8)),
    active: output(bit),
    reading: output(bit),
  }),
  (io, p) => {
    const bus = watchI2c(io);
    const [sclLow, sdaLow, full, reading] = clearedBits("scl_low_held", "sda_low_held", "full", "is_read");
    const shift = reg(uint(8)),
      bits = reg(uint(4), { init: 0 }),
      settling = reg(uint<number>(bitsFor(p.setup)), { init: 0 }),
      first = reg(bit),
      held = reg(I2cReceived);
    const byteEnds = node(bus.sclFell.and(bits.eq(8))),
      ackEnds = node(bus.sclFell.and(bits.eq(9))),
      mine = node(shift.bits(1, 7).eq(io.address)),
      refused = shift.bit(0),
      room = full.not().or(io.received.ready);

    // A start condition begins an address, and a stop ends all, whatever is under way: told last, they count.
    let go: (state: "Off" | "Address") => void = () => undefined;
    const phase = fsm(["Off", "Address", "Receive", "Store", "Load", "Send"], "Off", s => {
      go = s.go;
      return {
        Off: () => undefined,
        Address: () => {
          when(byteEnds.andNot(mine), () => s.go("Off")).elseWhen(ackEnds, () => {
            when(reading, () => s.go("Load")).otherwise(() => s.go("Receive"));
          });
        },
        Receive: () => void when(byteEnds, () => s.go("Store")),
        Store: () => void when(room, () => s.go("Receive")),
        Load: () => void when(io.toSend.valid, () => s.go("Send")),
        Send: () => {
          when(ackEnds, () => {
            when(refused, () => s.go("Off")).otherwise(() => s.go("Load"));
          });
        },
      };
    });
    when(bus.start, () => go("Address")).elseWhen(bus.stop, () => go("Off"));

    const [off, addressed, sends] = (["Off", "Address", "Send"] as const).map(phase.is) as [Bit, Bit, Bit];
    const stores = node(phase.is("Store").and(room)),
      loads = node(phase.is("Load").and(io.toSend.valid)),
      begins = node(bus.start.or(ackEnds.and(addressed.or(phase.is("Receive")).or(sends)))),
      named = node(addressed.and(byteEnds)),
      more = addressed.and(reading).or(sends.andNot(refused));
    const holds = node(byteEnds.and(phase.is("Receive")).or(ackEnds.and(more)));
    when(begins, () => bits.set(0)).elseWhen(bus.sclRose, () => bits.set(bits.add(1)));
    // The bits that go out come in again at the other end.
    when(loads, () => shift.set(io.toSend.payload)).elseWhen(bus.sclRose, () =>
      shift.set(cat(shift.trunc(7), bus.sda)),
    );
    when(begins.or(off), () => sdaLow.set(0))
      .elseWhen(named.and(mine).or(stores), () => sdaLow.set(1))
      .elseWhen(loads, () => sdaLow.set(io.toSend.payload.bit(7).not()))
      .elseWhen(sends.and(bus.sclFell), () => sdaLow.set(shift.bit(7).or(bits.eq(8)).not()));
    when(holds.or(phase.is("Store")).or(phase.is("Load")), () => settling.set(p.setup)).elseWhen(settling.any(), () =>
      settling.set(settling.sub(1)),
    );
    when(holds, () => sclLow.set(1)).elseWhen(settling.eq(0), () => sclLow.set(0));
    when(named, () => {
      reading.set(shift.bit(0));
      first.set(1);
    }).elseWhen(stores, () => first.set(0));
    when(stores, () => {
      full.set(1);
      held.set({ data: shift, first });
    }).elseWhen(io.received.ready, () => full.set(0));

    io.received.valid.set(full);
    io.received.payload.set(held);
    io.toSend.ready.set(phase.is("Load"));
    io.active.set(off.or(addressed).not());
    io.reading.set(reading);
    io.sclLow.set(sclLow);
    io.sdaLow.set(sdaLow);
  },
);
