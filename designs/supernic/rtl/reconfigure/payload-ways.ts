/**
 * Ways to payloads of a region whose chain comes and goes: as many as the chain with most of them has. They read only:
 * a task that writes payload stays in its region.
 */
import {
  assignView,
  bit,
  type Bit,
  bitsFor,
  connect,
  input,
  type Inside,
  mergePorts,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  type Outside,
  portArray,
  portOf,
  reg,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { PayloadUse } from "../../wire/index.ts";
import { type ChainParameters, type payloadPortsOf, payloadUses } from "../region/index.ts";
import type { Task } from "../tasks/index.ts";

type Chain = readonly Task[];
type Ways = ReturnType<typeof payloadPortsOf>;
const readsOf = (chain: Chain): number => payloadUses(chain).length;
/** The ways to payloads of a region with these chains. */
export const mostReads = (variants: readonly Chain[]): readonly PayloadUse[] =>
  Array.from({ length: Math.max(0, ...variants.map(readsOf)) }, () => "read");

/** Joins the ways of all chains with those of the partition. What goes out of it while it is `noise` means nothing. */
export function chosenPayloads(
  io: Inside<Ways>,
  all: readonly { readonly chain: Chain; readonly it: Outside<Ways>; readonly chosen: Bit }[],
  noise: Bit,
  word: UInt,
): void {
  mostReads(all.map(a => a.chain)).forEach((_, w) => {
    const having = all.filter(a => readsOf(a.chain) > w),
      chosen = having.map(a => a.chosen);
    const job = portOf(io, "job", w),
      jobs = having.map(a => portOf(a.it, "job", w)),
      any = orTree(jobs.map((j, i) => j.valid.and(chosen[i] ?? noise))),
      { width } = job.payload.ctx,
      ctx = onehotMux(
        chosen,
        jobs.map(j => j.payload.ctx.is(width)),
      );
    job.valid.set(mux(noise, word.bit(w + 12), any));
    job.payload.ctx.set(mux(noise, word.bits(9, width), ctx));
    jobs.forEach(j => j.ready.set(job.ready));
    const from = portOf(io, "payload", w),
      to = having.map(a => portOf(a.it, "payload", w));
    to.forEach((t, i) => {
      t.valid.set(from.valid.and(chosen[i] ?? noise));
      assignView(t.payload, from.payload, "payload");
    });
    from.ready.set(mux(noise, word.bit(w + 14), orTree(to.map((t, i) => t.ready.and(chosen[i] ?? noise)))));
  });
}

/** Ports of a decoupler that knows of payloads: whether a packet is inside, by way, and whether one is being read. */
export function readingPortsOf({ contexts, reads = 0 }: Pick<ChainParameters, "contexts"> & { reads?: number }) {
  const one = { reading: input(bit) };
  return mergePorts(
    portArray("asks", reads, input(uint(Math.log2(contexts)))),
    portArray("knows", reads, output(bit)),
    // Without ways there is no such port, and nobody asks for it.
    reads === 0 ? ({} as typeof one) : one,
  );
}

/**
 * The same ways outside of the decoupler. Only packets that are inside are read. While the region is off nothing more
 * is asked for, and what has been asked for is taken here, until all of it is there: no packet gives its cells back
 * while they are being read. A question takes one cycle here, one a cycle.
 */
export function decoupledPayloads(
  io: Inside<Ways>,
  part: Outside<Ways>,
  decoupler: Outside<ReturnType<typeof readingPortsOf>>,
  { contexts, reads }: { readonly contexts: number; readonly reads: number },
  off: Bit,
): void {
  const reading = Array.from({ length: reads }, (_, w) => {
    const asked = portOf(part, "job", w),
      job = portOf(io, "job", w),
      knows = portOf(decoupler, "knows", w);
    portOf(decoupler, "asks", w).set(asked.payload.ctx);
    const goes = stream(struct({ ctx: uint(asked.payload.ctx.width) }), { name: `job_${w}_goes` });
    goes.valid.set(asked.valid.and(knows).andNot(off));
    goes.payload.set({ ctx: asked.payload.ctx });
    // One of nobody is thrown away.
    asked.ready.set(goes.ready.or(knows.not()));
    // Behind a register: what has been offered stays until it is taken, also when the region goes off meanwhile.
    connect(stage(goes, "forward", { name: `job_${w}_waits` }), job);
    const from = portOf(io, "payload", w),
      to = portOf(part, "payload", w);
    to.valid.set(from.valid.andNot(off));
    assignView(to.payload, from.payload, "payload");
    from.ready.set(to.ready.or(off));
    const out = reg(uint(bitsFor(contexts)), { init: 0, name: `reads_out_${w}` }),
      begins = node(goes.fire, { name: `read_${w}_begins` }),
      ends = node(from.fire.and(from.payload.last), { name: `read_${w}_ends` });
    when(begins.andNot(ends), () => out.set(out.add(1))).elseWhen(ends.andNot(begins), () => out.set(out.sub(1)));
    return out.any();
  });
  if (reading.length > 0) decoupler.reading.set(orTree(reading));
}
