import { describe, expect, test } from "vitest";
import { type Bench, type BenchOptions, Cancelled, runBench, type Task, TimeoutError } from "../../../sim/index.ts";
import { counter } from "../designs/hand-written.ts";

type B = Bench<typeof counter.ports>;
const run = <T>(body: (b: B) => Promise<T>, options: BenchOptions = {}) =>
  runBench("tasks", counter, { wave: false, ...options }, body);

describe("waits", () => {
  test("edges, cycles, conditions and timers resume at their edge", async () => {
    await run(async b => {
      b.io.en.value = 1;
      await b.risingEdge();
      expect([b.cycle, b.io.count.value]).toEqual([3, 0]);
      await b.clk.cycles(5);
      expect([b.cycle, b.io.count.value]).toEqual([8, 5]);
      await b.until(() => b.io.count.value === 9);
      expect(b.cycle).toBe(12);
      await b.until(() => true);
      await b.cycles(0);
      expect(b.cycle).toBe(12);
      await b.timer(9);
      expect([b.cycle, b.sim.timeNs]).toEqual([15, 60]);
    });
  });

  test("all waiters of an edge see the same values, and a chain of promises ends before the next edge", async () => {
    await run(async b => {
      b.io.en.value = 1;
      const deep = async (n: number): Promise<number> => (n === 0 ? b.cycle : deep(n - 1));
      const seen = await b.all(
        Array.from({ length: 10 }, (_, i) => async () => {
          await b.risingEdge();
          return [await deep(i * 5), b.io.count.value];
        }),
      );
      expect(seen).toEqual(seen.map(() => [3, 0]));
    });
  });

  test("the simulation stands still while the bench awaits something else", async () => {
    await run(async b => {
      await new Promise(r => {
        setTimeout(r, 5);
      });
      expect(b.cycle).toBe(2);
    });
  });

  test("a condition that throws fails its waiter", async () => {
    await run(async b => {
      await expect(
        b.until(() => {
          if (b.cycle > 5) throw new Error("odd");
          return false;
        }),
      ).rejects.toThrow("odd");
    });
  });
});

describe("tasks", () => {
  test("a failure that nobody awaits fails the bench at once", async () => {
    let reached = false;
    const bad = run(async b => {
      b.spawn(async () => {
        await b.cycles(3);
        throw new Error("lost");
      });
      await b.cycles(100);
      reached = true;
    });
    await expect(bad).rejects.toThrow(/^lost\n\[tasks: seed 1, cycle 5;/);
    expect(reached).toBe(false);
  });

  test("a failure that is awaited goes to who awaits it", async () => {
    await run(async b => {
      const t = b.spawn(async () => {
        await b.cycles(3);
        throw new Error("seen");
      });
      await expect(t).rejects.toThrow("seen");
    });
  });

  test("what still runs at the end is cancelled, children too, with finally run", async () => {
    const log: string[] = [];
    const forever = (b: B, name: string) => async () => {
      try {
        for (;;) await b.risingEdge();
      } catch (e) {
        log.push(`${name} ${(e as Error).name}`);
        throw e;
      } finally {
        log.push(`${name} finally`);
      }
    };
    await run(async b => {
      b.spawn(async () => {
        b.spawn(forever(b, "child"));
        await forever(b, "parent")();
      });
      await b.cycles(4);
    });
    expect(log.sort()).toEqual(["child Cancelled", "child finally", "parent Cancelled", "parent finally"]);
  });

  test("the background stands still at the end, and what it began and does not await, too", async () => {
    const log: string[] = [];
    await run(async b => {
      const wait = async (name: string, n: number): Promise<void> => {
        try {
          await b.cycles(n);
          log.push(`${name} went on`);
        } finally {
          log.push(`${name} finally`);
        }
      };
      void b.background(async () => {
        // Nobody could be told of its failure: as a task's it would be cancelled, and end the process.
        void wait("left alone", 50);
        await wait("first", 2);
        await wait("second", 50);
      });
      await b.background(() => wait("short", 1));
      await b.cycles(4);
      // What begins behind the end does not go on either.
      void b.background(async () => {
        await b.cycles(3);
        await wait("late", 1);
      });
    });
    expect(log).toEqual(["short went on", "short finally", "first went on", "first finally"]);
  });

  test("a failure of the background is the bench's", async () => {
    const bad = run(async b => {
      void b.background(async () => {
        await b.cycles(3);
        throw new Error("lost");
      });
      await b.cycles(100);
    });
    await expect(bad).rejects.toThrow(/^lost\n\[tasks: seed 1, cycle 5;/);
  });

  test("a finally that fails, fails the bench", async () => {
    await expect(
      run(async b => {
        b.spawn(async () => {
          try {
            await b.cycles(100);
          } finally {
            throw new Error("clean-up failed");
          }
        });
        await b.cycles(4);
      }),
    ).rejects.toThrow("clean-up failed");
  });

  test("cancelling stops a task where it waits and nothing else", async () => {
    await run(async b => {
      let a = 0,
        c = 0;
      const task = b.spawn(async () => {
        for (;;) {
          await b.risingEdge();
          a++;
        }
      });
      b.spawn(async () => {
        for (;;) {
          await b.risingEdge();
          c++;
        }
      });
      await b.cycles(3);
      task.cancel();
      await b.cycles(3);
      // At an edge, waits for just that edge wake before those that count cycles: the first task had its third
      // before the cancel.
      expect([a, c]).toEqual([3, 6]);
      await expect(task).rejects.toThrow(Cancelled);
    });
  });

  test("race gives the first and cancels the losers; all gives every result", async () => {
    await run(async b => {
      let cleaned = 0;
      const after = (n: number) => async (): Promise<number> => {
        try {
          await b.cycles(n);
          return n;
        } finally {
          cleaned++;
        }
      };
      const start = b.cycle;
      expect(await b.race([after(50), after(3), after(20)])).toBe(3);
      await b.cycles(1);
      expect([b.cycle - start, cleaned]).toEqual([4, 3]);
      const never = b.event();
      await b.race<unknown>([never.wait(), b.cycles(2), b.until(() => false)]);
      expect(b.scheduler.waits.size).toBe(0);
      expect(await b.all([after(2), after(9), after(1)])).toEqual([2, 9, 1]);
      const lost: Task<number> = b.spawn(after(500));
      await expect(
        b.all<number>([
          lost,
          async () => {
            await b.cycles(1);
            throw new Error("one of them");
          },
        ]),
      ).rejects.toThrow("one of them");
      expect(lost.cancelled).toBe(true);
    });
  });

  test("a timeout counts simulated time", async () => {
    await run(async b => {
      expect(
        await b.withTimeout(
          async () => {
            await b.cycles(9);
            return 1;
          },
          { cycles: 10 },
        ),
      ).toBe(1);
      await expect(
        b.withTimeout(
          b.until(() => false),
          { cycles: 10 },
          "the answer",
        ),
      ).rejects.toThrow(
        new TimeoutError(`the answer took longer than 10 cycles (from cycle ${b.cycle} to ${b.cycle + 10})`),
      );
      await expect(b.withTimeout(b.event().wait(), { ns: 40 })).rejects.toThrow("the wait took longer than 40 ns");
    });
  });
});

describe("event, lock, queue", () => {
  test("an event wakes all, passes its value, and can be cleared", async () => {
    await run(async b => {
      const e = b.event<string>();
      const waiters = [1, 2].map(() => b.spawn(async () => `${await e.wait()} at ${b.cycle}`));
      await b.cycles(5);
      e.set("go");
      expect(await b.all(waiters)).toEqual(["go at 7", "go at 7"]);
      expect(await e.wait()).toBe("go");
      e.clear();
      expect(e.isSet).toBe(false);
    });
  });

  test("a lock is held by one, given in order, passes the cancelled over, and is released by failure", async () => {
    await run(async b => {
      const lock = b.lock(),
        order: string[] = [];
      const use = (name: string, n: number) => () =>
        lock.with(async () => {
          order.push(`+${name}`);
          await b.cycles(n);
          order.push(`-${name}`);
        });
      const first = b.spawn(use("a", 5)),
        second = b.spawn(use("b", 5)),
        third = b.spawn(use("c", 1));
      await b.cycles(2);
      second.cancel();
      await first;
      await third;
      expect(order).toEqual(["+a", "-a", "+c", "-c"]);
      await expect(
        lock.with(async () => {
          await b.cycles(1);
          throw new Error("inside");
        }),
      ).rejects.toThrow("inside");
      expect(lock.held).toBe(false);
    });
  });

  test("a bounded queue holds its producer back and keeps order", async () => {
    await run(async b => {
      const q = b.queue<number>(2),
        put: number[] = [];
      b.spawn(async () => {
        for (let i = 0; i < 6; i++) {
          await q.put(i);
          put.push(i);
        }
      });
      await b.cycles(3);
      expect([put, q.length]).toEqual([[0, 1], 2]);
      const got: number[] = [];
      for (let i = 0; i < 6; i++) {
        got.push(await q.get());
        await b.cycles(1);
      }
      expect([got, put]).toEqual([
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 3, 4, 5],
      ]);
      const late = b.spawn(() => q.get());
      await b.cycles(2);
      expect(q.offer(9)).toBe(true);
      expect(await late).toBe(9);
    });
  });
});
