import { describe, expect } from "vitest";
import { ModelMemory } from "../../../../designs/clio/model/index.ts";
import { status } from "../../../../designs/clio/wire/index.ts";
import { type EngineParameters, usualEngine } from "../../../../designs/wickit/config/index.ts";
import { runWic, type WicCall } from "../../../../designs/wickit/model/index.ts";
import { assemble } from "../../../../designs/wickit/program/index.ts";
import { bytesOfWords, ClientHost, clioMemory, type FrameNodeOptions } from "../../../../designs/wickit/rig/index.ts";
import { ClientWic } from "../../../../designs/wickit/rtl/index.ts";
import { bernoulli, StreamMonitor } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { example, listWords, nodes, requestsFor, sizedCalls, sizedImage } from "../support/programs.ts";

const base = 0x10_0000n,
  pid = 7;
const parameters = (beatBytes: number, engine: Partial<EngineParameters> = {}) => ({
  beatBytes,
  engine: { ...usualEngine, contexts: 8, mostSteps: 5000, ...engine },
});
const bad: Partial<FrameNodeOptions> = { loss: 0.1, duplicate: 0.1, corrupt: 0.05, busy: 0.05, jitter: 200 };
const ready = (): ModelMemory => {
  const m = new ModelMemory();
  m.map(pid, base, 4096);
  return m;
};
const counter = assemble(".program add\n  base r1\n  faa r0, [r1]\n  reply r0, 1\n").instructions;

const long = process.env["MNEMO_LONG"] !== undefined;

for (const beatBytes of long ? [64, 32, 16, 8] : [64, 8]) {
  const p = parameters(beatBytes);
  describe(`ClientWic, ${beatBytes} bytes a beat`, () => {
    bench(
      "answers as the interpreter does, on a bad network",
      ClientWic(p),
      { seed: 1, limitCycles: 3_000_000 },
      async b => {
        const memory = ready(),
          twin = ready(),
          host = new ClientHost(b, { parameters: p, base, pid, memory, latency: 60, timeout: 600, ...bad });
        for (const name of ["list", "log", "kv"] as const) {
          const image = example(name).instructions;
          for (const m of [memory, twin]) {
            m.store(pid, base, new Uint8Array(1024));
            if (name === "list") m.store(pid, base, bytesOfWords(listWords(base, nodes)));
          }
          await host.load(image);
          for (const call of requestsFor(name, b.random, long ? 40 : beatBytes === 8 ? 3 : 8)) {
            const { status: code, words } = runWic({ ...p.engine, image, base }, call, clioMemory(twin, pid));
            expect(await host.call(call)).toMatchObject({ status: code, words });
          }
          expect(memory.load(pid, base, 4096)).toEqual(twin.load(pid, base, 4096));
        }
        await host.drained();
        expect(host.repeated).toBeGreaterThan(0);
      },
    );
    bench(
      "many at once on a bad network: each addition is done once",
      ClientWic(p),
      { seed: 2, limitCycles: 3_000_000 },
      async b => {
        const memory = ready(),
          host = new ClientHost(b, { parameters: p, base, pid, memory, latency: 60, timeout: 600, ...bad });
        await host.load(counter);
        const calls: WicCall[] = Array.from({ length: 60 }, () => ({ program: 0, words: [1n] })),
          replies = await host.all(calls);
        await host.drained();
        expect(replies.map(r => r.status)).toEqual(calls.map(() => status.OK));
        expect(replies.map(r => Number(r.words[0])).sort((x, y) => x - y)).toEqual(calls.map((_, i) => i));
        expect(host.node.performed).toBe(60);
      },
    );
    bench(
      "appends of many contexts under the lock: every value once, in a place of its own",
      ClientWic(p),
      { seed: 3, limitCycles: 3_000_000 },
      async b => {
        const memory = ready(),
          host = new ClientHost(b, { parameters: p, base, pid, memory, latency: 40, loss: 0.03, jitter: 40 });
        await host.load(example("log").instructions);
        const calls: WicCall[] = Array.from({ length: 12 }, (_, i) => ({ program: 0, words: [BigInt(500 + i), 50n] })),
          replies = await host.all(calls);
        await host.drained();
        const entries = Array.from({ length: 12 }, (_, i) => memory.loadWord(pid, base + 16n + BigInt(8 * i)));
        expect(replies.map(r => [r.status, entries[Number(r.words[0])]])).toEqual(
          calls.map(c => [status.OK, c.words[0]]),
        );
        expect(new Set(entries).size).toBe(12);
        expect(memory.loadWord(pid, base)).toBe(0n);
      },
    );
    bench(
      "a node that is silent: the access ends after so many tries, and the others go on later",
      ClientWic(p),
      { seed: 4, limitCycles: 1_000_000 },
      async b => {
        const memory = ready(),
          host = new ClientHost(b, { parameters: p, base, pid, memory, latency: 40, tries: 3, timeout: 300 });
        await host.load(counter);
        expect(await host.call({ program: 0, words: [1n] })).toMatchObject({ status: status.OK });
        host.node.silent = true;
        const replies = await host.all(Array.from({ length: 8 }, () => ({ program: 0, words: [1n] })));
        expect(replies.map(r => r.status)).toEqual(replies.map(() => status.EXPIRED));
        host.node.silent = false;
        expect(await host.call({ program: 0, words: [1n] })).toMatchObject({ status: status.OK });
        await host.drained();
      },
    );
    bench("memory's refusals are the request's end", ClientWic(p), { seed: 5 }, async b => {
      const memory = ready();
      memory.map(pid, base + 4096n, 4096, "r");
      const text =
          ".program write\n  add r1, r0, r2\n  store r1, [r1], 8\n  reply r1, 1\n.program set\n  tas r1, [r0]\n  reply r1, 1\n",
        host = new ClientHost(b, { parameters: p, base, pid, memory, latency: 40 });
      await host.load(assemble(text).instructions);
      const asks: readonly (readonly [number, bigint, number])[] = [
        [0, base, status.OK],
        [0, base + 4096n, status.WRITE_PERM],
        [0, base - 8n, status.INVALID],
        [0, base + 4096n - 8n, status.WRITE_PERM],
        [1, base + 4n, status.MALFORMED],
        [1, base + 4096n, status.WRITE_PERM],
      ];
      for (const [program, at, code] of asks)
        expect((await host.call({ program, words: [at] })).status, `${program} ${at}`).toBe(code);
      await host.drained();
    });
    for (const slow of ["request", "requestData", "reply", "replyData", "rx", "tx"] as const)
      bench(`replies and accesses of each size, while ${slow} hardly moves`, ClientWic(p), { seed: 7 }, async b => {
        const memory = ready(),
          twin = ready(),
          host = new ClientHost(b, {
            ...{ parameters: p, base, pid, memory, latency: 20, timeout: 5000 },
            pause: s => bernoulli(s === slow ? 0.9 : 0.1, b.random.fork(s).word()),
          });
        await host.load(sizedImage);
        const calls = sizedCalls(b.random, base, 24),
          replies = await host.all(calls);
        for (const [i, call] of calls.entries()) {
          const { status: code, words } = runWic({ ...p.engine, image: sizedImage, base }, call, clioMemory(twin, pid));
          expect(replies[i]).toMatchObject({ status: code, words });
        }
        expect(memory.load(pid, base, 4096)).toEqual(twin.load(pid, base, 4096));
        await host.drained();
        expect(host.repeated).toBe(0);
      });
    bench("resets at any time, before requests of each size", ClientWic(p), { seed: 8 }, async b => {
      // The bench's MAC stays, and would take the rest of a frame for the next one's beginning: it stops between two.
      let between = true,
        stops = false;
      new StreamMonitor(b.sim, b.io.tx, ({ value }) => (between = value.last === 1));
      const host = new ClientHost(b, {
        ...{ parameters: p, base, pid, memory: ready(), latency: 30, jitter: 20, timeout: 5000 },
        pause: s => {
          const pauses = bernoulli(0.2, b.random.fork(s).word());
          return () => (s === "tx" && stops && between) || pauses();
        },
      });
      await host.load(sizedImage);
      for (let i = 0; i < 12; i++) {
        host.start(sizedCalls(b.random, base, 8));
        await b.cycles(b.random.between(1, 200));
        stops = true;
        await b.until(() => between);
        await b.cycles(2);
        host.reset();
        stops = false;
        const calls = sizedCalls(b.random, base + 2048n, 3),
          replies = await host.all(calls),
          twin = ready();
        for (const [n, call] of calls.entries()) {
          const { status: code, words } = runWic({ ...p.engine, image: sizedImage, base }, call, clioMemory(twin, pid));
          expect(replies[n]).toMatchObject({ status: code, words });
        }
        await host.drained();
      }
    });
    bench(
      "reset beside traffic: late replies of before are nobody's",
      ClientWic(p),
      { seed: 6, limitCycles: 1_000_000 },
      async b => {
        const memory = ready(),
          host = new ClientHost(b, { parameters: p, base, pid, memory, latency: 200, jitter: 100 });
        await host.load(counter);
        host.start(Array.from({ length: 8 }, () => ({ program: 0, words: [1n] })));
        await b.cycles(900);
        host.reset();
        const before = memory.loadWord(pid, base);
        const replies = await host.all(Array.from({ length: 20 }, () => ({ program: 0, words: [1n] })));
        expect(replies.map(r => r.status)).toEqual(replies.map(() => status.OK));
        // Requests of before that were under way may still be done, each once.
        const sum = Number(memory.loadWord(pid, base) - before);
        expect(sum).toBeGreaterThanOrEqual(20);
        expect(sum).toBeLessThanOrEqual(28);
        await host.drained();
      },
    );
  });
}
