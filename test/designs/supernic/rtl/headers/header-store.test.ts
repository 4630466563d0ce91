import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, bursts, type Dut, type Pause, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { dut, HeaderRig, type Held, type Ports, readers, type Size, sizes } from "./support/header-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: (): Pause => bernoulli(0.3, b.random.word()),
  to: (): Pause => bursts({ go: 20, pause: 12 }, b.random.word()),
});
async function lives(b: B, size: Size, count: number, atOnce: number): Promise<HeaderRig> {
  const rig = new HeaderRig(b, size, pauses(b));
  rig.setQuotas(rig.quotas.map((_, i) => 4 + 2 * i));
  await rig.lives(count, atOnce);
  await rig.end();
  return rig;
}
async function resets(b: B): Promise<void> {
  const rig = new HeaderRig(b, "small", pauses(b));
  for (let round = 0; round < 15; round++) {
    const some = b.spawn(() => rig.lives(1000, 12));
    await b.cycles(b.random.between(10, 120));
    some.cancel();
    await b.cycles(1);
    rig.reset();
  }
  await rig.lives(60, 12);
  await rig.end();
}
/** Users at their quotas and contexts that are kept: each waits for its own only. */
async function atTheLimits(b: B): Promise<void> {
  const rig = new HeaderRig(b, "small");
  rig.pauseRelease = 0;
  rig.setQuotas([3, 16, 16]);
  const mine: Held[] = [];
  for (let i = 0; i < 3; i++) mine.push(...(await rig.bring(0)));
  const waits = rig.send(0);
  await b.cycles(20);
  expect([waits.got.length, b.io.enter.ready.value]).toEqual([0, 0]);
  await rig.release(mine.pop() as Held);
  await b.until(() => waits.got.length === 1);
  const theirs = [...(await rig.bring(1, 5)), ...(await rig.bring(2, 3))];
  // 13 are out. Two more and two kept do not fit; they do when one has come back.
  const kept = rig.send(1, 1, 2);
  await b.cycles(20);
  expect([kept.got.length, b.io.free.value]).toEqual([0, 3]);
  await rig.release(theirs.pop() as Held);
  await b.until(() => kept.got.length === 2);
  const last = [...(await rig.bring(2, 1))];
  expect([b.io.free.value, rig.most]).toEqual([0, 16]);
  const none = rig.send(2);
  await b.cycles(20);
  expect(none.got.length).toBe(0);
  for (const held of [...mine, ...waits.got, ...theirs, ...kept.got, ...last]) rig.releaseSoon(held);
  await b.until(() => none.got.length === 1);
  await rig.release(none.got[0] as Held);
  await rig.end();
}

/** What is wrong, and the text that makes it so. */
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["a quota is passed by one", /quota_allows = ([^;]*) > /, "quota_allows = $1 >= "],
  ["the packet before is forgotten", "wanted_before : 4'd0", "4'd0 : 4'd0"],
  [
    "kept contexts are given out",
    /contexts_suffice = ([^;]*) > [^;]*;/,
    "contexts_suffice = $1 > {3'd0, want_payload_copies};",
  ],
  ["a packet has a copy too few", "left <= left - 3'd1", "left <= left & (left - 3'd1)"],
  [
    "a context that comes back goes to the other bank",
    "release_valid & ~release_ctx[0]",
    "release_valid & release_ctx[1]",
  ],
  ["bytes outside the mask are written", /(coming_back_held_mask) \| \{64\{[^}]*\}\}/, "~64'd0"],
  ["a header of the other bank", /dispatched_ctx\[0\] \?/, "dispatch_payload_ctx[0] ?"],
  ["the destination is of the other bank", "dst = look[0] ?", "dst = ~look[0] ?"],
  ["a destination that comes back is written whole", "if (dst_0_mask[3])", "if (1'b1)"],
  ["a destination that comes back is not written", "if (dst_1_mask[5])", "if (~back_writes_1)"],
  ["a reader that stalls is given one too many", "leave_ready = ~left_claimed[2]", "leave_ready = 1'b1"],
  [
    "the deparser's header is the dispatched one",
    "left_word_0 <= left_bank_0[left_word_0_shifted[2:0]]",
    "left_word_0 <= left_bank_0[dispatched_word_0_shifted[2:0]]",
  ],
  ["a half entered packet outlives a reset", "if (rst) inside_ <= 1'b0;", "if (1'b0) inside_ <= 1'b0;"],
  ["what users hold outlives a reset", "held_by_1 <= 5'd0; ", ""],
];
/** The same of a store whose dispatched headers have few bytes. */
const fewFaults: typeof faults = [
  [
    "a byte that comes back is written by its neighbour's mask",
    "dispatched_bank_1_mask = {mask_1[50]",
    "dispatched_bank_1_mask = {mask_1[51]",
  ],
  ["a byte is kept for another", /(dispatched_bank_0_data = \{[^}]*)written_0\[47:40\]/, "$1written_0[55:48]"],
  [
    "a byte comes out at another place",
    "104'h0, dispatched_queue_payload_header[215:208], 96'h0",
    "96'h0, dispatched_queue_payload_header[215:208], 104'h0",
  ],
  ["a byte that may come back does not", /(mask_1 = \{[^}]*)mask_1_or\[63\]/, "$1~back_writes_1"],
  ["a byte that nobody writes is written", /(mask_0 = \{[^}]*)\{12\{~back_writes_0\}\}/, "$1{12{1'b1}}"],
  ["what comes back is what enters", /(written_0 = \{[^}]*)written_0_choice\[511:504\]/, "$1entering[511:504]"],
];

describe("HeaderStore", () => {
  testOfResets(dut("small"), { beside: { dst: "" } }, b => lives(b, "small", 200, 8));
  bench("small: packets live and end, under random pauses", dut("small"), { seed: 3 }, async b => {
    const rig = await lives(b, "small", 400, 14);
    expect(rig.most).toBe(16);
  });
  bench("full: packets live and end, under random pauses", dut("full"), { seed: 3 }, async b => {
    await lives(b, "full", 500, 40);
  });
  bench("few bytes are dispatched, under random pauses", dut("few"), { seed: 3 }, async b => {
    await lives(b, "few", 400, 14);
  });
  bench("without quotas, under random pauses", dut("uncounted"), { seed: 3 }, async b => {
    const rig = await lives(b, "uncounted", 400, 14);
    expect(rig.most).toBe(16);
  });
  bench("at the quotas, with kept contexts, and full", dut("small"), { seed: 4 }, atTheLimits);
  bench("a reset in the middle of everything leaves nothing behind", dut("small"), { seed: 5 }, resets);

  bench(
    "latency: 2 cycles to the context, 1 to a dispatched header, 2 to a leaving one",
    dut("full"),
    { seed: 6 },
    async b => {
      const rig = new HeaderRig(b, "full");
      await b.cycles(5);
      const coming = rig.send(3);
      await b.until(() => coming.got.length === 1);
      expect((rig.cycles.entered[0] ?? NaN) - (coming.sent.cycle ?? NaN)).toBe(2);
      for (const r of readers) {
        const job = rig.ask(r, coming.got[0] as Held);
        await b.until(() => job.done);
        expect((rig.cycles[r][0] ?? NaN) - (job.sent.cycle ?? NaN), r).toBe(r === "dispatch" ? 1 : 2);
      }
    },
  );
  bench("a header in, one back, two out in every cycle, if the banks differ", dut("full"), { seed: 7 }, async b => {
    const rig = new HeaderRig(b, "full");
    await b.cycles(5);
    const there: Held[] = [];
    for (let i = 0; i < 8; i++) there.push(...(await rig.bring(0)));
    const of = (bank: number, i: number): Held => there.filter(h => h.ctx % 2 === bank)[i % 4] as Held;
    const [from, count] = [b.cycle, 100];
    const backs = Array.from({ length: count }, (_, i) =>
      rig.back.send({ ctx: of(i % 2, i).ctx, header: 0n, mask: 0n }),
    );
    for (let i = 0; i < count; i++) {
      rig.ask("dispatch", of(i % 2, i));
      rig.ask("leave", of(1 - (i % 2), i));
    }
    const coming = Array.from({ length: count }, (_, i) => rig.send(i % 16));
    await b.until(() => coming.every(c => c.got.length === 1) && backs.every(s => s.cycle !== undefined));
    expect(b.cycle - from).toBeLessThan(count + 8);
    await b.cycles(4);
    for (const r of readers) expect(rig.cycles[r].length, r).toBe(count);
    for (const held of [...there, ...coming.map(c => c.got[0] as Held)]) rig.releaseSoon(held);
    await rig.end();
  });
  bench("all in one bank: each has every cycle", dut("full"), { seed: 8 }, async b => {
    const rig = new HeaderRig(b, "full");
    const [held] = await rig.bring(0);
    for (let i = 0; i < 100; i++) for (const r of readers) rig.ask(r, held as Held);
    await b.cycles(106);
    for (const r of readers) expect(rig.cycles[r].length, r).toBe(100);
    await rig.release(held as Held);
    await rig.end();
  });

  describe("a planted fault is found", () => {
    const runs: readonly ((b: B) => Promise<unknown>)[] = [b => lives(b, "small", 200, 14), atTheLimits, resets];
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", async () => {
      await look("no fault", dut("small"));
      expect(Object.keys(sizes)).toContain("small");
    });
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(look(name, plant(dut("small"), from, to)));
      });
    const few = (name: string, design: Dut<Ports>): Promise<void> =>
      runBench(name, design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 4 }, async b => {
        await lives(b, "few", 200, 14);
      });
    test("without quotas: a packet enters with a context too few", async () => {
      const design = plant(dut("uncounted"), /contexts_suffice = ([^;]*) > /, "contexts_suffice = $1 >= ");
      await findsFault(
        runBench("uncounted", design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 4 }, async b => {
          await lives(b, "uncounted", 200, 14);
        }),
      );
    });
    for (const [name, from, to] of fewFaults)
      test(`few bytes are dispatched: ${name}`, async () => {
        await findsFault(few(name, plant(dut("few"), from, to)));
      });
  });
});
