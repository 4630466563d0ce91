import {
  assertAlways,
  bit,
  constant,
  input,
  module,
  mux,
  node,
  output,
  reg,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";

export interface RetrySweepParameters {
  /** Sets and clients: powers of two. */
  readonly sets: number;
  readonly clients: number;
  /** Bits of a number. */
  readonly operationBits: number;
}

/** A purge gets at least one cycle in this many. */
const purgeEvery = 16;
/**
 * The same for ageing: all sets of all clients are seen within 2^28 cycles (of 32-bit numbers). In that time a client
 * uses up a sixteenth of its 2^32 numbers at most. An operation that is too old must be seen while its age is 1/8 to
 * 5/8 of them (retry-store.ts).
 */
const ageEvery = (p: RetrySweepParameters): number =>
  Math.max(purgeEvery, 2 ** (p.operationBits - 4) / (p.sets * p.clients));

/**
 * Walks the retry buffer to forget operations that can no longer be repeated. `purge` forgets those of a client that
 * was forgotten; `purged` comes when all sets have been looked at. Always and slowly, the sweep also forgets operations
 * so old that their numbers will come round again.
 *
 * `step` names the set and client to look at; `take` says that it was. A step uses a cycle in which no request comes;
 * `urgent` claims such a cycle. `urgent` comes every 16th cycle of a purge, which so ends within 16 x sets cycles,
 * and hardly ever otherwise. From `purge` to the first step: 1 cycle. A purge while one is running must not be.
 * Reset: no purge.
 */
export const RetrySweep = module(
  "RetrySweep",
  (p: RetrySweepParameters) => {
    const client = uint(Math.log2(p.clients));
    return {
      purge: input(struct({ valid: bit, index: client })),
      purged: output(bit),
      step: output(struct({ valid: bit, urgent: bit, row: uint(Math.log2(p.sets)), client, purge: bit })),
      take: input(bit),
    };
  },
  (io, p) => {
    const At = struct({ row: uint(Math.log2(p.sets)), client: uint(Math.log2(p.clients)) });
    const ageing = reg(At, { init: 0 });
    const purge = reg(At);
    const purging = reg(bit, { init: 0 });
    const count = reg(uint(Math.log2(ageEvery(p))), { init: 0 });
    count.set(count.add(1));
    const turn = node(count.bits(0, Math.log2(purgeEvery)).all());
    const at = node(mux(purging, purge, ageing));
    io.step.set({
      valid: purging.or(turn),
      urgent: mux(purging, turn, count.all()),
      row: at.row,
      client: at.client,
      purge: purging,
    });
    const ends = node(io.take.and(at.row.all()));
    io.purged.set(ends.and(purging));
    when(io.take.and(purging), () => {
      purge.row.set(purge.row.add(1));
      when(ends, () => purging.set(0));
    });
    when(io.take.and(purging.not()), () => {
      ageing.row.set(ageing.row.add(1));
      when(ends, () => ageing.client.set(ageing.client.add(1)));
    });
    when(io.purge.valid, () => {
      purge.row.set(constant(0, purge.row.width));
      purge.client.set(io.purge.index);
      purging.set(1);
    });
    assertAlways(io.purge.valid.and(purging).not(), "one purge at a time");
  },
);
