/** What comes back from the regions: bytes once and before the scheduler knows, whoever waits for whom. */
import { describe, expect, test } from "vitest";
import { Return } from "../../../../../designs/supernic/rtl/core/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { anyValue } from "../../support/any-value.ts";

const dut = Return({ contexts: 64, regions: 4, slots: 4, branches: 4 });
type Ports = typeof dut.ports;
type B = Bench<Ports>;
const always: Pause = () => true;

class Rig {
  readonly b: B;
  readonly leave;
  readonly write;
  readonly back;
  readonly #told: unknown[] = [];
  readonly said: unknown[] = [];

  constructor(b: B, o: { readonly leave?: Pause; readonly write?: Pause; readonly back?: Pause } = {}) {
    this.b = b;
    this.leave = new StreamSource(b.sim, b.io.leave, { pause: o.leave ?? never });
    this.write = new StreamSink(b.sim, b.io.write, { pause: o.write ?? never });
    this.back = new StreamSink(b.sim, b.io.back, { pause: o.back ?? never });
    b.io.clearing.value = 0;
    b.onEdge({ sample: () => this.#sample() });
  }
  /** Half of them have written something, and some were dropped. */
  comes(o: { readonly mask?: bigint; readonly dropped?: number } = {}) {
    const { random: r } = this.b,
      value = anyValue(r, this.b.io.leave.payload),
      mask = o.mask ?? r.pick([0n, 1n << BigInt(r.below(64)), value.mask]);
    return this.leave.send({ ...value, mask, dropped: o.dropped ?? (r.chance(0.3) ? 1 : 0) });
  }
  /** Each that is told of was said a cycle later; nothing is said of others. */
  #sample(): void {
    const { said, back, leave, clearing, write } = this.b.io;
    expect(said.valid.value).toBe(this.#told.length);
    if (said.valid.value === 1)
      expect([
        said.ctx.value,
        said.front.prepend.value,
        said.front.frontBytes.value,
        said.front.dropFront.value,
        said.front.reply.value,
      ]).toEqual(this.#told.pop());
    if (clearing.value === 1 && (write.valid.value === 1 || back.valid.value === 1))
      throw new Error("told while clearing");
    if (back.valid.value === 0 || back.ready.value === 0) return;
    const p = leave.payload;
    this.#told.push([p.ctx.value, p.prepend.value, p.frontBytes.value, p.dropFront.value, p.reply.value]);
  }
  /** All that was sent is back, and what had to be written is written before. */
  async settled(sent: readonly ReturnType<Rig["comes"]>[]): Promise<void> {
    await this.b.until(() => sent.every(s => s.cycle !== undefined));
    await this.b.cycles(2);
    const written = this.write.received.splice(0),
      backs = this.back.received.splice(0),
      writes = sent.filter(s => s.value.mask !== 0n && s.value.dropped === 0);
    expect(written.map(w => w.value)).toEqual(
      writes.map(({ value: { ctx, header, mask } }) => ({ ctx, header, mask })),
    );
    expect(backs.map(s => s.value)).toEqual(
      sent.map(({ value: { ctx, branch, region, dropped, refund } }) => ({ ctx, branch, region, dropped, refund })),
    );
    writes.forEach((s, i) =>
      expect(written[i]?.cycle ?? NaN).toBeLessThanOrEqual(backs[sent.indexOf(s)]?.cycle ?? NaN),
    );
  }
}

async function randomly(b: B): Promise<void> {
  const { random: r } = b,
    rig = new Rig(b, {
      leave: bernoulli(0.3, r.word()),
      write: bernoulli(0.4, r.word()),
      back: bernoulli(0.4, r.word()),
    });
  for (let round = 0; round < 6; round++) {
    const sent = Array.from({ length: 50 }, () => rig.comes());
    // The descriptors are clearing, as they are after a reset: all waits.
    b.io.clearing.value = 1;
    await b.cycles(r.below(30));
    expect(sent[0]?.cycle).toBeUndefined();
    b.io.clearing.value = 0;
    await rig.settled(sent);
    // Its bytes are written and the scheduler has not been told, as all begins anew: the next one's bytes are written.
    rig.back.pause = always;
    rig.comes({ mask: 1n, dropped: 0 });
    await b.cycles(6);
    rig.leave.forget();
    b.sim.reset(1);
    rig.write.received.splice(0);
    rig.back.pause = bernoulli(0.4, r.word());
  }
}
/** One in each cycle, its bytes and the news in the cycle in which it is offered. */
async function atOnce(b: B): Promise<void> {
  const rig = new Rig(b),
    sent = Array.from({ length: 30 }, () => rig.comes()),
    from = b.cycle;
  await rig.settled(sent);
  expect(sent.map(s => (s.cycle ?? NaN) - from)).toEqual(sent.map((_, i) => i + 1));
}
/** Who writes nothing waits for no header store; who does is told of in the cycle in which his bytes are taken. */
async function storeWaits(b: B): Promise<void> {
  const rig = new Rig(b, { write: always });
  await rig.settled([
    rig.comes({ mask: 0n }),
    rig.comes({ mask: 7n, dropped: 1 }),
    rig.comes({ mask: 0n, dropped: 1 }),
  ]);
  const late = rig.comes({ mask: 5n, dropped: 0 });
  await b.cycles(20);
  expect(late.cycle).toBeUndefined();
  rig.write.pause = never;
  await b.cycles(2);
  expect(late.cycle).toBeDefined();
  await rig.settled([late]);
}

const runs = { randomly, atOnce, storeWaits };
describe("Return", () => {
  testOfResets(dut, {}, randomly);
  bench("bytes once, before who is told", dut, { seed: 1, hangCycles: 500 }, randomly);
  bench("without a cycle in between", dut, { seed: 2, hangCycles: 500 }, atOnce);
  bench("who writes nothing waits for no store", dut, { seed: 3, hangCycles: 500 }, storeWaits);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 500, limitCycles: 20_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["bytes count as written that nobody took", "write_valid & write_ready", "write_valid"],
      ["who writes nothing waits for the store", "(~writes | written | write_ready)", "(written | write_ready)"],
      ["bytes that nobody wrote are written", "open & writes & ~written", "open & ~written"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
