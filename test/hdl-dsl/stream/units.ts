/** Every stream combinator once, side by side in one module: one simulation model serves all their tests. */
import {
  arbiter,
  bit,
  connect,
  demux,
  fifo,
  filter,
  fork,
  gate,
  input,
  instance,
  join,
  map,
  module,
  output,
  reg,
  sink,
  source,
  stage,
  type StreamIn,
  struct,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { Fifo } from "../../../hdl-dsl/lib/index.ts";

export const byte = uint(8);
/** A payload with structure: fields, one signed-free pair. */
export const Item = struct({ tag: uint(4), data: uint(8) });
/** One beat of a packet. */
export const Beat = struct({ from: uint(2), data: uint(8), last: bit });
const part = <S>(list: readonly StreamIn<S>[], i: number): StreamIn<S> => list[i] as StreamIn<S>;

export const fifoDepths = [2, 4, 5, 7] as const;

export const StreamUnits = module(
  "StreamUnits",
  () => ({
    mapI: sink(Item),
    mapO: source(struct({ sum: uint(9), tag: uint(4) })),
    filterI: sink(byte),
    filterO: source(byte),
    forwardI: sink(Item),
    forwardO: source(Item),
    backwardI: sink(Item),
    backwardO: source(Item),
    fullI: sink(Item),
    fullO: source(Item),
    fifo2I: sink(byte),
    fifo2O: source(byte),
    fifo2Level: output(uint(2)),
    fifo4I: sink(byte),
    fifo4O: source(byte),
    fifo4Level: output(uint(3)),
    fifo5I: sink(byte),
    fifo5O: source(byte),
    fifo5Level: output(uint(3)),
    fifo7I: sink(Item),
    fifo7O: source(Item),
    eagerI: sink(byte),
    eagerO0: source(byte),
    eagerO1: source(byte),
    eagerO2: source(byte),
    lazyI: sink(byte),
    lazyO0: source(byte),
    lazyO1: source(byte),
    joinA: sink(byte),
    joinB: sink(uint(4)),
    joinO: source(struct({ a: byte, b: uint(4) })),
    robinI0: sink(Beat),
    robinI1: sink(Beat),
    robinI2: sink(Beat),
    robinO: source(Beat),
    priorityI0: sink(Beat),
    priorityI1: sink(Beat),
    priorityI2: sink(Beat),
    priorityO: source(Beat),
    lockedI0: sink(Beat),
    lockedI1: sink(Beat),
    lockedI2: sink(Beat),
    lockedO: source(Beat),
    singleI: sink(byte),
    singleO: source(byte),
    demuxI: sink(Item),
    demuxO0: source(Item),
    demuxO1: source(Item),
    demuxO2: source(Item),
    connectI: sink(Item),
    connectO: source(Item),
    gateI: sink(byte),
    gateO: source(byte),
    gateGrant: input(bit),
    gateCredit: output(uint(4)),
    chainI: sink(byte),
    chainO: source(byte),
  }),
  io => {
    connect(
      map(io.mapI, struct({ sum: uint(9), tag: uint(4) }), v => ({
        sum: v.data.zext(9).add(v.tag.zext(9)),
        tag: v.tag.not(),
      })),
      io.mapO,
    );
    connect(
      filter(io.filterI, v => v.bit(0)),
      io.filterO,
    );
    connect(stage(io.forwardI, "forward"), io.forwardO);
    connect(stage(io.backwardI, "backward"), io.backwardO);
    connect(stage(io.fullI, "full"), io.fullO);

    const fifo2 = instance(Fifo({ shape: byte, depth: 2 })),
      fifo4 = instance(Fifo({ shape: byte, depth: 4 })),
      fifo5 = instance(Fifo({ shape: byte, depth: 5 }));
    connect(io.fifo2I, fifo2.push);
    connect(fifo2.pop, io.fifo2O);
    io.fifo2Level.set(fifo2.level);
    connect(io.fifo4I, fifo4.push);
    connect(fifo4.pop, io.fifo4O);
    io.fifo4Level.set(fifo4.level);
    connect(io.fifo5I, fifo5.push);
    connect(fifo5.pop, io.fifo5O);
    io.fifo5Level.set(fifo5.level);
    connect(fifo(io.fifo7I, 7), io.fifo7O);

    const eager = fork(io.eagerI, 3),
      lazy = fork(io.lazyI, 2, "lazy");
    connect(part(eager, 0), io.eagerO0);
    connect(part(eager, 1), io.eagerO1);
    connect(part(eager, 2), io.eagerO2);
    connect(part(lazy, 0), io.lazyO0);
    connect(part(lazy, 1), io.lazyO1);
    connect(join({ a: io.joinA, b: io.joinB }), io.joinO);

    const robin = arbiter([io.robinI0, io.robinI1, io.robinI2]);
    const first = arbiter([io.priorityI0, io.priorityI1, io.priorityI2], { policy: "priority" });
    const whole = arbiter([io.lockedI0, io.lockedI1, io.lockedI2], { last: v => v.last });
    connect(robin, io.robinO);
    connect(first, io.priorityO);
    connect(whole, io.lockedO);
    connect(arbiter([io.singleI]), io.singleO);

    const ways = demux(io.demuxI, io.demuxI.payload.tag.bits(0, 2), 3);
    connect(part(ways, 0), io.demuxO0);
    connect(part(ways, 1), io.demuxO1);
    connect(part(ways, 2), io.demuxO2);
    connect(io.connectI, io.connectO);

    // A gate that credits open: it never closes on a waiting transfer.
    const credit = reg(uint(4), { init: 0 });
    const through = gate(io.gateI, credit.any());
    const spent = through.fire;
    when(io.gateGrant.and(spent.not()), () => credit.set(credit.add(1))).elseWhen(spent.and(io.gateGrant.not()), () =>
      credit.set(credit.sub(1)),
    );
    connect(through, io.gateO);
    io.gateCredit.set(credit);

    // Combinators behind one another: each reads the output of another.
    const steps = stage(
      map(
        filter(fifo(stage(io.chainI, "backward"), 3), v => v.ne(7)),
        byte,
        v => v.add(1),
      ),
      "forward",
    );
    connect(steps, io.chainO);
  },
);
