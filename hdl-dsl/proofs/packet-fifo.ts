/**
 * The packet FIFO against one list of beats, of which the first `whole` belong to packets that have come to their end.
 */
import { output, sink, source } from "../types/ports.ts";
import { bit, struct, uint, vec } from "../types/shape.ts";
import type { UInt } from "../types/value.ts";
import { bitsFor } from "../types/bits.ts";
import { node, reg } from "../build/declare.ts";
import { type Def, instance, module } from "../build/module.ts";
import { assertAlways, cover, mux, when } from "../build/statements.ts";
import { constant } from "../build/value.ts";
import { pack } from "../build/view.ts";
import { PacketFifo } from "../lib/index.ts";
import { connect } from "../stream/connect.ts";
import type { Fault, Proof } from "./harness/proof.ts";
import { moduleObeys, producerObeys } from "./harness/rules.ts";

const Beat = struct({ value: bit, last: bit, drop: bit });
const WIDTH = 3;

function harness(depth: number): Def {
  const bits = bitsFor(2 * depth);
  return module(
    `PacketFifoDepth${depth}Proof`,
    () => ({ push: sink(Beat), pop: source(Beat), packets: output(uint<number>(bitsFor(depth))) }),
    io => {
      const dut = instance("dut", PacketFifo({ shape: Beat, depth, last: "last", drop: "drop" }));
      connect(io.push, dut.push);
      connect(dut.pop, io.pop);
      io.packets.set(dut.packets);
      producerObeys({ valid: io.push.valid, ready: io.push.ready, payload: pack(io.push.payload) }, "push");
      const waited = moduleObeys({ valid: io.pop.valid, ready: io.pop.ready, payload: pack(io.pop.payload) }, "pop");

      const beats = reg(vec(uint(WIDTH), depth), { name: "model" }),
        whole = reg(uint<number>(bits), { init: 0, name: "model_whole" }),
        coming = reg(uint<number>(bits), { init: 0, name: "model_coming" });
      const { last, drop } = io.push.payload;
      // A packet that fills all of the room and goes on can never be whole.
      const hopeless = node(coming.eq(depth), { name: "model_hopeless" });
      const kept = node(io.push.fire.and(hopeless.not()), { name: "model_kept" }),
        ends = node(io.push.fire.and(last), { name: "model_ends" });
      const forgotten = node(ends.and(hopeless.or(drop)), { name: "model_forgotten" }),
        commits = node(ends.and(hopeless.or(drop).not()), { name: "model_commits" });
      const left = node(whole.sub(io.pop.fire.zext(bits)), { name: "model_left" }),
        place = node(left.add(coming), { name: "model_place" });
      const old = beats.toArray() as readonly UInt[];
      beats.toArray().forEach((b, i) => {
        b.set(
          mux(
            kept.and(place.eq(i)),
            pack(io.push.payload),
            mux(io.pop.fire, old[Math.min(i + 1, depth - 1)] as UInt, old[i] as UInt),
          ),
        );
      });
      whole.set(mux(commits, left.add(coming).add(1), left));
      when(ends, () => coming.set(0)).elseWhen(kept, () => coming.set(coming.add(1)));

      assertAlways(io.pop.valid.eq(whole.ne(0)), "what belongs to a whole packet is offered, and nothing else");
      assertAlways(
        io.pop.valid.not().or(pack(io.pop.payload).eq(old[0] as UInt)),
        "beats come out as they went in, in their order",
      );
      assertAlways(
        io.push.ready.eq(whole.add(coming).ne(depth).or(hopeless)),
        "accepts while there is room, and what can never be whole",
      );
      assertAlways(dut.dropped.eq(forgotten), "a packet that is forgotten is told");
      const ended = old
        .map((b, i) => b.bit(1).and(whole.gt(i)).zext<number>(bits))
        .reduce((a, b) => a.add(b), constant(0, bits));
      assertAlways(dut.packets.zext(bits).eq(ended), "packets counts the whole ones inside");
      cover(whole.eq(depth).and(waited).and(io.pop.fire), "full of whole packets, after a stall");
      cover(forgotten.and(whole.ne(0)), "one is forgotten behind another");
      cover(hopeless.and(commits.not()).and(ends), "one that is too long is forgotten");
    },
  )();
}

const fault: Fault = {
  what: "room of a forgotten packet is not given back",
  from: /tail <= start/,
  to: "tail <= tail",
};

export const packetFifoProofs: readonly Proof[] = [2, 3].map(depth => ({
  module: `PacketFifo, depth ${depth}`,
  harness: harness(depth),
  reach: depth + 8,
  faults: [fault],
}));
