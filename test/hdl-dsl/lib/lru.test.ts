import { describe, expect, test } from "vitest";
import { Lru } from "../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";

const dut = (entries: number) => Lru({ entries });
type Ports = ReturnType<typeof dut>["ports"];

/** The reference: most recently used first. */
class LruList {
  readonly #entries: number;
  order: number[] = [];
  constructor(entries: number) {
    this.#entries = entries;
    this.reset();
  }
  reset(): void {
    this.order = Array.from({ length: this.#entries }, (_, i) => i);
  }
  touch(index: number): void {
    this.order = [index, ...this.order.filter(x => x !== index)];
  }
  get victim(): number {
    return this.order[this.#entries - 1] as number;
  }
  /** The victim, once the present one is touched. */
  get next(): number {
    return this.order[this.#entries - 2] as number;
  }
}

/**
 * Random touches, the victim and the next one compared in every cycle; `reset` now and then. Touching only victims
 * for a while is how a TLB fills.
 */
async function run(b: Bench<Ports>, entries: number, cycles: number): Promise<void> {
  const list = new LruList(entries),
    random = b.random.fork("touches"),
    { touch, victim, next } = b.io;
  for (let i = 0; i < cycles; i++) {
    if (i % 1500 === 1499) {
      touch.valid.value = 1;
      b.sim.reset(1);
      list.reset();
    }
    const valid = random.chance(0.9),
      filling = i % 500 < 2 * entries;
    const index = filling
      ? list.victim
      : random.chance(0.3)
        ? (list.order[random.between(0, Math.min(3, entries - 1))] as number)
        : random.between(0, entries - 1);
    touch.valid.value = valid ? 1 : 0;
    touch.index.value = index;
    await b.risingEdge();
    expect(victim.num, `victim at cycle ${b.cycle}`).toBe(list.victim);
    expect(next.num, `next victim at cycle ${b.cycle}`).toBe(list.next);
    if (valid) list.touch(index);
  }
}

describe("Lru", () => {
  for (const entries of [2, 4, 16, 64]) {
    test(`the victim of ${entries} entries is the least recently used one, in every cycle`, () =>
      runBench("lru", dut(entries), {}, b => run(b, entries, 4000)));
  }

  test("after reset the numbers are victims from the highest down, once each", () =>
    runBench("lru fill", dut(16), {}, async b => {
      b.io.touch.valid.value = 1;
      const seen: number[] = [];
      b.sim.settle();
      for (let i = 0; i < 16; i++) {
        b.sim.settle();
        seen.push(b.io.victim.num);
        b.io.touch.index.value = b.io.victim.num;
        await b.risingEdge();
      }
      expect(seen).toEqual(Array.from({ length: 16 }, (_, i) => 15 - i));
    }));

  describe("planted faults are caught", () => {
    const caught = (name: string, from: string | RegExp, to: string): void => {
      test(name, () =>
        findsFault(
          runBench("lru planted", plant(dut(4), from, to), { wave: false }, b => run(b, 4, 4000)),
          /victim|once/,
        ),
      );
    };
    caught("fault 2: the victim is one place before the last", "assign victim = order_3", "assign victim = order_2");
    caught("fault 2: places behind the touched one move too", /here\[2\] \| /, "");
    caught("the next victim is the one before it in age", "assign next = order_2", "assign next = order_1");
    caught("a touch that is not valid counts", "if (touch_valid)", "if (1'b1)");
  });
});
