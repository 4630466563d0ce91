/** A thread of a rack: its members run in the windows that the rack's own thread gives. */
import { parentPort, workerData } from "node:worker_threads";
import { readRack } from "../../setup/index.ts";
import {
  type Arrival,
  Clockwork,
  gbpsOf,
  type Passage,
  RackDevice,
  RackNode,
  Signal,
  type Window,
} from "../fabric/index.ts";
import type { Answer, Ask, DeviceEnd, News, Order, Question, Start } from "./messages.ts";

const start = workerData as Start,
  /** No window is longer, cycles. */
  longest = 1000,
  tell = (news: News): void => parentPort?.postMessage(news);

class Half {
  readonly #clockwork: Clockwork;
  readonly places: readonly (RackDevice | RackNode)[];
  #sent: Passage[] = [];
  #started: { member: number; cycle: number }[] = [];
  #answers: Answer[] = [];

  constructor(clockwork: Clockwork) {
    const plan = readRack(start.text, start.path);
    this.#clockwork = clockwork;
    this.places = start.members.map((m, i) => {
      const time = clockwork.times[i] ?? clockwork.time,
        device = plan.devices[m],
        node = plan.nodes[m - plan.devices.length];
      if (device !== undefined) return new RackDevice({ ...device, seed: start.seed }, time);
      if (node !== undefined) return new RackNode({ ...node, gbps: gbpsOf(plan, node.name), seed: start.seed }, time);
      throw new RangeError(`the rack has no member ${m}`);
    });
    for (const [i, place] of this.places.entries())
      for (const [port, jack] of jacksOf(place).entries())
        jack.plug(frame => {
          this.#sent.push({ member: start.members[i] ?? 0, port, ns: jack.time.now(), frame });
        });
  }
  started(place: number, cycle: number): void {
    this.#started.push({ member: start.members[place] ?? 0, cycle });
  }
  async advance(cycle: number, arrivals: readonly Arrival[], asks: readonly Ask[]): Promise<void> {
    for (const a of arrivals) this.#receive(a);
    for (const { id, question } of asks)
      void this.#answer(question).then(value => this.#answers.push({ id, value }), fail);
    await this.#clockwork.until(cycle);
    const window: Window = { sent: this.#sent.sort((a, b) => a.ns - b.ns), started: this.#started };
    tell({ kind: "window", window, answers: this.#answers });
    this.#sent = [];
    this.#started = [];
    this.#answers = [];
  }
  #receive({ member, port, ns, frame, damaged }: Arrival): void {
    const place = this.#place(member),
      jack = jacksOf(place)[port];
    jack?.time.after(ns - jack.time.now(), () => jack.arrive(frame, damaged));
  }
  async #answer(question: Question): Promise<unknown> {
    const place = this.#place(question.member);
    if (question.what === "isAtRest") return place.isAtRest();
    if (place instanceof RackNode) return place.finish(question.strict);
    const { counters, problems } = await place.finish(),
      end: DeviceEnd = { counters, problems, left: place.left, comparedBytes: place.comparedBytes };
    return end;
  }
  #place(member: number): RackDevice | RackNode {
    return this.places[start.members.indexOf(member)] as RackDevice | RackNode;
  }
}
const jacksOf = (place: RackDevice | RackNode) => (place instanceof RackNode ? [place.jack] : place.jacks);
function fail(e: unknown): void {
  tell({ kind: "failed", message: e instanceof Error ? e.message : String(e) });
}

const isOver = new Signal();
const run = Clockwork.run(
  start.members.length,
  clockwork => {
    const own = new Half(clockwork);
    clockwork.stop();
    void clockwork.joined.then(() => tell({ kind: "joined" }));
    parentPort?.on("message", (order: Order) => {
      if (order.kind === "advance") own.advance(order.cycle, order.arrivals, order.asks).catch(fail);
      else {
        isOver.tell();
        void clockwork.until(Infinity);
      }
    });
    return { members: own.places, lookahead: longest, started: (place, cycle) => own.started(place, cycle) };
  },
  () => isOver.told,
);
run.catch(fail).finally(() => parentPort?.close());
