/** Every stream combinator once, side by side in one module: one simulation model serves all their tests. */
import { arbiter, bit, struct, uint, connect, demux, filter, gate, join, map, fifo, fork, input, output, sink, source, instance, module, reg, stage, when, type StreamIn } from "../../../hdl-dsl/index.ts";
import { Fifo } from "../../../hdl-dsl/lib/index.ts";

export const byte = uint(8);
/** A payload with structure: fields, one signed-free pair. */
export const Item = struct({ tag: uint(4), data: uint(8) });
/** One beat of a packet. */
export const Beat = struct({ from: uint(2), data: uint(8), last: bit });
const part = <S>(list: readonly StreamIn<S>[], i: number): StreamIn<S> => list[i] as StreamIn<S>;

export const fifoDepths = [2, 4, 5, 7] as const;

export const StreamUnits = module("StreamUnits", () => ({
  map_i: sink(Item), map_o: source(struct({ sum: uint(9), tag: uint(4) })),
  filter_i: sink(byte), filter_o: source(byte),
  forward_i: sink(Item), forward_o: source(Item),
  backward_i: sink(Item), backward_o: source(Item),
  full_i: sink(Item), full_o: source(Item),
  fifo2_i: sink(byte), fifo2_o: source(byte), fifo2_level: output(uint(2)),
  fifo4_i: sink(byte), fifo4_o: source(byte), fifo4_level: output(uint(3)),
  fifo5_i: sink(byte), fifo5_o: source(byte), fifo5_level: output(uint(3)),
  fifo7_i: sink(Item), fifo7_o: source(Item),
  eager_i: sink(byte), eager_o0: source(byte), eager_o1: source(byte), eager_o2: source(byte),
  lazy_i: sink(byte), lazy_o0: source(byte), lazy_o1: source(byte),
  join_a: sink(byte), join_b: sink(uint(4)), join_o: source(struct({ a: byte, b: uint(4) })),
  robin_i0: sink(Beat), robin_i1: sink(Beat), robin_i2: sink(Beat), robin_o: source(Beat),
  priority_i0: sink(Beat), priority_i1: sink(Beat), priority_i2: sink(Beat), priority_o: source(Beat),
  locked_i0: sink(Beat), locked_i1: sink(Beat), locked_i2: sink(Beat), locked_o: source(Beat),
  single_i: sink(byte), single_o: source(byte),
  demux_i: sink(Item), demux_o0: source(Item), demux_o1: source(Item), demux_o2: source(Item),
  connect_i: sink(Item), connect_o: source(Item),
  gate_i: sink(byte), gate_o: source(byte), gate_grant: input(bit), gate_credit: output(uint(4)),
  chain_i: sink(byte), chain_o: source(byte),
}), io => {
  connect(map(io.map_i, struct({ sum: uint(9), tag: uint(4) }), v => ({ sum: v.data.zext(9).add(v.tag.zext(9)), tag: v.tag.not() })), io.map_o);
  connect(filter(io.filter_i, v => v.bit(0)), io.filter_o);
  connect(stage(io.forward_i, "forward"), io.forward_o);
  connect(stage(io.backward_i, "backward"), io.backward_o);
  connect(stage(io.full_i, "full"), io.full_o);

  const fifo2 = instance(Fifo({ shape: byte, depth: 2 })), fifo4 = instance(Fifo({ shape: byte, depth: 4 })), fifo5 = instance(Fifo({ shape: byte, depth: 5 }));
  connect(io.fifo2_i, fifo2.push); connect(fifo2.pop, io.fifo2_o); io.fifo2_level.set(fifo2.level);
  connect(io.fifo4_i, fifo4.push); connect(fifo4.pop, io.fifo4_o); io.fifo4_level.set(fifo4.level);
  connect(io.fifo5_i, fifo5.push); connect(fifo5.pop, io.fifo5_o); io.fifo5_level.set(fifo5.level);
  connect(fifo(io.fifo7_i, 7), io.fifo7_o);

  const eager = fork(io.eager_i, 3), lazy = fork(io.lazy_i, 2, "lazy");
  connect(part(eager, 0), io.eager_o0); connect(part(eager, 1), io.eager_o1); connect(part(eager, 2), io.eager_o2);
  connect(part(lazy, 0), io.lazy_o0); connect(part(lazy, 1), io.lazy_o1);
  connect(join({ a: io.join_a, b: io.join_b }), io.join_o);

  const robin = arbiter([io.robin_i0, io.robin_i1, io.robin_i2]);
  const first = arbiter([io.priority_i0, io.priority_i1, io.priority_i2], { policy: "priority" });
  const whole = arbiter([io.locked_i0, io.locked_i1, io.locked_i2], { last: v => v.last });
  connect(robin, io.robin_o); connect(first, io.priority_o); connect(whole, io.locked_o);
  connect(arbiter([io.single_i]), io.single_o);

  const ways = demux(io.demux_i, io.demux_i.payload.tag.bits(0, 2), 3);
  connect(part(ways, 0), io.demux_o0); connect(part(ways, 1), io.demux_o1); connect(part(ways, 2), io.demux_o2);
  connect(io.connect_i, io.connect_o);

  // A gate that credits open: it never closes on a waiting transfer.
  const credit = reg(uint(4), { init: 0 });
  const through = gate(io.gate_i, credit.any());
  const spent = through.fire;
  when(io.gate_grant.and(spent.not()), () => { credit.set(credit.add(1)); }).elseWhen(spent.and(io.gate_grant.not()), () => { credit.set(credit.sub(1)); });
  connect(through, io.gate_o);
  io.gate_credit.set(credit);

  // Combinators behind one another: what one drives another reads.
  const steps = stage(map(filter(fifo(stage(io.chain_i, "backward"), 3), v => v.ne(7)), byte, v => v.add(1)), "forward");
  connect(steps, io.chain_o);
});
