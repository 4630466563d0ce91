/** No nonce comes twice: after a reset, at a launch that was, and when numbers are used up. */
import { describe, expect, it } from "vitest";
import { nonces } from "../../../../../../designs/supernic/rtl/tasks/aes/index.ts";
import { TaskConfig } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { aesCounterBits, aesLaunchWord } from "../../../../../../designs/supernic/wire/index.ts";
import { bit, input, module, output, uint } from "../../../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../../../sim/index.ts";
import { bench } from "../../../../../bench.ts";
import { findsFault, plant } from "../../../../../support/plant.ts";
import { pathOf, PayloadRig } from "../../region/support/payload-rig.ts";
import { configureKeys, encrypts, goodPacket, someRows } from "./support/tunnel-rig.ts";

bench("a task that was reset encrypts nothing until a new launch", pathOf([encrypts]), { seed: 34 }, async b => {
  const rig = new PayloadRig(b, [encrypts]),
    rows = someRows(b.random),
    seen = new Set<string>();
  let encrypted = 0;
  rig.onLeave = header => {
    encrypted++;
    seen.add(Buffer.from(header.slice(2, 14)).toString("hex"));
  };
  const some = async (): Promise<number> => {
    const before = encrypted;
    for (let i = 0; i < 30; i++) {
      await b.until(() => rig.canSend());
      const { payloadBytes: _, ...packet } = goodPacket(b.random, encrypts, 0);
      rig.send([0], 100, packet);
    }
    await rig.end();
    return encrypted - before;
  };
  await configureKeys(rig, rows, undefined);
  expect(await some()).toBe(0);
  await configureKeys(rig, [], 5);
  expect(await some()).toBe(30);
  for (const launch of [5, 4]) {
    await configureKeys(rig, [], launch);
    expect(await some()).toBe(30);
  }
  // The task is switched off and on: it is fresh, as if it had been killed.
  rig.control(0, { isolate: true });
  await b.cycles(50);
  rig.control(0, {});
  await b.cycles(20);
  rig.mayDrop = true;
  expect(await some()).toBe(0);
  await configureKeys(rig, rows, 5);
  expect(await some()).toBe(0);
  rig.restart(0);
  rig.mayDrop = false;
  await configureKeys(rig, rows, 6);
  expect(await some()).toBe(30);
  expect(seen.size).toBe(encrypted);
});

const few = 4,
  width = aesCounterBits.snic + aesCounterBits.launch + few;
/** The numbers alone, with so few bits that they are used up. */
const Few = module(
  "NoncesOfFew",
  () => ({ config: input(TaskConfig), takes: input(bit), some: output(bit), counter: output(uint(width)) }),
  io => {
    const numbers = nonces(io.config, few);
    numbers.step(io.takes.and(numbers.some));
    io.some.set(numbers.some);
    io.counter.set(numbers.counter.is(width));
  },
);
async function usedUp(b: Bench<ReturnType<typeof Few>["ports"]>): Promise<void> {
  const { config, takes, some, counter } = b.io,
    seen = new Set<bigint>();
  const launch = async (n: number): Promise<void> => {
    const { at, data } = aesLaunchWord(3, n);
    config.valid.value = 1;
    config.at.value = at;
    config.data.value = data;
    await b.cycles(1);
    config.valid.value = 0;
    await b.cycles(1);
  };
  let taken = 0;
  b.onEdge({
    sample: () => {
      if (takes.value !== 1 || some.value !== 1) return;
      taken++;
      const c = BigInt(counter.value);
      if (seen.has(c)) throw new Error(`the counter ${c.toString(16)} comes a second time`);
      seen.add(c);
    },
  });
  const count = async (): Promise<number> => {
    taken = 0;
    takes.value = 1;
    await b.cycles(40);
    takes.value = 0;
    await b.cycles(1);
    return taken;
  };
  config.valid.value = 0;
  takes.value = 0;
  for (const [n, must] of [
    [1, 16],
    [1, 0],
    [2, 16],
    [7, 16],
    [3, 0],
  ] as const) {
    await launch(n);
    const given = await count();
    if (given !== must) throw new Error(`launch ${n} gives ${given} numbers, not ${must}`);
  }
}
bench("numbers that are used up are refused, and a launch that was", Few(), { seed: 35 }, usedUp);
describe("a planted fault is found", () => {
  const finds = (name: string, from: RegExp, to: string) =>
    it(name, () =>
      findsFault(
        runBench(`nonce fault ${name}`, plant(Few(), from, to), { seed: 36, wave: false, limitCycles: 5_000 }, usedUp),
      ),
    );
  finds("a launch that was is taken again", /(wire launches_now = launch_is_asked) & [^;]*;/, "$1;");
  finds(
    "numbers begin again when they are used up",
    /if \(&number\) launched <= 1'b0;/,
    "if (&number) launched <= 1'b1;",
  );
});
