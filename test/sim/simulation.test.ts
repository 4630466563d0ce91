import { describe, expect, test } from "vitest";
import { Random, simulate } from "../../sim/index.ts";
import { counter, fifo, twoClocks, widths } from "./designs/hand-written.ts";

describe("ports", () => {
  test("every width holds its extremes, and bytes and values agree", async () => {
    using sim = await simulate(widths);
    const io = sim.io,
      random = new Random(3);
    const pairs = [
      [io.a1, io.z1],
      [io.a31, io.z31],
      [io.a32, io.z32],
      [io.a33, io.z33],
      [io.a53, io.z53],
      [io.a64, io.z64],
      [io.a65, io.z65],
      [io.a512, io.z512],
      [io.ap.tag, io.zp.tag],
      [io.ap.lanes[1], io.zp.lanes[1]],
      [io.a__new, io.z__new],
    ] as const;
    for (const [a, z] of pairs) {
      if (!a || !z) throw new Error("a port is missing");
      for (const v of [0n, (1n << BigInt(a.width)) - 1n, random.bits(a.width), 1n << BigInt(a.width - 1)]) {
        a.value = v;
        sim.step(2);
        expect(z.big, z.name).toBe(v);
        expect(
          z.bytes.reduceRight((n, b) => (n << 8n) | BigInt(b), 0n),
          z.name,
        ).toBe(v);
      }
    }
  });

  test("signed ports read and write negative numbers", async () => {
    using sim = await simulate(widths);
    const io = sim.io;
    for (const v of [-64, -1, 0, 63]) {
      io.as7.value = v;
      sim.step(2);
      expect(io.zs7.value).toBe(v);
    }
    for (const v of [-(2 ** 39), -5, 2 ** 39 - 1]) {
      io.as40.value = v;
      sim.step(2);
      expect(io.zs40.value).toBe(v);
    }
    for (const v of [-(2n ** 69n), -1n, 2n ** 69n - 1n]) {
      io.as70.value = v;
      sim.step(2);
      expect(io.zs70.value).toBe(v);
    }
    expect(() => {
      io.as7.value = 64;
    }).toThrow("as7: 64 does not fit in sint(7); give a whole number from -64 to 63");
  });

  test("a value out of range is refused by name, width and value", async () => {
    using sim = await simulate(widths);
    expect(() => {
      sim.io.a31.value = 2 ** 31;
    }).toThrow("a31: 2147483648 does not fit in uint(31); give a whole number from 0 to 2147483647");
    expect(() => {
      sim.io.a31.value = -1;
    }).toThrow("a31: -1 does not fit in uint(31)");
    expect(() => {
      sim.io.a31.value = 1.5;
    }).toThrow("a31: 1.5 does not fit in uint(31)");
    expect(() => {
      sim.io.a65.value = 2n ** 65n;
    }).toThrow("a65: 36893488147419103232 does not fit in uint(65)");
    const forced = sim.io.z31 as { value: number };
    expect(() => {
      forced.value = 1;
    }).toThrow("z31 is an output of the design: it cannot be written");
  });

  test("wrong names, writes to outputs and wrong types do not compile", async () => {
    using sim = await simulate(widths);
    // @ts-expect-error no such port
    expect(sim.io.a30).toBeUndefined();
    expect(() => {
      // @ts-expect-error an output is not assignable
      sim.io.z31.value = 1;
    }).toThrow("output");
    // @ts-expect-error 65 bits read as bigint, not number
    const wide: number = sim.io.z65.value;
    // @ts-expect-error a struct has no field of that name
    expect(sim.io.ap.tog).toBeUndefined();
    expect(() => {
      // @ts-expect-error text is no value
      sim.io.a31.value = "1";
    }).toThrow();
    expect(typeof wide).toBe("bigint");
  });
});

describe("steps", () => {
  test("outputs read as before the edge, writes count for the next", async () => {
    using sim = await simulate(counter);
    sim.io.en.value = 1;
    sim.step();
    expect(sim.io.count.value).toBe(0);
    sim.step();
    expect(sim.io.count.value).toBe(1);
    sim.settle();
    expect(sim.io.count.value).toBe(2);
    sim.step(10);
    expect(sim.io.count.value).toBe(11);
    expect([sim.cycle, sim.timeNs]).toEqual([14, 56]);
  });

  test("runUntil stops at the value, natively and with agents alike", async () => {
    for (const agents of [false, true]) {
      using sim = await simulate(counter);
      if (agents)
        sim.onEdge({
          sample: () => {
            /* makes it step one by one */
          },
        });
      sim.io.en.value = 1;
      expect(sim.runUntil(sim.io.count, 100, 1000)).toBe(101);
      expect(sim.io.count.value).toBe(100);
      sim.io.en.value = 0;
      expect(sim.runUntil(sim.io.count, 7, 50)).toBeUndefined();
      expect(sim.cycle).toBe(2 + 101 + 50);
    }
  });

  test("agents sample each edge before the next is driven", async () => {
    using sim = await simulate(counter);
    const seen: string[] = [];
    sim.io.en.value = 1;
    const remove = sim.onEdge({
      sample: cycle => {
        seen.push(`s${cycle}=${sim.io.count.value}`);
      },
      drive: cycle => {
        seen.push(`d${cycle}`);
        sim.io.clear.value = cycle === 4 ? 1 : 0;
      },
    });
    sim.step(4);
    remove();
    sim.step(2);
    expect(seen).toEqual(["d2", "s3=0", "d3", "s4=1", "d4", "s5=2", "d5", "s6=0"]);
  });

  test("two clocks run at their own periods, and agents follow theirs", async () => {
    using sim = await simulate(twoClocks, { clocks: { default: { periodNs: 2 }, b: { periodNs: 5 } } });
    let slow = 0,
      fast = 0;
    sim.onEdge({
      sample: () => {
        fast++;
      },
    });
    sim.onEdge(
      {
        sample: () => {
          slow++;
        },
      },
      "b",
    );
    while (sim.timeNs < 100) sim.step();
    sim.settle();
    expect([sim.io.fast.value, sim.io.slow.value, fast, slow]).toEqual([50, 20, 50, 20]);
    expect([sim.domain().cycle, sim.domain("b").cycle]).toEqual([50, 20]);
    await expect(simulate(twoClocks, { clocks: { c: { periodNs: 2 } } })).rejects.toThrow(
      "the design has no clock domain c; it has default, b",
    );
  });

  test("two designs in one process do not disturb each other", async () => {
    using a = await simulate(counter, { seed: 1 });
    using b = await simulate(fifo, { seed: 2 });
    using c = await simulate(counter, { seed: 3 });
    a.io.en.value = 1;
    b.io.push.valid.value = 1;
    for (let i = 0; i < 50; i++) {
      b.io.push.payload.value = i;
      a.step();
      b.step();
      c.step();
    }
    a.settle();
    b.settle();
    c.settle();
    expect([a.io.count.value, b.io.level.value, c.io.count.value]).toEqual([50, 50, 0]);
  });
});

describe("seed", () => {
  const undefinedAtStart = async (seed: number): Promise<bigint> => {
    using sim = await simulate(widths, { seed, resetCycles: 0 });
    return sim.io.z512.big;
  };
  test("what the design does not initialise is random by seed, the same for the same seed", async () => {
    const first = await undefinedAtStart(11);
    expect(await undefinedAtStart(11)).toBe(first);
    expect(await undefinedAtStart(12)).not.toBe(first);
    expect(first).not.toBe(0n);
  });
});
