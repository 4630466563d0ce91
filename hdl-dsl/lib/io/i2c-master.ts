import { input, output, sink, source } from "../../types/ports.ts";
import { bit, struct, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { enumOf } from "../../build/enumeration.ts";
import { fsm } from "../../build/fsm.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, repeat } from "../../build/value.ts";
import { clearedBits, i2cLines, watchI2c } from "./i2c-bus.ts";

/**
 * A byte for the bus, or from it. `start`: a start condition (a repeated one while the bus is ours) comes before it.
 * `stop`: a stop condition comes after it. `read`: the slave sends the byte, and is answered by `nack` (1: it was the
 * last); `data` is then ignored.
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
 * I2C master (UM10204) for several masters on a bus: seven-bit addresses are bytes like any other. A quarter of a
 * clock period takes `divisor` + 1 cycles, `divisor` at least 4. Conditions take half a period for each of their
 * times, so that with a quarter of 2.5 us all times of the standard mode hold, with 0.65 us those of the fast mode.
 *
 * A command is taken when the bus is free for a whole period (with `start`) or ours (without). Its reply comes at its
 * end: latency 9 periods, one more for `start` and one for `stop`, and 4 cycles for each rise of `scl`. Initiation
 * interval: the same, for one reply waits at most; until it is taken `command.ready` is 0 and `scl` low.
 *
 * A byte that the slave does not acknowledge is followed by a stop condition, whatever `stop` says. A slave that
 * holds `scl` low is waited for, without an end. Another master's `scl` is followed: its low ends our high. Where
 * this master lets `sda` go high and finds it low, it has lost: it lets go of both lines at once and replies `lost`.
 * A command without `start` while the bus is not ours, so also one that follows a refused byte, is replied as `lost`
 * without touching the bus. `busy` is 1 from a start condition to a stop, anyone's, as `scl` and `sda` show it. After
 * reset both lines are released; a bus whose lines are both high for a period is free.
 */
export const I2cMaster = module(
  "I2cMaster",
  () => ({
    ...i2cLines,
    divisor: input(uint(16)),
    command: sink(I2cCommand),
    reply: source(I2cReply),
    busy: output(bit),
  }),
  io => {
    const bus = watchI2c(io),
      { payload } = io.command;
    const busy = reg(bit, { init: 0 }),
      cell = reg(Cell, { init: "bit" }),
      // Cycles of a quarter, and quarters of what is being timed.
      cycles = reg(uint(16), { init: 0 }),
      quarters = reg(uint(2), { init: 3 });
    const [sclLow, sdaLow, answer] = clearedBits("scl_low_held", "sda_low_held", "answer");
    const shift = reg(uint(9)),
      left = reg(uint(4)),
      asked = reg(struct({ stop: bit, read: bit })),
      sampled = reg(bit),
      lost = reg(bit);
    when(bus.start, () => busy.set(1)).elseWhen(bus.stop, () => busy.set(0));
    const accepted = node(io.command.fire),
      starts = node(accepted.and(payload.start)),
      quarter = node(cycles.eq(0)),
      over = node(quarter.and(quarters.eq(0))),
      condition = node(cell.is("bit").not());
    // Where we let `sda` go: our own bits, the acknowledge of a byte that we read, and conditions.
    const acknowledges = left.eq(0),
      ours = condition.or(acknowledges.eq(asked.read)),
      beaten = node(ours.andNot(sdaLow).andNot(sampled));
    const byteDone = node(condition.not().and(acknowledges)),
      thenStop = node(asked.stop.or(sampled.andNot(asked.read)));

    const phase = fsm(["Idle", "Wait", "Low", "Change", "Rise", "High", "Keep"], "Idle", s => {
      const next = (): void => {
        when(byteDone.andNot(thenStop), () => s.go("Wait")).otherwise(() => s.go("Low"));
      };
      return {
        Idle: () => void when(starts, () => s.go("Keep")),
        Wait: () => void when(accepted, () => s.go("Low")),
        Low: () => void when(quarter, () => s.go("Change")),
        Change: () => void when(quarter, () => s.go("Rise")),
        Rise: () => void when(bus.scl, () => s.go("High")),
        High: () => {
          // Another master's low ends a bit's high. Before a condition it takes the bus from us.
          when(bus.scl.not(), () => {
            when(condition.or(beaten), () => s.go("Idle")).otherwise(next);
          }).elseWhen(over, () => {
            when(beaten, () => s.go("Idle")).otherwise(() => s.go("Keep"));
          });
        },
        Keep: () => {
          when(over.or(bus.scl.not()), () => {
            when(beaten.or(cell.is("stop")), () => s.go("Idle")).otherwise(next);
          });
        },
      };
    });

    // The ways out of a bit or a condition: its high is over, or cut short.
    const [idle, waits, high, keep] = (["Idle", "Wait", "High", "Keep"] as const).map(phase.is) as [Bit, Bit, Bit, Bit];
    const highOver = node(high.and(over).and(bus.scl)),
      highCut = node(high.andNot(bus.scl)),
      keepOver = node(keep.and(over.or(bus.scl.not())));
    const lose = node(beaten.and(highOver.or(keepOver)).or(highCut.and(condition.or(beaten)))),
      ends = node(highCut.andNot(condition).or(keepOver).andNot(beaten)),
      stopped = node(ends.and(cell.is("stop"))),
      leaves = node(lose.or(stopped)),
      changes = node(phase.is("Low").and(quarter));
    when(starts, () => cell.set("start"))
      .elseWhen(ends.and(byteDone).and(thenStop), () => cell.set("stop"))
      .elseWhen(ends.and(cell.is("start")), () => cell.set("bit"));

    const lows = node(ends.or(accepted.and(waits)));
    const unfree = idle.and(busy.or(bus.scl.not()).or(bus.sda.not())),
      free = idle.and(over);
    const timed = node(leaves.or(lows).or(changes).or(starts).or(phase.is("Rise")).or(highOver).or(unfree));
    when(timed.or(quarter.andNot(free)), () => cycles.set(io.divisor)).elseWhen(free.not(), () =>
      cycles.set(cycles.sub(1)),
    );
    when(leaves, () => quarters.set(3))
      .elseWhen(lows.or(changes), () => quarters.set(0))
      .elseWhen(starts, () => quarters.set(1))
      .elseWhen(phase.is("Rise").or(highOver), () => quarters.set(condition.zext(2)))
      .elseWhen(unfree, () => quarters.set(3))
      .elseWhen(quarter.andNot(free), () => quarters.set(quarters.sub(1)));

    when(leaves.or(phase.is("Change").and(quarter)), () => sclLow.set(0)).elseWhen(lows, () => sclLow.set(1));
    when(leaves, () => sdaLow.set(0))
      .elseWhen(starts.and(idle), () => sdaLow.set(1))
      .elseWhen(changes, () => sdaLow.set(mux(condition, cell.is("stop"), shift.bit(8).not())))
      .elseWhen(highOver.and(condition), () => sdaLow.set(cell.is("start")));
    when(accepted, () => {
      shift.set(nineBits(payload.read, payload.nack, payload.data));
      left.set(8);
      asked.set({ stop: payload.stop, read: payload.read });
    }).elseWhen(ends.andNot(condition), () => {
      shift.set(cat(shift.trunc(8), sampled));
      left.set(left.sub(1));
    });
    const looks = phase
      .is("Rise")
      .or(high)
      .or(keep.and(cell.is("stop")));
    when(starts.and(idle), () => sampled.set(1)).elseWhen(looks, () => sampled.set(bus.sda));
    const foreign = node(accepted.and(idle).andNot(payload.start));
    when(foreign.or(lose), () => lost.set(1)).elseWhen(accepted, () => lost.set(0));
    const replies = foreign.or(leaves).or(ends.and(byteDone).andNot(thenStop));
    when(replies, () => answer.set(1)).elseWhen(io.reply.ready, () => answer.set(0));

    io.command.ready.set(answer.not().and(waits.or(idle.and(over.or(payload.start.not())))));
    io.reply.valid.set(answer);
    io.reply.payload.set({ data: shift.bits(1, 8), nack: shift.bit(0), lost });
    io.sclLow.set(sclLow);
    io.sdaLow.set(sdaLow);
    io.busy.set(busy);
  },
);
