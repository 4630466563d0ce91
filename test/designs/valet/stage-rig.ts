/** Memory that moves, without nodes, and clients of a stage before it whose every result is judged. */
import { SharedBytes } from "../../../designs/clio/end-to-end/index.ts";
import {
  checkLinearizable,
  History,
  type WordInput,
  type WordOutput,
  wordSpecification,
} from "../../../designs/clio/linearizability/index.ts";
import type { FarBytes, WriteStage, WriteStageOptions } from "../../../designs/valet/stage/index.ts";
import { Random, SimulatedTime } from "../../../sim/index.ts";

export const pageBytes = 256,
  pages = 4,
  wordsAt = BigInt(pageBytes * (pages - 1));
const quietNs = 3000,
  words = 3;

class Failed extends Error {
  readonly kind: "moving" | "unknown" | "refused";
  constructor(kind: Failed["kind"]) {
    super(kind);
    this.kind = kind;
  }
}

export interface FarOptions {
  /** Share of tries whose outcome is unknown: they are done at any time until `quiet`, or never. */
  readonly unknown?: number;
}

/** Bytes that come and go after random times, and refuse writes while they move. */
export class FarModel implements FarBytes {
  readonly all = new Uint8Array(pages * pageBytes);
  moving = false;
  /** From now on every write is refused for good. */
  gone = false;
  underWay = 0;
  mostUnderWay = 0;
  readonly order: bigint[] = [];
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #o: FarOptions;

  constructor(time: SimulatedTime, random: Random, o: FarOptions = {}) {
    this.#time = time;
    this.#random = random;
    this.#o = o;
  }
  later(ns = this.#random.between(1, 400)): Promise<void> {
    return new Promise(resolve => {
      this.#time.after(ns, resolve);
    });
  }
  failure(e: unknown): Failed["kind"] {
    return e instanceof Failed ? e.kind : "refused";
  }
  quiet(): Promise<void> {
    return this.later(quietNs);
  }
  async read(va: bigint, bytes: number): Promise<Uint8Array> {
    await this.later();
    const found = this.all.slice(Number(va), Number(va) + bytes);
    await this.later(this.#random.between(1, 2000));
    return found;
  }
  tryWrite(va: bigint, data: Uint8Array): Promise<void> {
    return this.#change(false, () => this.#set(va, data));
  }
  async write(va: bigint, data: Uint8Array): Promise<void> {
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
    try {
      await this.#change(true, () => this.#set(va, data));
    } finally {
      this.underWay--;
    }
  }
  fetchAndAdd(va: bigint, addend: bigint): Promise<bigint> {
    const view = new DataView(this.all.buffer);
    return this.#change(
      true,
      () => {
        const was = view.getBigUint64(Number(va), true);
        view.setBigUint64(Number(va), was + addend, true);
        return was;
      },
      true,
    );
  }
  #set(va: bigint, data: Uint8Array): void {
    this.order.push(va);
    this.all.set(data, Number(va));
  }
  async #change<T>(waits: boolean, body: () => T, known = false): Promise<T> {
    await this.later();
    while (this.moving) {
      if (!waits) throw new Failed("moving");
      await this.later(500);
    }
    if (this.gone) throw new Failed("refused");
    if (!known && this.#random.chance(this.#o.unknown ?? 0)) {
      if (this.#random.chance(0.7)) this.#time.after(this.#random.between(1, quietNs - 1), body);
      throw new Failed("unknown");
    }
    const result = body();
    await this.later();
    return result;
  }
}

export interface StageWorld extends Partial<Pick<WriteStageOptions, "bytes" | "writes" | "window">>, FarOptions {
  readonly seed: number;
  readonly each?: number;
  readonly clients?: number;
  /** A second way around the stage: what must not be. */
  readonly around?: boolean;
}
type StageClass = typeof WriteStage;

export const stageOf = (Stage: StageClass, far: FarBytes, o: Partial<WriteStageOptions> = {}): WriteStage =>
  new Stage({ far, bytes: 4096, writes: 64, window: 4, regionShift: 9n, pageBytes, partBytes: 100, ...o });

/** Runs a body in simulated time: what hangs is an error. */
export const inTime = <T>(body: (time: SimulatedTime) => Promise<T>): Promise<T> => {
  const time = new SimulatedTime();
  return time.run(body(time), { limitNs: 1e7, describe: () => "the stage hangs" });
};

/**
 * Clients read, write and add through a stage while the memory moves.
 * @throws when a result is wrong, or something is kept
 */
export const judged = (Stage: StageClass, o: StageWorld): Promise<WriteStage["statistics"]> =>
  inTime(async time => {
    const random = new Random(o.seed),
      far = new FarModel(time, random, o),
      stages = [stageOf(Stage, far, o), ...(o.around === true ? [stageOf(Stage, far, o)] : [])],
      now = (): number => time.now(),
      bytes = new SharedBytes(now),
      history = new History<WordInput, WordOutput>(now),
      unknown = (e: unknown): boolean => far.failure(e) === "unknown";
    let over = false,
      added = 0n;
    const moves = async (): Promise<void> => {
      while (!over) {
        await far.later(random.between(500, 6000));
        far.moving = true;
        await far.later(random.between(500, 8000));
        far.moving = false;
      }
    };
    /** Adds to a word, writes it, or reads it. */
    const word = async (stage: WriteStage, who: string, w: number): Promise<void> => {
      const value = ++added << 16n,
        va = wordsAt + BigInt(8 * w),
        kind = random.pick(["faa", "write", "read"] as const),
        data = new Uint8Array(8);
      new DataView(data.buffer).setBigUint64(0, value, true);
      const input: WordInput = kind === "faa" ? { kind, addend: value } : kind === "write" ? { kind, value } : { kind };
      const operation = async (): Promise<bigint> => {
        if (kind === "faa") return stage.fetchAndAdd(va, value);
        if (kind === "read") return new DataView((await stage.read(va, 8)).slice().buffer).getBigUint64(0, true);
        await stage.write(va, data);
        return 0n;
      };
      await history
        .record(`word ${w}`, who, input, operation, found => found, unknown)
        .catch((e: unknown) => {
          if (!unknown(e)) throw e;
        });
    };
    const client = async (k: number): Promise<void> => {
      const stage = stages[k % stages.length] as WriteStage;
      for (let i = 0; i < (o.each ?? 25); i++) {
        const hot = random.chance(0.5),
          length = random.between(1, hot ? 12 : 200),
          start = hot ? random.below(20) : random.below(Number(wordsAt) - length),
          choice = random.fraction();
        if (choice < 0.4) {
          const data = random.bytes(length);
          await bytes
            .write(
              start,
              data.slice(),
              () => stage.write(BigInt(start), data),
              unknown,
              () => far.quiet(),
            )
            .catch((e: unknown) => {
              if (!unknown(e)) throw e;
            });
          data.fill(0xee);
        } else if (choice < 0.8) await bytes.read(`client ${k}`, start, () => stage.read(BigInt(start), length));
        else await word(stage, `client ${k}`, random.below(words));
        if (random.chance(0.2)) await far.later(random.between(1, 3000));
      }
    };
    const moving = moves();
    await Promise.all(Array.from({ length: o.clients ?? 5 }, (_, k) => client(k)));
    over = true;
    for (const s of stages) await s.fence();
    await moving;
    await bytes.read("at the end", 0, () => Promise.resolve(far.all.slice(0, Number(wordsAt))));
    const verdict = checkLinearizable(history.operations, wordSpecification);
    if (verdict.kind !== "linearizable") throw new Error(`words: ${verdict.kind}`);
    if (bytes.problems.length > 0) throw new Error(bytes.problems[0]);
    for (const s of stages) {
      const { bytes: kept, writes, waiting, regions } = s.inside;
      if (kept + writes + waiting + regions > 0) throw new Error(`kept: ${JSON.stringify(s.inside)}`);
      if (s.statistics.mostBytes > (o.bytes ?? 4096)) throw new Error("more bytes than there is room for");
      if (s.statistics.mostWrites > (o.writes ?? 64)) throw new Error("more writes than there is room for");
    }
    if (far.mostUnderWay > 2 * (o.window ?? 4) * stages.length) throw new Error("more under way than the window");
    return (stages[0] as WriteStage).statistics;
  });
