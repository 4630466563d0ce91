import { type Client, OperationError, type RemoteProcess, type Thread } from "../client/index.ts";
import {
  checkLinearizable,
  History,
  type KeyInput,
  type KeyOutput,
  keySpecification,
  type Verdict,
  type WordInput,
  type WordOutput,
  wordSpecification,
} from "../linearizability/index.ts";
import { SharedBytes } from "./bytes.ts";
import type { RunOptions, RunResult } from "./options.ts";
import { mulberry32, Random } from "../../../hdl-dsl/index.ts";

const defaults = {
  threads: 2,
  pages: 6,
  words: 48,
  keys: 48,
  atomics: 0.35,
  keyValue: 0.1,
  allocation: 0.02,
  mostBytes: 3000,
};
/** Bytes at the start of each page that accesses fall in: the fewer, the more they overlap. */
const hotBytes = 4096;
/** Tries of what the run cannot do without. */
const setUpTries = 100;

/** Whether an error leaves open what the operation did; errors of any other kind are the program's. */
function unknown(e: unknown): boolean {
  if (e instanceof OperationError) return e.outcome === "unknown";
  throw e;
}
async function insist<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (e) {
      if (!(e instanceof OperationError) || tries === setUpTries) throw e;
    }
  }
}

/**
 * Random operations of many clients on one process's memory. They are overlapping reads and writes of any alignment and
 * over page ends, atomics on few words, keys, pages that come and go. Every result is judged (clio.md "The end-to-end
 * check"): atomics and keys by linearizability, bytes by the writes that they can come from. The run ends when every
 * operation has ended; the driver of the clock must see that they all do.
 */
export async function endToEnd(o: RunOptions): Promise<RunResult> {
  return new Run(o).run();
}

class Run {
  private readonly o: RunOptions & typeof defaults & { readonly settleNs: number };
  private readonly random: Random;
  private readonly now: () => number;
  private readonly words: History<WordInput, WordOutput>;
  private readonly keys: History<KeyInput, KeyOutput>;
  private readonly bytes: SharedBytes;
  private readonly failed = new Map<string, number>();
  private begun = 0;
  private ended = 0;
  private done = 0;
  private unknownOutcomes = 0;
  private values = 0;
  /** Address of the shared bytes, and of the words: two pages' worth apart. */
  private va = 0n;
  private wordsAt = 0n;

  constructor(o: RunOptions) {
    this.o = { ...defaults, settleNs: 4 * (o.clients[0] as Client).options.timeoutNs, ...o };
    this.random = new Random(o.seed, mulberry32);
    const clock = (o.clients[0] as Client).options.clock;
    this.now = () => clock.now();
    this.words = new History(this.now, this.o.settleNs);
    this.keys = new History(this.now, this.o.settleNs);
    this.bytes = new SharedBytes(this.now);
  }

  private get pageSize(): number {
    return (this.o.clients[0] as Client).options.pageSize;
  }

  async run(): Promise<RunResult> {
    const { clients, address, threads, pages } = this.o,
      first = clients[0] as Client;
    const { pid } = await insist(() => first.createProcess(address)),
      processes = clients.map(c => c.process(pid, address)),
      main = (processes[0] as RemoteProcess).thread();
    this.va = await insist(() => main.ralloc(pages * this.pageSize));
    this.wordsAt = await insist(() => main.ralloc(this.pageSize));
    await Promise.all(
      processes.flatMap((p, c) =>
        Array.from({ length: threads }, (_, t) => this.thread(p.thread(), `client ${c} thread ${t}`)),
      ),
    );
    await this.readAll(main);
    const problems = [
      ...this.bytes.problems,
      ...problemOf(checkLinearizable(this.words.operations, wordSpecification)),
      ...problemOf(checkLinearizable(this.keys.operations, keySpecification)),
    ];
    return {
      operations: this.ended,
      done: this.done,
      failed: this.failed,
      unknown: this.unknownOutcomes,
      judgedOperations: this.words.operations.length + this.keys.operations.length,
      judgedBytes: this.bytes.checked,
      problems,
    };
  }

  private async thread(t: Thread, who: string): Promise<void> {
    while (this.begun < this.o.operations) {
      this.begun++;
      try {
        await this.one(t, who);
        this.done++;
      } catch (e) {
        if (!(e instanceof OperationError)) throw e;
        this.failed.set(e.reason, (this.failed.get(e.reason) ?? 0) + 1);
        if (e.outcome === "unknown") this.unknownOutcomes++;
      }
      if (++this.ended % 1000 === 0) this.o.progress?.(this.ended);
    }
  }

  private one(t: Thread, who: string): Promise<unknown> {
    const { atomics, keyValue, allocation } = this.o,
      choice = this.random.fraction();
    if (choice < atomics) return this.word(t, who);
    if (choice < atomics + keyValue) return this.key(t, who);
    return choice < atomics + keyValue + allocation ? this.comesAndGoes(t) : this.access(t, who);
  }

  /** Operands that no other operation has: a value found identifies the operation. */
  private word(t: Thread, who: string): Promise<unknown> {
    const r = this.random,
      word = r.below(this.o.words),
      va = this.wordsAt + BigInt(8 * word),
      value = BigInt(++this.values) << 20n,
      object = `word ${word}`;
    const input = r.pick<WordInput>([
      { kind: "faa", addend: value },
      { kind: "faa", addend: value },
      { kind: "tas" },
      { kind: "store", value: r.chance(0.5) ? 0n : value },
      { kind: "cas", compare: 0n, swap: value },
    ]);
    const call = (): Promise<bigint> => {
      switch (input.kind) {
        case "tas":
          return t.testAndSet(va);
        case "cas":
          return t.compareAndSwap(va, input.compare, input.swap);
        case "store":
          return t.atomicStore(va, input.value).then(() => 0n);
        case "faa":
          return t.fetchAndAdd(va, input.addend);
        case "read":
        case "write":
          throw new RangeError(`${input.kind} is no atomic`);
      }
    };
    return this.words.record(object, who, input, call, found => found, unknown);
  }

  private key(t: Thread, who: string): Promise<unknown> {
    const r = this.random,
      key = r.below(this.o.keys),
      object = `key ${key}`,
      { kv } = t,
      id = (BigInt(key) << 32n) | 1n;
    // The length distinguishes values as well: a stored value must be read whole.
    const value = `${++this.values}`.padEnd(r.between(8, 200), "."),
      data = new TextEncoder().encode(value);
    const input = r.pick<KeyInput>([
      { kind: "read" },
      { kind: "read" },
      { kind: "delete" },
      { kind: "create", value },
      { kind: "update", value },
    ]);
    const call = (): Promise<KeyOutput> => {
      switch (input.kind) {
        case "read":
          return kv
            .read(id)
            .then(found => (found === undefined ? "missing" : { value: new TextDecoder().decode(found) }));
        case "delete":
          return kv.delete(id);
        case "create":
          return kv.create(id, data);
        case "update":
          return kv.update(id, data);
      }
    };
    return this.keys.record(object, who, input, call, found => found, unknown);
  }

  /** A page that one thread allocates, uses and frees: its frame had other data before, which must never show. */
  private async comesAndGoes(t: Thread): Promise<void> {
    const va = await t.ralloc(1);
    const found = await t.rread(va, 64);
    if (found.some(b => b !== 0)) {
      this.bytes.problems.push(`a page that was just allocated at 0x${va.toString(16)} reads ${found.join(" ")}`);
    }
    await t.rwrite(va, this.random.bytes(64));
    await t.rfree(va, 1);
  }

  private access(t: Thread, who: string): Promise<void> {
    const r = this.random,
      { pages, mostBytes } = this.o,
      length = r.chance(0.5) ? r.between(1, 64) : r.between(1, mostBytes),
      page = r.below(pages);
    // In the hot bytes of a page, or over its end.
    const over = page + 1 < pages && length > 1 && r.chance(0.1);
    const start = over
        ? (page + 1) * this.pageSize - r.between(1, length - 1)
        : page * this.pageSize + r.below(hotBytes),
      va = this.va + BigInt(start);
    if (r.chance(0.5)) {
      const data = r.bytes(length);
      const write = (): Promise<void> =>
        r.chance(0.5) ? t.rwrite(va, data) : t.rpoll([t.rwriteAsync(va, data)]).then(() => undefined);
      return this.bytes.write(start, data, write, unknown, () => this.pause());
    }
    return this.bytes.read(who, start, () => t.rread(va, length));
  }

  private pause(): Promise<void> {
    const { clock } = (this.o.clients[0] as Client).options;
    return new Promise(resolve => {
      clock.after(this.o.settleNs, resolve);
    });
  }

  /** At the end everything once more, so that the last operations show. */
  private async readAll(t: Thread): Promise<void> {
    const { pages, words } = this.o;
    for (let page = 0; page < pages; page++) {
      const start = page * this.pageSize;
      await insist(() => this.bytes.read("at the end", start, () => t.rread(this.va + BigInt(start), hotBytes)));
    }
    for (let word = 0; word < words; word++) {
      const va = this.wordsAt + BigInt(8 * word);
      const look = { kind: "faa", addend: 0n } as const,
        call = (): Promise<bigint> => t.fetchAndAdd(va, 0n);
      await insist(() => this.words.record(`word ${word}`, "at the end", look, call, found => found, unknown));
    }
  }
}

function problemOf(v: Verdict): string[] {
  switch (v.kind) {
    case "linearizable":
      return [];
    case "notLinearizable":
      return [`${v.object} is not linearizable: ${v.why}`];
    case "undecided":
      return [`${v.object}: undecided after ${v.steps} steps`];
  }
}
