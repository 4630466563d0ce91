/**
 * The two sNICs at work: a chain with state goes from the first to the second and comes back, and another user's plain
 * DAG at each may not be disturbed by it.
 */
import { expect } from "vitest";
import {
  peersOf,
  type PeersOfOptions,
  type RackDevice,
  type RackOptions,
  type RunningRack,
  withRack,
} from "../../../../../designs/rack/rig/fabric/index.ts";
import {
  type ChainWord,
  type Dag,
  decodeState,
  type LiveChain,
  type PeerSoftware,
} from "../../../../../designs/supernic/software/index.ts";
import { unpackState } from "../../../../../designs/supernic/wire/index.ts";
import { Random } from "../../../../../sim/index.ts";
import { counterModel, countsPart } from "../../../supernic/rtl/reconfigure/support/state-tasks.ts";
import {
  datagram,
  edge,
  flows,
  natAddress,
  natPorts,
  numberAt,
  plan,
  refusedPort,
  setOf,
  taskOf,
  uids,
} from "./state-plan.ts";

export const period = 10_000;
const quiet = 3_000,
  rackKey = new Uint8Array(32).fill(9),
  natSlot = 1,
  counterSlot = 2;
/** A frame of the DAG with state, as it came out. */
interface Came {
  readonly number: number;
  /** Source port behind the NAT. */
  readonly outside: number;
  /** What the counter said, 8 bits. */
  readonly counted: number;
}
/** What of the software is not the project's, for a planted fault. */
export interface StateRackOptions {
  readonly seed?: number;
  readonly change?: RackOptions["device"];
  readonly software?: PeersOfOptions["software"];
  /** Simulated time that a run may take, ns; without end, where this is left out. */
  readonly patienceNs?: number;
}

const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
const counted = (of: Readonly<Record<string, number>>, begin: string): number =>
  sum(Object.entries(of).map(([name, n]) => (name.startsWith(begin) ? n : 0)));

export class StateRack {
  readonly rack: RunningRack;
  readonly random: Random;
  software: PeerSoftware[] = [];
  readonly came: Came[] = [];
  /** By number: the flow's place, and whether the firewall refuses it. */
  readonly sent: { readonly flow: number; readonly refused: boolean }[] = [];
  /** By sNIC, plain frames sent, and numbers that came. */
  readonly plainSent = [0, 0];
  readonly plainCame: number[][] = [[], []];
  readonly gone: string[] = [];
  /** By sNIC, frames that came to its port of peers beside those of the line. */
  readonly extra = [0, 0];
  readonly #o: StateRackOptions;
  #sending = false;

  constructor(rack: RunningRack, o: StateRackOptions) {
    this.rack = rack;
    this.#o = o;
    this.random = new Random(o.seed ?? 1);
    for (const n of [0, 1]) rack.endpoint(`sink${n}`).onFrame = frame => this.#took(n, frame);
  }
  get dag(): Dag {
    const found = this.rack.devices[0]?.device.managed?.dags.dags.find(d => d.uid === uids.edge);
    if (found === undefined) throw new RangeError("the first sNIC has no DAG with state");
    return found;
  }
  device(n: number): RackDevice {
    const found = this.rack.devices[n];
    if (found === undefined) throw new RangeError(`there is no sNIC ${n}`);
    return found;
  }
  of(n: number): PeerSoftware {
    const found = this.software[n];
    if (found === undefined) throw new RangeError(`there is no sNIC ${n}`);
    return found;
  }
  manager(n: number) {
    const { managed } = this.device(n).device;
    if (managed === undefined) throw new RangeError("its regions cannot be given");
    return managed.manager;
  }
  chain(n: number): LiveChain {
    const found = this.manager(n).chainFor(edge, () => true);
    if (found === undefined) throw new RangeError("there is no chain with state");
    return found;
  }
  /** What a sNIC's software is from now on. */
  born(n: number, boot: number): void {
    const made = peersOf(this.device(n), this.rack.devices, {
      ...{ boot, period, quiet, rackKey, onGone: name => this.gone.push(`${name} at ${n}`) },
      ...(this.#o.software && { software: this.#o.software }),
    });
    this.software[n] = made;
    made.start();
  }
  async until(holds: () => boolean, what: string, periods = 400): Promise<void> {
    for (let i = 0; i < periods && !holds(); i++) await this.rack.clockwork.pause(period / 4);
    if (!holds()) throw new Error(`it does not come to this: ${what}`);
  }
  async begin(): Promise<void> {
    for (const n of [0, 1]) this.born(n, 1);
    await this.until(() => this.software.every(s => s.neighbours.every(p => p.presence === "there")), "both are there");
    // The second one has nothing of the chain: it is loaded for the guest.
    await this.manager(1).stop(this.chain(1), "forget");
    await this.manager(1).erase(0);
    expect(await this.of(0).place(this.dag)).toBe("here");
  }
  send(flow: number, to = 2000, bytes = 20): void {
    const number = this.sent.length;
    this.sent.push({ flow, refused: to === refusedPort });
    const frame = datagram(0, uids.edge, { from: flows[flow] ?? 0, to }, number, bytes);
    this.rack.endpoint("source0").send(frame);
  }
  plain(n: number): void {
    const number = this.plainSent[n] ?? 0;
    this.plainSent[n] = number + 1;
    const frame = datagram(n, uids.plain[n] ?? 0, { from: 7, to: 9 }, number, 60);
    this.rack.endpoint(`source${n}`).send(frame);
  }
  /** Each flow once, one behind the other. */
  async all(order: readonly number[] = [...flows.keys()]): Promise<void> {
    for (const flow of order) {
      this.send(flow);
      await this.rack.clockwork.pause(100);
    }
  }
  /** Frames of random flows all the time, until `stop`: some are refused, and plain ones come in between. */
  run(gap: () => number): { readonly stop: () => Promise<void> } {
    this.#sending = true;
    const goes = (async () => {
      while (this.#sending) {
        const { random } = this;
        this.send(random.below(flows.length), random.chance(0.05) ? refusedPort : 2000, random.between(20, 400));
        for (const n of [0, 1]) if (random.chance(0.5)) this.plain(n);
        await this.rack.clockwork.pause((0.5 + random.fraction()) * gap());
      }
    })();
    return {
      stop: async () => {
        this.#sending = false;
        await goes;
      },
    };
  }
  /** The words of the NAT, and how much both words of the counter have counted, at a sNIC where the chain runs. */
  async words(n: number): Promise<{ readonly nat: string; readonly packets: readonly bigint[] }> {
    const chain = this.chain(n),
      images = await this.manager(n).readState([chain]);
    const words: readonly ChainWord[] = images?.[0] === undefined ? [] : decodeState(chain.tasks, images[0]),
      packetsAt = (at: number): bigint =>
        unpackState(countsPart, words.find(w => w.slot === counterSlot && w.at === at)?.data ?? 0n)["packets"] ?? 0n;
    return {
      nat: words.flatMap(w => (w.slot === natSlot ? [`${w.at}:${w.data.toString(16)}`] : [])).join(" "),
      packets: [packetsAt(countsPart.first), packetsAt(countsPart.first + 1)],
    };
  }
  /** States that either sNIC's regions have lost. */
  get lost(): number {
    return [0, 1].reduce((n, k) => n + this.manager(k).state.counts.lost, 0);
  }
  /** Frames that must come out and have not. */
  get outside(): number {
    return this.sent.filter(s => !s.refused).length - this.came.length;
  }
  async rest(): Promise<void> {
    await this.until(() => this.outside <= 0, "all frames came", 200);
    await this.rack.settle();
  }
  #took(n: number, frame: Uint8Array): void {
    const view = new DataView(frame.buffer, frame.byteOffset),
      number = view.getUint32(42);
    // The source's address is the NAT's behind it.
    if (n === 0 && view.getUint32(26) === natAddress)
      this.came.push({ number, outside: view.getUint16(34), counted: view.getUint8(numberAt) });
    else this.plainCame[n]?.push(number);
  }

  /**
   * What is wrong with what came out. @param from the first of `came` that counts, with the counter at 0 @param to the
   * first behind them: state was lost before it
   */
  problems(from = 0, to = this.came.length): readonly string[] {
    const problems: string[] = [],
      of = this.came.slice(from, to),
      by = new Map<number, Came[]>();
    for (const c of of) {
      const flow = this.sent[c.number]?.flow ?? -1;
      by.set(flow, [...(by.get(flow) ?? []), c]);
    }
    for (const [flow, list] of by) {
      const [first] = list;
      if (list.some(c => c.outside !== first?.outside))
        problems.push(`flow ${flow} has bindings ${[...new Set(list.map(c => c.outside))].join(", ")}`);
      if (list.some((c, i) => i > 0 && c.number <= (list[i - 1]?.number ?? 0)))
        problems.push(`flow ${flow} is out of order: ${list.map(c => c.number).join(" ")}`);
      if (first !== undefined && (first.outside - natPorts * 4096) >> 2 !== setOf(flows[flow] ?? 0))
        problems.push(`flow ${flow} has a binding of another set: ${first.outside}`);
    }
    // Two flows of one binding would get each other's answers.
    const bindings = [...by.values()].map(l => l[0]?.outside);
    if (new Set(bindings).size !== bindings.length) problems.push("two flows have one binding");
    // Each packet was counted once, in about the order in which they came.
    const numbers = of.map(({ counted }, i) => i + ((counted - i + 128) & 255) - 128).sort((a, b) => a - b),
      wrong = numbers.findIndex((n, i) => n !== i);
    if (wrong >= 0) problems.push(`the counter said ${numbers[wrong]} where ${wrong} is due, of ${of.length}`);
    for (const { number } of of) if (this.sent[number]?.refused !== false) problems.push(`${number} was refused`);
    return problems;
  }
  /** What the ledger says of frames that the bench has doubled: so many more, and no other number. */
  #isExtra(problem: string): boolean {
    const [, n, came, went] = /^snic(\d):2: frames that came: (\d+) came, and (\d+) are/.exec(problem) ?? [],
      extra = this.extra[Number(n)] ?? 0;
    return extra > 0 && Number(went) - Number(came) === extra;
  }
  plainProblems(): readonly string[] {
    return this.plainCame.flatMap((came, n) =>
      came.length === this.plainSent[n] && came.every((c, i) => c === i)
        ? []
        : [`sNIC ${n}: ${came.length} plain frames of ${this.plainSent[n]} came, or in another order`],
    );
  }
  /** All is at rest and nobody is a guest. @returns what is wrong */
  async finish(): Promise<{ readonly problems: readonly string[]; readonly dropped: readonly number[] }> {
    for (const s of this.software) s.stop();
    await this.rack.clockwork.pause(2 * period);
    const { devices, problems } = await this.rack.finish(),
      failed = this.software.map(s => s.failed).filter(e => e !== undefined),
      guests = this.software.flatMap(s => s.guests.all).length;
    return {
      problems: [
        ...problems.filter(p => !this.#isExtra(p)),
        ...this.plainProblems(),
        ...failed.map(e => `the software failed: ${e instanceof Error ? e.message : "with no error"}`),
        ...(guests === 0 ? [] : [`${guests} guests at the end`]),
      ],
      // By tasks and in regions; at ports without room; and what comes for a guest that is no more.
      dropped: [...devices.values()].map(({ middle, ports }) =>
        sum([counted(middle, "drop"), ...ports.flatMap(p => [counted(p, "inFull"), counted(p, "inUid")])]),
      ),
    };
  }
}
export const inStateRack = <T>(o: StateRackOptions, body: (r: StateRack) => Promise<T>): Promise<T> =>
  withRack(
    plan,
    {
      seed: o.seed ?? 1,
      build: { bitstreams: [edge, ["dummy"]], taskOf, sizes: { reprogramCycles: 1_500 } },
      device: name => ({ isManaged: true, models: { counter_right: counterModel }, ...o.change?.(name) }),
    },
    async rack => {
      const r = new StateRack(rack, o),
        { patienceNs } = o;
      const works = async (): Promise<T> => {
        await r.begin();
        return body(r);
      };
      if (patienceNs === undefined) return works();
      const late = rack.clockwork.pause(patienceNs).then((): never => {
        throw new Error(`it is not over after ${patienceNs} ns`);
      });
      return Promise.race([works(), late]);
    },
  );
