/** The SPI master's lines: one slave at a time, a clock only for it, and a reply for each command. */
import { bit, uint } from "../../types/shape.ts";
import { node, reg } from "../../build/declare.ts";
import { assertAlways, assumeAlways, cover, when } from "../../build/statements.ts";
import { stable } from "../../build/past.ts";
import { pack } from "../../build/view.ts";
import { SpiMaster } from "../../lib/index.ts";
import { around } from "../harness/around.ts";
import type { Proof } from "../harness/proof.ts";
import { moduleObeys, producerObeys } from "../harness/rules.ts";

const WIDTH = 2;
const harness = around("SpiMasterProof", SpiMaster({ width: WIDTH, slaves: 2, divisorBits: 1 }), io => {
  for (const v of [io.cpol, io.cpha, io.divisor]) assumeAlways(stable(v), "settings stay");
  producerObeys({ ...io.command, payload: pack(io.command.payload) }, "command");
  const waited = moduleObeys(io.reply, "reply");
  const idle = node(io.sck.eq(io.cpol), { name: "model_idle" }),
    none = node(io.csN.all(), { name: "model_none" });
  assertAlways(io.csN.any(), "one slave at a time");
  assertAlways(none.not().or(idle), "the clock rests while no slave is selected");
  const open = reg(bit, { init: 0, name: "model_open" }),
    edges = reg(uint(3), { init: 0, name: "model_edges" }),
    was = reg(bit, { init: 1, name: "model_idle_before" });
  was.set(idle);
  when(io.command.fire, () => {
    open.set(1);
    edges.set(0);
  });
  const edge = idle.ne(was);
  when(edge, () => edges.set(edges.add(1)));
  when(io.reply.fire, () => open.set(0));
  assertAlways(io.reply.valid.not().or(open), "a reply is a command's");
  assertAlways(io.command.fire.andNot(open).or(io.command.fire.not()), "a command waits for the reply before it");
  assertAlways(edges.le(2 * WIDTH), `no more than ${2 * WIDTH} edges for a word`);
  cover(waited.and(io.reply.fire).and(none), "a reply is taken after its slave was let go");
  cover(io.command.fire.and(none.not()), "a second word of a selection");
});

export const spiMasterProof: Proof = {
  module: "SpiMaster, words of 2 bits",
  long: true,
  harness,
  reach: 30,
  faults: [
    {
      what: "a reply that waits is written over",
      from: "(phase == phase_idle) & ~answered",
      to: "phase == phase_idle",
    },
  ],
};
