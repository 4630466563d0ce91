/** The registers of several nodes as those of one: writes to all, sums of counters, a counter's halves. */
import { describe, expect, test } from "vitest";
import { counterNames } from "../../../../../designs/clio/config/index.ts";
import { counterBase, fieldPlace } from "../../../../../designs/clio/registers/index.ts";
import { LiteBroadcast } from "../../../../../designs/clio/rtl/partition/lite-broadcast.ts";
import {
  type Bench,
  bernoulli,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameterSets = [{ nodes: 2 }, { nodes: 4 }];
type Ports = ReturnType<typeof LiteBroadcast>["ports"];
type Slave = (name: "toAr" | "toAw" | "toW" | "toR" | "toB") => never;

const pagesAt = fieldPlace("freePages").register.address,
  plainAt = [0, 4].map(a => (pagesAt & ~15) + a).filter(a => a !== pagesAt),
  countersEnd = counterBase + 8 * counterNames.length,
  word32 = 2n ** 32n;

/** A node's registers: counters whose high word is kept with the low one, free pages, and words that keep a write. */
class NodeRegisters {
  readonly counts: readonly bigint[];
  readonly pages: number;
  readonly words = new Map<number, number>();
  #kept = 0n;

  constructor(b: Pick<Bench<Ports>, "random">) {
    // Low words near their end, so that a sum of few carries.
    this.counts = counterNames.map(() => (b.random.bits(14) << 32n) | (word32 - 1n - b.random.bits(30)));
    this.pages = b.random.between(0, 500);
  }

  read(addr: number): number {
    if (addr === pagesAt) return this.pages;
    if (addr < counterBase || addr >= countersEnd) return this.words.get(addr) ?? 0;
    const at = addr - counterBase,
      count = this.counts[at >> 3] as bigint;
    if ((at & 4) !== 0) return Number(this.#kept);
    this.#kept = count >> 32n;
    return Number(count % word32);
  }
}

/** Accesses of all kinds in any order. */
async function run(b: Bench<Ports>, nodes: number, pause: (seed: number) => Pause): Promise<void> {
  const { io } = b;
  const ar = new StreamSource(b.sim, io.sAr, { pause: pause(1) }),
    aw = new StreamSource(b.sim, io.sAw, { pause: pause(2) }),
    w = new StreamSource(b.sim, io.sW, { pause: pause(3) }),
    r = new StreamSink(b.sim, io.sR, { pause: pause(4) }),
    done = new StreamSink(b.sim, io.sB, { pause: pause(5) });
  const nodesOf = Array.from({ length: nodes }, (_, n) => {
    const registers = new NodeRegisters(b),
      // The streams of each node, which the ports' type does not name.
      port: Slave = name => (io as unknown as Readonly<Record<string, never>>)[`${name}${n}`] as never;
    const reads = new StreamSink(b.sim, port("toAr"), { pause: pause(10 + n) }),
      addresses = new StreamSink(b.sim, port("toAw"), { pause: pause(20 + n) }),
      data = new StreamSink(b.sim, port("toW"), { pause: pause(30 + n) }),
      answer = new StreamSource(b.sim, port("toR"), { pause: pause(40 + n) }),
      written = new StreamSource(b.sim, port("toB"), { pause: pause(50 + n) });
    type Access = { readonly value: { readonly addr: number | bigint; readonly data: number | bigint } } | undefined;
    b.onEdge({
      sample: () => {
        for (let a = reads.take() as Access; a !== undefined; a = reads.take() as Access) {
          expect(answer.pending, "reads that a node was asked for and has not answered").toBe(0);
          answer.send({ data: registers.read(Number(a.value.addr)), resp: n });
        }
        while (addresses.received.length > 0 && data.received.length > 0) {
          const at = addresses.take() as Access,
            word = data.take() as Access;
          registers.words.set(Number(at?.value.addr), Number(word?.value.data));
          written.send({ resp: n });
        }
      },
    });
    return { registers, addresses };
  });
  // A reset between an access and its answer leaves nothing of it behind.
  ar.send({ addr: counterBase, prot: 0 });
  aw.send({ addr: plainAt[0] as number, prot: 0 });
  await b.cycles(2);
  b.sim.reset(1);
  await b.cycles(40);
  r.received.splice(0);
  done.received.splice(0);
  for (const n of nodesOf) n.addresses.received.splice(0);
  const all = nodesOf.map(n => n.registers);
  const model = new Map<number, number>();
  let high = 0n;
  const read = async (addr: number, expected: bigint, what: string): Promise<void> => {
    ar.send({ addr, prot: 0 });
    await b.until(() => r.received.length > 0);
    expect(r.take()?.value, what).toEqual({ data: Number(expected), resp: 0 });
  };
  const lowWord = async (i: number): Promise<void> => {
    const total = all.reduce((sum, n) => sum + (n.counts[i] as bigint), 0n);
    high = (total >> 32n) % word32;
    await read(counterBase + 8 * i, total % word32, `low word of counter ${i}`);
  };
  for (let k = 0; k < 300; k++) {
    const i = b.random.between(0, counterNames.length - 1),
      at = b.random.pick(plainAt),
      what = k === 0 ? 0 : b.random.between(0, 4);
    if (what === 0) await lowWord(i);
    // Whatever is read or written between, the high word belongs to the low one that was read last.
    else if (what === 1) await read(counterBase + 8 * i + 4, high, "high word");
    else if (what === 2) await read(pagesAt, BigInt(all.reduce((sum, n) => sum + n.pages, 0)), "free pages");
    else if (what === 3) await read(at, BigInt(model.get(at) ?? 0), `word at ${at}`);
    else {
      const value = b.random.word();
      model.set(at, value);
      // Either may come first, by some cycles.
      const addressFirst = b.random.between(0, 1) === 1;
      const parts = [() => aw.send({ addr: at, prot: 0 }), () => w.send({ data: value, strb: 15 })];
      for (const part of addressFirst ? parts : parts.toReversed()) {
        part();
        await b.cycles(b.random.between(0, 5));
      }
      await b.until(() => done.received.length > 0);
      expect(done.take()?.value.resp, "node 0's answer").toBe(0);
    }
  }
  // Several at once: one after the other, and each word with its address.
  for (let k = 0; k < 12; k++) {
    const at = b.random.pick(plainAt),
      value = b.random.word();
    model.set(at, value);
    w.send({ data: value, strb: 15 });
    aw.send({ addr: at, prot: 0 });
  }
  await b.until(() => done.received.length === 12);
  // Reads, too: no node is asked for one before the one in front has been answered.
  const asked = Array.from({ length: 12 }, () => b.random.pick(plainAt));
  for (const addr of asked) ar.send({ addr, prot: 0 });
  await b.until(() => r.received.length === asked.length);
  expect(r.received.splice(0).map(x => x.value)).toEqual(asked.map(at => ({ data: model.get(at) ?? 0, resp: 0 })));
  for (const n of all) expect(n.words, "what each node was written").toEqual(model);
}

describe.each(parameterSets)("LiteBroadcast, $nodes nodes", p => {
  const dut = LiteBroadcast(p);
  test("accesses in any order, under back-pressure", () =>
    runBench("broadcast", dut, {}, b => run(b, p.nodes, seed => bernoulli(0.4, seed))));
  testOfResets(dut, {}, b => run(b, p.nodes, seed => bernoulli(0.4, seed)));
  test("and without any", () => runBench("broadcast", dut, {}, b => run(b, p.nodes, () => never)));
  test.each([
    [
      "another sum changes what a counter's high word is",
      /s_r_valid & s_r_ready & low/,
      "s_r_valid & s_r_ready & summed & ~high",
    ],
    ["a sum's carry is lost", /(?<=carry <= )total\[[^;]*/, "0"],
    ["an access that a reset ended is still waited for", /(?<=if \(rst\) reading <= )1'b0/, "1'b1"],
    [
      "a write's data may come while its answer is out",
      /assign s_w_ready = data_open_ready & ~given/,
      "assign s_w_ready = data_open_ready",
    ],
    ["a read goes to the nodes before the one in front is answered", /s_ar_valid & ~reading/, "s_ar_valid"],
    ["the free pages are those of node 0", /counts \| \(at == 10'd14\)/, "counts"],
  ] as const)("a planted fault is found: %s", (_, from, to) =>
    findsFault(
      runBench("broadcast planted", plant(dut, from, to), { wave: false, hangCycles: 300 }, b =>
        run(b, p.nodes, seed => bernoulli(0.4, seed)),
      ),
    ),
  );
});
