/** Which processes exist: orders and asks at random against a set, latency, reset, planted faults. */
import { describe, expect, test } from "vitest";
import { Processes } from "../../../../designs/clio/offload/processes.ts";
import { type Bench, type Design, designOf, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const dut = Processes();
type Ports = typeof dut.ports;
const clearing = 4096;

class Rig {
  readonly b: Bench<Ports>;
  /** Those that exist, and those that have been asked for. */
  readonly exists = new Set<number>();
  readonly used = new Set<number>();
  constructor(b: Bench<Ports>) {
    this.b = b;
    b.io.order.write.value = 0;
    b.io.ask.valid.value = 0;
  }
  async ready(): Promise<void> {
    await this.b.until(() => this.b.io.busy.value === 0);
  }
  /** An order as software gives it. @returns cycles until it is done */
  async order(pid: number, exists: boolean, forget = false): Promise<number> {
    const { b } = this,
      removals: number[] = [];
    Object.entries({ write: 1, pid, exists: exists ? 1 : 0, forget: forget ? 1 : 0, seen: 0 }).forEach(([k, v]) => {
      b.io.order[k as "pid"].value = v;
    });
    await b.cycles(1);
    b.io.order.write.value = 0;
    // Outputs are seen a cycle late.
    await b.cycles(1);
    let cycles = 2;
    while (b.io.busy.value === 1) {
      if (b.io.forget.valid.value === 1) removals.push(b.io.forget.pid.value);
      await b.cycles(1);
      cycles++;
    }
    expect(b.io.used.value, `whether ${pid} had been asked for`).toBe(this.used.has(pid) ? 1 : 0);
    expect(removals, "removals begun").toEqual(forget ? [pid] : []);
    if (exists) this.exists.add(pid);
    else {
      this.exists.delete(pid);
      this.used.delete(pid);
    }
    return cycles;
  }
  /** @returns cycles until the answer */
  async ask(pid: number): Promise<number> {
    const { b } = this;
    b.io.ask.valid.value = 1;
    b.io.ask.pid.value = pid;
    let cycles = 0;
    do {
      await b.cycles(1);
      cycles++;
    } while (b.io.answer.valid.value === 0);
    expect(b.io.answer.exists.value, `whether ${pid} exists`).toBe(this.exists.has(pid) ? 1 : 0);
    b.io.ask.valid.value = 0;
    if (this.exists.has(pid)) this.used.add(pid);
    // It has been seen a cycle late: what was asked once more meanwhile is over by then.
    await b.cycles(4);
    // The first edge sees the ask.
    return cycles - 1;
  }
}

/** Few words, so that neighbours meet; a reset in the middle forgets all. */
async function atRandom(b: Bench<Ports>): Promise<void> {
  const rig = new Rig(b),
    { random } = b;
  for (let round = 0; round < 2; round++) {
    b.sim.reset();
    rig.exists.clear();
    rig.used.clear();
    const began = b.cycle;
    await rig.ready();
    expect(b.cycle - began, "cycles after reset").toBeLessThanOrEqual(clearing + 2);
    for (let i = 0; i < 1500; i++) {
      const pid = random.pick([0, 16, 65_520]) + random.between(0, 15);
      if (random.chance(0.6)) expect(await rig.ask(pid), "cycles of an ask").toBe(3);
      else expect(await rig.order(pid, random.chance(), random.chance(0.2)), "cycles of an order").toBe(5);
    }
  }
}

/** An order that comes while another is carried out, in each of its cycles, is lost: the first is as it was given. */
async function twoOrders(b: Bench<Ports>): Promise<void> {
  const rig = new Rig(b);
  await rig.ready();
  for (let after = 0; after < 3; after++) {
    const [pid, late] = [100 + after, 200 + after];
    for (const [at, p, exists] of [
      [0, pid, 1],
      [after, late, 0],
    ] as const) {
      if (at > 0) await b.cycles(at);
      b.io.order.pid.value = p;
      b.io.order.exists.value = exists;
      b.io.order.forget.value = 1 - exists;
      b.io.order.write.value = 1;
      await b.cycles(1);
      b.io.order.write.value = 0;
    }
    await b.cycles(1);
    await rig.ready();
    rig.exists.add(pid);
    await rig.ask(pid);
    await rig.ask(late);
  }
}

const run = (of: Design<Ports>): Promise<void> =>
  runBench("processes", of, { seed: 3, wave: false, limitCycles: 60_000 }, atRandom);

testOfResets(dut, {}, atRandom);

describe("which processes exist", () => {
  test("orders and asks at random, as a set has it; 3 cycles to an answer; a reset forgets all", () =>
    run(designOf(dut)));
  const runTwo = (of: Design<Ports>): Promise<void> => runBench("two orders", of, { seed: 3, wave: false }, twoOrders);
  test("an order that comes while another is carried out is lost", () => runTwo(designOf(dut)));
  test("a planted fault is found: it takes the place of the other", () =>
    findsFault(runTwo(plant(dut, "order_write & ~ordered & cleared", "order_write & cleared")), /whether/));
  for (const [name, from, to, why] of [
    ["an order changes its neighbours", /(?<=one = )[^;]*/, "16'hffff", /whether/],
    ["what begins to exist has been asked for", /(?<=wire keeps = )[^;]*/, "1'b1", /had been asked for/],
    ["a removal begins with each order", /(?<=forget_valid = [^;]*)order_forgets/, "1'b1", /removals begun/],
  ] as const)
    test(`a planted fault is found: ${name}`, () => findsFault(run(plant(dut, from, to)), why));
});
