/** The hardware of a new project: a module of real use, a bench with a model, a proof with a fault. */

export const credits = `import { assertAlways, bit, bitsFor, cover, input, module, output, reg, uint, when } from "mnemosyne";

/**
 * Counts the credits of a sender. \`take\` spends one and counts only while \`available\`; \`give\` brings one back.
 * A credit that comes back can be spent in the next cycle. At \`most\` a further one is ignored. Reset: all are there.
 */
export const Credits = module(
  "Credits",
  (p: { most: number }) => ({
    take: input(bit),
    give: input(bit),
    available: output(bit),
    left: output(uint(bitsFor(p.most))),
  }),
  (io, p) => {
    const left = reg(uint(bitsFor(p.most)), { init: p.most });
    const available = left.ne(0);
    const spend = io.take.and(available);
    const comesBack = io.give.and(left.ne(p.most).or(spend));
    when(spend.and(comesBack.not()), () => {
      left.set(left.sub(1));
    }).elseWhen(comesBack.and(spend.not()), () => {
      left.set(left.add(1));
    });
    io.available.set(available);
    io.left.set(left);

    assertAlways(left.le(p.most), "there are never more credits than at reset");
    cover(left.eq(0), "all credits are spent");
  },
);
`;

export const proofs = `import type { Proof } from "mnemosyne";
import { Credits } from "./credits.ts";

/** \`mnemo prove src/proofs.ts --faults\`: the claims hold for runs of any length, and break with each fault. */
export const proofs: readonly Proof[] = [
  {
    module: "Credits, 5 at most",
    harness: Credits({ most: 5 }),
    faults: [{ what: "a credit too many is taken back", from: "(left_q != 3'd5)", to: "(left_q != 3'd6)" }],
  },
];
`;

export const bench = `import { expect, test } from "vitest";
import { benchWith } from "mnemosyne/sim";
import { Credits } from "../src/credits.ts";

const bench = benchWith(test);
const most = 5;

bench("agrees with a model under random traffic", Credits({ most }), {}, async b => {
  let left = most;
  const seen = new Set<number>();
  for (let cycle = 0; cycle < 2000; cycle++) {
    // Long stretches of spending, then of giving back, so that both ends are reached.
    const spending = cycle % 40 < 20;
    const take = b.random.below(4) < (spending ? 3 : 1),
      give = b.random.below(4) < (spending ? 1 : 3);
    b.io.take.value = Number(take);
    b.io.give.value = Number(give);
    await b.risingEdge();
    expect([b.io.left.value, b.io.available.value]).toEqual([left, Number(left > 0)]);
    seen.add(left);
    const spends = take && left > 0;
    left = Math.min(most, left - Number(spends) + Number(give));
  }
  expect(seen.size).toBe(most + 1);
});

bench("has every credit back when all are given back", Credits({ most }), {}, async b => {
  b.io.take.value = 1;
  await b.cycles(most + 3);
  expect([b.io.left.value, b.io.available.value]).toEqual([0, 0]);
  b.io.take.value = 0;
  b.io.give.value = 1;
  await b.cycles(most + 3);
  expect(b.io.left.value).toBe(most);
});
`;
