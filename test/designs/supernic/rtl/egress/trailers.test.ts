/** Marks of trailers and the memory of their bytes, by themselves: told, looked at, forgotten. */
import { describe, expect, it } from "vitest";
import { TrailerOf } from "../../../../../designs/supernic/rtl/egress/ports.ts";
import { trailerMarks, trailerStore, withoutTrailer } from "../../../../../designs/supernic/rtl/egress/trailers.ts";
import { bit, input, module, output, reg, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const contexts = 32,
  uses = ["puts", "cuts", "puts"] as const,
  parameters = {
    ...{ ports: 2, users: 2, contexts, cells: 64, frameBytes: 1_536, macs: 16, pauseCycles: 100 },
    trailers: uses,
  };
const Context = struct({ valid: bit, ctx: uint(5) });
const Trailers = module(
  "TrailersUnderTest",
  () => ({
    said0: input(TrailerOf(parameters)),
    said1: input(TrailerOf(parameters)),
    said2: input(TrailerOf(parameters)),
    look: input(Context),
    release: input(Context),
    bytes: input(uint(14)),
    trails: output(uint(2)),
    left: output(uint(14)),
    of: input(uint(2)),
    tail: output(uint(128)),
  }),
  io => {
    const said = [io.said0, io.said1, io.said2],
      marks = trailerMarks(parameters, said, io.look, io.release);
    if (marks === undefined) throw new RangeError("there are trailers");
    // As the egress has them: beside the word of the memory.
    const bytes = reg(uint(14), { name: "bytes_q" }),
      of = reg(uint(2), { name: "of_q" });
    bytes.set(io.bytes);
    of.set(io.of);
    io.trails.set(marks.trails.is(2));
    io.left.set(withoutTrailer(bytes, marks.cut).is(14));
    io.tail.set(trailerStore(parameters, [io.said0, io.said2])(io.look.ctx, io.look.valid)(of).is(128));
  },
);
type B = Bench<ReturnType<typeof Trailers>["ports"]>;

async function traffic(b: B, cycles: number): Promise<number> {
  const { io, random: r } = b,
    said = [io.said0, io.said1, io.said2];
  let told = new Map<number, { readonly way: number; readonly bytes: bigint }>(),
    looks = 0,
    due: { readonly trails: number; readonly left: number; readonly tail: bigint | undefined } | undefined;
  for (let i = 0; i < cycles; i++) {
    // A context is told once, and free again later; several happen in one cycle.
    const taken = new Set<number>(),
      next = new Map(told);
    const pick = (ok: (ctx: number) => boolean): number | undefined => {
      const ctx = r.between(0, contexts - 1);
      if (taken.has(ctx) || !ok(ctx)) return undefined;
      taken.add(ctx);
      return ctx;
    };
    for (const [way, port] of said.entries()) {
      const ctx = r.chance(0.4) ? pick(c => !told.has(c)) : undefined,
        bytes = way === 1 ? 0n : r.bits(128);
      port.valid.value = ctx === undefined ? 0 : 1;
      port.ctx.value = ctx ?? r.between(0, contexts - 1);
      port.bytes.value = bytes;
      if (ctx !== undefined) next.set(ctx, { way, bytes });
    }
    const gone = r.chance(0.6) ? pick(() => true) : undefined;
    io.release.valid.value = gone === undefined ? 0 : 1;
    io.release.ctx.value = gone ?? r.between(0, contexts - 1);
    const looked = r.between(0, contexts - 1),
      is = told.get(looked),
      bytes = r.between(17, 9_018);
    io.look.valid.value = 1;
    io.look.ctx.value = looked;
    const trails = is === undefined || is.way === 1 ? 0 : is.way === 0 ? 1 : 2;
    io.bytes.value = bytes;
    io.of.value = trails;
    await b.cycles(1);
    if (gone !== undefined) next.delete(gone);
    told = next;
    // Of the context that was looked at in the cycle before.
    if (due !== undefined) {
      looks++;
      const { left, tail } = due;
      if (io.trails.num !== due.trails) throw new Error(`trails ${io.trails.num}, not ${due.trails}`);
      if (io.left.num !== left) throw new Error(`${io.left.num} bytes are left, not ${left}`);
      if (tail !== undefined && io.tail.value !== tail) throw new Error("the trailer is another one's");
    }
    due = { trails, left: is?.way === 1 ? bytes - 16 : bytes, tail: trails === 0 ? undefined : is?.bytes };
  }
  return looks;
}
bench("each context has the trailer that it was told, until it is free", Trailers(), { seed: 71 }, async b => {
  expect(await traffic(b, 3_000)).toBe(2_999);
});
bench("a reset forgets all marks", Trailers(), { seed: 72 }, async b => {
  await traffic(b, 200);
  b.sim.reset(1);
  expect(await traffic(b, 200)).toBe(199);
});
describe("a planted fault is found", () => {
  const finds = (name: string, from: RegExp, to: string) =>
    it(name, () =>
      findsFault(
        runBench(
          `trailers fault ${name}`,
          plant(Trailers(), from, to),
          { seed: 73, wave: false, limitCycles: 5_000 },
          b => traffic(b, 1_000),
        ),
      ),
    );
  finds(
    "a mark stays when its context is free",
    /trailers_0 <= [^;]*;/,
    "trailers_0 <= trailers_0 | (32'd1 << said0_ctx & {32{said0_valid}});",
  );
  finds("the payload keeps what is cut", /has_trailer_1 <= [^;]*;/, "has_trailer_1 <= 1'b0;");
  finds(
    "two tasks share a memory",
    /trailer_bytes_1\[said2_ctx\] <= said2_bytes/,
    "trailer_bytes_1[said0_ctx] <= said0_bytes",
  );
});
