import { input, output, sink, source } from "../../types/ports.ts";
import { bit, struct, uint } from "../../types/shape.ts";
import { bitsFor } from "../../types/bits.ts";
import { byName } from "../../types/by-name.ts";
import { fsm, type FsmControl, type FsmHandlers } from "../../build/fsm.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { cat } from "../../build/value.ts";
import { i2cLines, watchI2c } from "./i2c-bus.ts";

/** A byte that a master has written; `first` is 1 for the first one after the address. */
export const I2cReceived = struct({ data: uint(8), first: bit });

const states = ["Off", "Address", "Receive", "Store", "Load", "Send"] as const;
type State = (typeof states)[number];

/**
 * I2C slave (UM10204) with the seven-bit address `address`; it answers no general call. Half a period of `scl` is 12 cycles or more.
 *
 * Bytes that a master writes go to `received`, with the acknowledge. Bytes that it reads come from `toSend`, each taken when its first
 * bit goes out, and only when the master has asked for it. Full (a byte waits and the next has come) or nothing to
 * send: the slave holds `scl` low until there is room or a byte, so nothing is lost or made up. After its last change of `sda` it holds `scl`
 * for `setup` + 1 cycles more. `active` is 1 from its address to the next start or stop, or to the master's refusal of more;
 * `reading` says which way. `address` counts when an address byte ends.
 *
 * Latency 5 to 6 cycles from a byte's eighth fall of `scl` to `received`. Initiation interval: nine bits. Reset lets go of both lines and waits for a start condition.
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
    const shift = reg(uint(8)),
      bits = reg(uint(4), { init: 0 }),
      reading = reg(bit, { init: 0 }),
      first = reg(bit),
      sdaLow = reg(bit, { init: 0 }),
      sclLow = reg(bit, { init: 0 }),
      settling = reg(uint<number>(bitsFor(p.setup)), { init: 0 }),
      full = reg(bit, { init: 0 }),
      held = reg(I2cReceived);
    when(bus.sclRose, () => {
      shift.set(cat(shift.trunc(7), bus.sda));
      bits.set(bits.add(1));
    });
    const byteEnds = node(bus.sclFell.and(bits.eq(8))),
      ackEnds = node(bus.sclFell.and(bits.eq(9)));
    when(io.received.ready, () => full.set(0));
    when(settling.any(), () => settling.set(settling.sub(1))).otherwise(() => sclLow.set(0));
    const settle = (): void => settling.set(p.setup);
    const hold = (): void => {
      settle();
      sclLow.set(1);
    };
    const acknowledge = (): void => sdaLow.set(1);
    const begin = (): void => {
      bits.set(0);
      sdaLow.set(0);
    };

    const handlers = (s: FsmControl<State>): FsmHandlers<State> => ({
      Off: () => {
        sdaLow.set(0);
      },
      Address: () => {
        when(byteEnds, () => {
          reading.set(shift.bit(0));
          first.set(1);
          when(shift.bits(1, 7).eq(io.address), acknowledge).otherwise(() => s.go("Off"));
        });
        when(ackEnds, () => {
          begin();
          when(reading, () => {
            hold();
            s.go("Load");
          }).otherwise(() => s.go("Receive"));
        });
      },
      Receive: () => {
        when(byteEnds, () => {
          hold();
          s.go("Store");
        });
        when(ackEnds, begin);
      },
      Store: () => {
        settle();
        when(full.not().or(io.received.ready), () => {
          full.set(1);
          held.set({ data: shift, first });
          first.set(0);
          acknowledge();
          s.go("Receive");
        });
      },
      Load: () => {
        settle();
        when(io.toSend.valid, () => {
          shift.set(io.toSend.payload);
          sdaLow.set(io.toSend.payload.bit(7).not());
          s.go("Send");
        });
      },
      Send: () => {
        // The bits that have gone out come in again at the other end.
        when(bus.sclFell, () => sdaLow.set(shift.bit(7).not()));
        when(byteEnds, () => sdaLow.set(0));
        when(ackEnds, () => {
          begin();
          when(shift.bit(0), () => s.go("Off")).otherwise(() => {
            hold();
            s.go("Load");
          });
        });
      },
    });
    const phase = fsm(states, "Off", s => {
      // A start condition begins an address, and a stop ends all, whatever was under way.
      const unlessCondition = (handler: () => void) => (): void => {
        handler();
        when(bus.start, () => {
          begin();
          s.go("Address");
        }).elseWhen(bus.stop, () => s.go("Off"));
      };
      return byName(states, state => unlessCondition(handlers(s)[state]));
    });
    io.received.valid.set(full);
    io.received.payload.set(held);
    io.toSend.ready.set(phase.is("Load"));
    io.active.set(phase.is("Off").or(phase.is("Address")).not());
    io.reading.set(reading);
    io.sclLow.set(sclLow);
    io.sdaLow.set(sdaLow);
  },
);
