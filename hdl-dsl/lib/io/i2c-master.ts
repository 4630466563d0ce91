import { input, output, sink, source } from "../../types/ports.ts";
import { bit, struct, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { enumOf, match } from "../../build/enumeration.ts";
import { fsm } from "../../build/fsm.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { cat, repeat } from "../../build/value.ts";
import { i2cLines, watchI2c } from "./i2c-bus.ts";

/**
 * A byte for the bus, or from it. `start`: a start condition (a repeated one while the bus is ours) comes before it.
 * `stop`: a stop condition comes after it. `read`: the slave sends the byte, and is answered by `nack` (1: it was the last);
 * `data` is then ignored.
 */
export const I2cCommand = struct({ start: bit, stop: bit, read: bit, nack: bit, data: uint(8) });
/**
 * What a command brought. `data`: the byte that was on the bus. `nack`: the acknowledge bit as the bus had it, 0 for an
 * acknowledgement. `lost`: another master has won the bus, and nothing of the rest of the command was done.
 */
export const I2cReply = struct({ data: uint(8), nack: bit, lost: bit });

/** One period of the clock: a bit, or a condition. */
const Cell = enumOf("I2cCell", ["bit", "start", "stop"]);

/** Nine bits on their way to the bus: a byte and the acknowledge; ones where the other side speaks. */
const nineBits = (read: Bit, nack: Bit, data: UInt<8>): UInt =>
  cat(data.or(repeat(read, 8).is(8)), nack.or(read.not()));

/**
 * I2C master (UM10204) for several masters on a bus: seven-bit addresses are bytes like any other. A quarter of a clock period
 * takes `divisor` + 1 cycles, `divisor` at least 4. Conditions take half a period for each of their times, so that with a
 * quarter of 2.5 us all times of the standard mode hold, with 0.65 us those of the fast mode.
 *
 * A command is taken when the bus is free for a whole period (with `start`) or ours (without). Its reply comes at its
 * end: latency 9 periods, one more for `start` and one for `stop`, and 4 cycles for each rise of `scl`. Initiation
 * interval: the same, for one reply waits at most; until it is taken `command.ready` is 0 and `scl` low.
 *
 * A byte that the slave does not acknowledge is followed by a stop condition, whatever `stop` says.
 * A slave that holds `scl` low is waited for, without an end. Another master's `scl` is followed: its low ends our high. Where
 * this master lets `sda` go high and finds it low, it has lost: it lets go of both lines at once and replies `lost`.
 * A command without `start` while the bus is not ours, so also one that follows a refused byte, is
 * replied as `lost` without touching the bus. `busy` is 1 from a start
 * condition to a stop, anyone's, as `scl` and `sda` show it. After reset both lines are released; a bus
 * whose lines are both high for a period is free.
 */
export const I2cMaster = module(
  "I2cMaster",
  (_p: void) => ({
    ...i2cLines,
    divisor: input(uint(16)),
    command: sink(I2cCommand),
    reply: source(I2cReply),
    busy: output(bit),
  }),
  io => {
    const bus = watchI2c(io);
    const busy = reg(bit, { init: 0 }),
      sclLow = reg(bit, { init: 0 }),
      sdaLow = reg(bit, { init: 0 });
    when(bus.start, () => busy.set(1)).elseWhen(bus.stop, () => busy.set(0));
    // Cycles of a quarter, and quarters of what is being timed.
    const cycles = reg(uint(16), { init: 0 }),
      quarters = reg(uint(2), { init: 3 });
    const quarter = node(cycles.eq(0)),
      over = node(quarter.and(quarters.eq(0)));
    const time = (n: Bit | 0 | 1 | 3): void => {
      cycles.set(io.divisor);
      quarters.set(typeof n === "number" ? n : n.zext(2));
    };
    const cell = reg(Cell, { init: "bit" }),
      shift = reg(uint(9)),
      left = reg(uint(4)),
      asked = reg(struct({ stop: bit, read: bit })),
      sampled = reg(bit),
      answer = reg(bit, { init: 0 }),
      lost = reg(bit);
    const condition = node(cell.is("bit").not()),
      { payload } = io.command;
    when(io.reply.fire, () => answer.set(0));
    // Counts unless a phase below sets the time anew.
    when(quarter, () => {
      cycles.set(io.divisor);
      quarters.set(quarters.sub(1));
    }).otherwise(() => cycles.set(cycles.sub(1)));
    // Where we let `sda` go: our own bits, the acknowledge of a byte that we read, and conditions.
    const acknowledges = left.eq(0),
      ours = node(condition.or(acknowledges.eq(asked.read)));
    const beaten = node(ours.and(sdaLow.not()).andNot(sampled));
    const take = (): void => {
      asked.set({ stop: payload.stop, read: payload.read });
      shift.set(nineBits(payload.read, payload.nack, payload.data));
      left.set(8);
      lost.set(0);
    };

    const phase = fsm(["Idle", "Wait", "Low", "Change", "Rise", "High", "Keep"], "Idle", s => {
      const reply = (): void => answer.set(1);
      const leave = (): void => {
        sclLow.set(0);
        sdaLow.set(0);
        time(3);
        s.go("Idle");
      };
      const lose = (): void => {
        lost.set(1);
        reply();
        leave();
      };
      /** `scl` goes low, and `sda` stays for a quarter. */
      const next = (): void => {
        sclLow.set(1);
        time(0);
        s.go("Low");
      };
      /** The end of a bit or a condition: `scl` was high long enough. */
      const ends = (): void => {
        when(beaten, lose).otherwise(() => {
          match(cell, {
            start: () => {
              cell.set("bit");
              next();
            },
            stop: () => {
              reply();
              leave();
            },
            bit: () => {
              shift.set(cat(shift.trunc(8), sampled));
              left.set(left.sub(1));
              next();
              when(acknowledges, () => {
                when(asked.stop.or(sampled.andNot(asked.read)), () => cell.set("stop")).otherwise(() => {
                  reply();
                  s.go("Wait");
                });
              });
            },
          });
        });
      };
      return {
        Idle: () => {
          when(busy.or(bus.scl.not()).or(bus.sda.not()), () => time(3)).elseWhen(over, () => {
            // The bus is free: that stays so until a start condition, which is seen above.
            quarters.set(0);
            cycles.set(0);
          });
          when(io.command.fire, () => {
            take();
            when(payload.start, () => {
              cell.set("start");
              sdaLow.set(1);
              sampled.set(1);
              time(1);
              s.go("Keep");
            }).otherwise(() => {
              lost.set(1);
              reply();
            });
          });
        },
        Wait: () => {
          when(io.command.fire, () => {
            take();
            when(payload.start, () => cell.set("start"));
            next();
          });
        },
        Low: () => {
          when(quarter, () => {
            time(0);
            match(cell, {
              bit: () => sdaLow.set(shift.bit(8).not()),
              start: () => sdaLow.set(0),
              stop: () => sdaLow.set(1),
            });
            s.go("Change");
          });
        },
        Change: () => {
          when(quarter, () => {
            sclLow.set(0);
            s.go("Rise");
          });
        },
        Rise: () => {
          time(condition);
          sampled.set(bus.sda);
          when(bus.scl, () => s.go("High"));
        },
        High: () => {
          sampled.set(bus.sda);
          when(over, () => {
            time(condition);
            when(beaten, lose).otherwise(() => {
              s.go("Keep");
              when(cell.is("start"), () => sdaLow.set(1)).elseWhen(cell.is("stop"), () => sdaLow.set(0));
            });
          });
          // Another master's low ends a bit's high. Before a condition it takes the bus from us.
          when(bus.scl.not(), () => {
            when(condition, lose).otherwise(ends);
          });
        },
        Keep: () => {
          when(cell.is("stop"), () => sampled.set(bus.sda));
          when(over.or(bus.scl.not()), ends);
        },
      };
    });
    io.command.ready.set(answer.not().and(phase.is("Wait").or(phase.is("Idle").and(over.or(payload.start.not())))));
    io.reply.valid.set(answer);
    io.reply.payload.set({ data: shift.bits(1, 8), nack: shift.bit(0), lost });
    io.sclLow.set(sclLow);
    io.sdaLow.set(sdaLow);
    io.busy.set(busy);
  },
);
