import { bit, module, ram, reg, sink, source, struct, uint, when } from "../../../../hdl-dsl/index.ts";
import { beatBytes, derived, type Parameters } from "../../config/index.ts";
import { LineAnswer, LineCommand, lineIdBits, Owner } from "../records/records.ts";

/**
 * The lines on chip: a beat each cycle, and an answer to each command in their order.
 * Latency 1 cycle, initiation interval 1. Full: one answer waits; then nothing is taken.
 */
export const LineRam = module(
  "LineRam",
  (p: Parameters) => ({ command: sink(LineCommand(p)), answer: source(LineAnswer(p)) }),
  (io, p) => {
    const { placeBits, beatBits } = derived(p);
    const lines = ram(uint(8 * beatBytes), {
      depth: 2 ** (placeBits + beatBits),
      collision: "undefined",
      style: "auto",
      name: "lines",
    });
    const full = reg(bit, { init: 0 }),
      asked = reg(struct({ owner: Owner, id: uint(lineIdBits(p)) }));
    const { command, answer } = io,
      c = command.payload;
    command.ready.set(full.not().or(answer.ready));
    lines.write(command.fire.and(c.write), c.address, c.data, c.strb);
    const data = lines.readSync(c.address, { en: command.fire.and(c.write.not()) });
    when(command.ready, () => {
      full.set(command.valid);
      asked.set({ owner: c.owner, id: c.id });
    });
    answer.valid.set(full);
    answer.payload.set({ owner: asked.owner, id: asked.id, data, bad: 0 });
  },
  { nameOf: p => `LineRam_s${p.sets}_w${p.ways}_l${p.lineBytes}_i${p.idBits}` },
);
