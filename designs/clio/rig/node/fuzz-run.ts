import { counters as counterList, type CounterName, type Settings } from "../../config/index.ts";
import { clioNode } from "../../build/index.ts";
import { Scoreboard } from "../../model/index.ts";
import {
  clientEndpoint,
  FrameClient,
  FrameMutator,
  fuzzGround,
  type FuzzGround,
  fuzzSeeds,
  relocate,
  type Stretch,
} from "../../workload/index.ts";
import { accessBody, defaultAction, dissect, opcode, status } from "../../wire/index.ts";
import {
  bernoulli,
  ControlCoverage,
  Corpus,
  type Design,
  observeControl,
  type ObservedDesign,
  type SentFrame,
} from "../../../../sim/index.ts";
import type { NodePorts } from "./node-ports.ts";
import { prepare } from "./prepare.ts";
import { type NodeOptions, type SimulatedNode, withNode } from "./simulated-node.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

export interface FuzzOptions {
  /** Mutated frames in all. */
  readonly frames: number;
  readonly seed: number;
  /**
   * Whether what shows new control states is kept and mutated on (default); otherwise always the seeds are mutated, in
   * the same ways.
   */
  readonly guided?: boolean;
  /** The hardware, when it is not what the language emits for the settings (a planted fault). */
  readonly design?: Design<NodePorts>;
  readonly progress?: (done: number) => void;
}
export interface FuzzResult {
  readonly frames: number;
  readonly stretches: number;
  /** Runs of a fresh node, and simulated cycles in all. */
  readonly sessions: number;
  readonly cycles: number;
  /** Coverage of the control registers, and the stretches kept for it, seeds included. */
  readonly coverage: ControlCoverage;
  readonly corpus: number;
  /** Good frames behind the stretches that were answered OK. */
  readonly served: number;
  /** The node's counters, added up. */
  readonly counters: Readonly<Record<CounterName, bigint>>;
  /** Differences from the reference model; the run ends at the first. */
  readonly problems: readonly string[];
}

/**
 * Mutated frames between two resets: the reference model's histories stay short, and what broke can be played
 * again in seconds.
 */
const framesPerSession = 4000;
/** Cycles within which a stretch must be over, whatever is in it: the slow path may have a thousand pages to free. */
const mostCycles = 60_000;
/** Atomics under way at once: the model follows every order in which they can have happened. */
const mostOnWords = 6;
const atomics: ReadonlySet<number> = new Set([
    opcode.ATOMIC_TAS,
    opcode.ATOMIC_CAS,
    opcode.ATOMIC_FAA,
    opcode.ATOMIC_STORE,
  ]),
  wordBytes = 8;
/**
 * Where a frame is judged leads the fuzzer, with the rules that it breaks. The units behind show mostly how requests
 * happen to meet.
 */
const judges = { only: ["net_rx", "mat"], also: ["net_rx.broken"] };
/** Counters that hang on memory: the scoreboard's model does not follow it, so the replies stand for them. */
const ofMemory = new Set<CounterName>([
  "invalid",
  "writePermission",
  "readPermission",
  "outOfMemory",
  "pageFaults",
  "reads",
  "writes",
  "atomics",
  "dereferences",
  "writesNoReply",
  "readBytes",
  "writeBytes",
  "unanswered",
  "txFrames",
  "shootdowns",
  "slowRequests",
  "extendRequests",
]);

/**
 * Coverage-guided fuzzing of the node with malformed frames (rules.md, sections 1 to 7): stretches of mutated frames
 * back to back, each followed by good ones. The reference model predicts every frame's outcome: reply, drop, hand-over
 * or silence. After each stretch everything is answered and no slot is in use; at the end of each session the counters
 * are the model's. Deterministic by the seed.
 */
export async function fuzzRun(settings: Settings, o: FuzzOptions): Promise<FuzzResult> {
  return new Fuzzer(settings, o).run();
}

class Fuzzer {
  private readonly settings: Settings;
  private readonly o: FuzzOptions;
  private readonly random: Random;
  private readonly ground: FuzzGround;
  private readonly mutator: FrameMutator;
  private readonly seeds: Corpus<Stretch>;
  private readonly corpus: Corpus<Stretch>;
  private readonly design: ObservedDesign<NodePorts>;
  private readonly coverage: ControlCoverage;
  private readonly problems: string[] = [];
  private readonly totals = new Map<CounterName, bigint>();
  private frames = 0;
  private stretches = 0;
  private sessions = 0;
  private cycles = 0;
  private served = 0;

  constructor(settings: Settings, o: FuzzOptions) {
    this.settings = settings;
    this.o = o;
    this.random = new Random(o.seed, mulberry32);
    this.ground = fuzzGround(settings);
    this.mutator = new FrameMutator(settings, this.ground, this.random);
    const seeds = fuzzSeeds(settings, this.ground);
    this.seeds = new Corpus(seeds);
    this.corpus = new Corpus(seeds);
    this.design = observeControl(o.design ?? clioNode(settings.config), judges);
    this.coverage = new ControlCoverage(this.design);
  }

  async run(): Promise<FuzzResult> {
    while (this.frames < this.o.frames && this.problems.length === 0) await this.session();
    const { frames, stretches, sessions, cycles, coverage, corpus, served, problems } = this;
    return {
      frames,
      stretches,
      sessions,
      cycles,
      coverage,
      corpus: corpus.size,
      served,
      problems,
      counters: Object.fromEntries(this.totals) as Record<CounterName, bigint>,
    };
  }

  /** A fresh node. Every other one meets back-pressure and a memory that answers out of order. */
  private async session(): Promise<void> {
    const scoreboard = new Scoreboard(this.settings.config, this.settings.runtime),
      seed = this.o.seed * 10_007 + this.sessions++;
    const rough = this.sessions % 2 === 0;
    const options: NodeOptions = rough
      ? {
          ram: {
            latency: 8,
            jitter: 20,
            outOfOrder: true,
            pause: { ar: bernoulli(0.1, seed), b: bernoulli(0.1, seed + 1) },
          },
          mac: { pauseTx: bernoulli(0.2, seed + 2), pauseRx: bernoulli(0.1, seed + 3) },
        }
      : { ram: { latency: 8 } };
    await withNode(
      "fuzz",
      this.settings,
      {
        ...options,
        design: this.design,
        seed,
        wave: false,
        limitCycles: 100_000_000,
        slowPath: { observer: scoreboard },
      },
      async node => {
        await prepare(
          node,
          {
            processes: [...this.ground.wild, this.ground.tame],
            mappings: this.ground.mappings,
            memory: this.ground.memory,
          },
          scoreboard,
        );
        await node.transport.writeTable();
        this.coverage.attach(node.bench.sim);
        await new Session(node, scoreboard, this.ground, this.problems).run(session => this.stretch(session));
        // Also after a fault: the counters say more about it.
        this.compare(await node.counters(), scoreboard);
        this.cycles += node.bench.cycle;
      },
    );
  }

  /** One stretch. @returns whether the session goes on */
  private async stretch(session: Session): Promise<boolean> {
    const guided = this.o.guided ?? true,
      from = guided ? this.corpus : this.seeds,
      { random: r } = this;
    const stretch = this.mutator.mutate(from.pick(r), from.pick(r)),
      before = this.coverage.states;
    this.served += await session.play(stretch, r);
    this.frames += stretch.length;
    this.stretches++;
    if (guided && this.coverage.states > before) this.corpus.add(stretch);
    this.o.progress?.(this.frames);
    return this.frames < this.o.frames && session.frames < framesPerSession;
  }

  /**
   * The model's counts, where it has any. Frames to the slow path, and those refused for want of room
   * there, count together.
   */
  private compare(found: Readonly<Record<CounterName, bigint>>, { counters: expected }: Scoreboard): void {
    for (const { name, exact } of counterList as readonly { readonly name: CounterName; readonly exact: boolean }[]) {
      this.totals.set(name, (this.totals.get(name) ?? 0n) + found[name]);
      if (exact && !ofMemory.has(name) && found[name] !== BigInt(expected[name]))
        this.problems.push(`counter ${name} is ${found[name]}, expected ${expected[name]}`);
    }
    const ways = ["slowRequests", "extendRequests", "fences", "busy"] as const,
      sum = ways.reduce((n, w) => n + found[w], 0n),
      right = ways.reduce((n, w) => n + expected[w], 0);
    if (sum !== BigInt(right)) this.problems.push(`${ways.join(" + ")} is ${sum}, expected ${right}`);
  }
}

/** Frames into and out of one node. */
class Session {
  frames = 0;
  private readonly node: SimulatedNode;
  private readonly scoreboard: Scoreboard;
  private readonly ground: FuzzGround;
  private readonly problems: string[];
  private readonly client: FrameClient;
  private readonly entering: { readonly bytes: Uint8Array; readonly damaged: boolean; readonly sent: SentFrame }[] = [];
  private good = 0;

  constructor(node: SimulatedNode, scoreboard: Scoreboard, ground: FuzzGround, problems: string[]) {
    this.node = node;
    this.scoreboard = scoreboard;
    this.ground = ground;
    this.problems = problems;
    this.client = new FrameClient(clientEndpoint(12), node.runtime);
  }

  async run(step: (session: Session) => Promise<boolean>): Promise<void> {
    this.node.bench.onEdge({ sample: () => this.watch() });
    for (let on = true; on && this.problems.length === 0 && this.scoreboard.retryPlaces > 24;) on = await step(this);
    if (this.problems.length === 0) this.problems.push(...this.scoreboard.finish());
  }

  /** Frames back to back, good ones behind; until all is over. @returns good ones that were served */
  async play(stretch: Stretch, r: Random): Promise<number> {
    const { node, scoreboard } = this,
      { bench: b } = node,
      base = (this.frames * 7) >>> 0,
      late = b.cycle + mostCycles;
    // The match-and-action table lets a quarter of the slots out to the slow path.
    scoreboard.mayBeBusy = stretch.filter(f => slow(f.bytes)).length >= node.config.requestSlots / 4;
    let onWords = 0,
      at = b.cycle;
    for (const f of stretch) {
      at = Math.max(at, b.cycle) + f.gap;
      if (isOnWord(f.bytes) && onWords++ === mostOnWords) {
        await b.until(
          () => this.broken || (this.entering.length === 0 && scoreboard.outstanding === 0) || b.cycle > late,
        );
        onWords = 1;
      }
      this.send(relocate(f.bytes, base), f.fcsBad, at);
      at += Math.ceil(f.bytes.length / (node.config.dataWidth / 8));
    }
    this.frames += stretch.length;
    const tame = this.ground.tame,
      va = this.ground.start + BigInt(r.below(5000)),
      data = r.bytes(r.between(1, 80));
    this.good = 0;
    const goodFrames = [
      this.client.write(tame, va, data),
      this.client.read(tame, va, 64),
      this.client.request(opcode.PINGPONG, tame, data),
    ];
    for (const f of goodFrames) this.send(f, false);
    const over = (): boolean => this.entering.length === 0 && scoreboard.outstanding === 0 && node.idle;
    await b.until(() => this.broken || over() || b.cycle > late);
    if (!over() && !this.broken)
      this.problems.push(
        `${scoreboard.outstanding} requests without an answer, ${this.entering.length} frames not taken, slots in use 0x${b.io.busy.big.toString(16)} after ${mostCycles} cycles`,
      );
    // Everything is done, also what has no reply.
    scoreboard.quiesce(b.cycle);
    const lost = goodFrames.length - this.good,
      left = node.slowPath.memory.hasProcess(tame);
    if (lost > 0 && left && !this.broken && (await node.slowPath.memory.translate(tame, va)) !== undefined) {
      this.problems.push(`${lost} of ${goodFrames.length} good frames behind the stretch were not served`);
    }
    if (this.broken) {
      this.problems.unshift(...scoreboard.problems.splice(0));
      this.problems.push(
        `the stretch:\n${stretch.map(f => `${Buffer.from(relocate(f.bytes, base)).toString("hex")}${f.fcsBad ? " (FCS bad)" : ""}`).join("\n")}`,
      );
    }
    return this.good;
  }

  private get broken(): boolean {
    return this.problems.length + this.scoreboard.problems.length > 0;
  }

  private send(bytes: Uint8Array, damaged: boolean, at = 0): void {
    this.entering.push({ bytes, damaged, sent: this.node.send(bytes, { damaged, at }) });
  }

  private watch(): void {
    const { node, scoreboard } = this;
    if (node.slowPath.pool.free === 0) scoreboard.mayRunOutOfMemory = true;
    for (let f = node.take(); f !== undefined; f = node.take()) {
      const done = scoreboard.reply(f.bytes, f.end),
        { udp } = dissect(f.bytes);
      if (done?.status === status.OK && udp?.dstPort === this.client.endpoint.port) this.good++;
    }
    for (let e = this.entering[0]; e?.sent.end !== undefined; e = this.entering[0]) {
      this.entering.shift();
      scoreboard.issue(e.bytes, e.sent.end, e.damaged);
    }
  }
}

/** Whether a frame may be an atomic, or a READ of a word. */
function isOnWord(frame: Uint8Array): boolean {
  const { clio, body } = dissect(frame);
  if (clio === undefined || body === undefined) return false;
  return (
    atomics.has(clio.opcode) || (clio.opcode === opcode.READ && body[accessBody.at.length.byteOffset] === wordBytes)
  );
}
/** Whether a frame may have to go to the slow path. */
function slow(frame: Uint8Array): boolean {
  const code = dissect(frame).clio?.opcode;
  return code !== undefined && (defaultAction(code) === "slow" || defaultAction(code) === "extend");
}
