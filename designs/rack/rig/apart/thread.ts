import { Worker } from "node:worker_threads";
import { SimulationError } from "../../../../sim/index.ts";
import type { Arrival, Elsewhere, Jack, Passage, Window } from "../fabric/index.ts";
import type { Ask, News, Order, Question, Start } from "./messages.ts";

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (e: Error) => void;
}

/** Some members of a rack in a thread of their own, seen from the rack. */
export class Thread implements Elsewhere {
  readonly members: readonly number[];
  readonly #start: Start;
  /** Once it has been begun. */
  #worker: Worker | undefined;
  readonly #jacks = new Map<number, readonly Jack[]>();
  #arrivals: Arrival[] = [];
  #asks: Ask[] = [];
  readonly #answers = new Map<number, (value: unknown) => void>();
  #asked = 0;
  #joined: Waiter<void> | undefined;
  #window: Waiter<Window> | undefined;
  #failure: Error | undefined;
  #gone: Promise<void> = Promise.resolve();

  constructor(start: Start) {
    this.members = start.members;
    this.#start = start;
  }
  /** The stand-in of a member: frames for it come through `arrive`. */
  add(member: number, jacks: readonly Jack[]): void {
    this.#jacks.set(member, jacks);
    for (const [port, jack] of jacks.entries())
      jack.receive = (frame, damaged) =>
        void this.#arrivals.push({ member, port, ns: jack.time.now(), frame, damaged });
  }
  /** Asked at the beginning of the next window, and answered at the end of a later one. */
  ask(question: Question): Promise<unknown> {
    const id = this.#asked++;
    this.#asks.push({ id, question });
    return new Promise(resolve => {
      this.#answers.set(id, resolve);
    });
  }

  join(): Promise<void> {
    const worker = new Worker(new URL("./half.mjs", import.meta.url), { workerData: this.#start, execArgv: [] });
    this.#worker = worker;
    worker.on("message", (news: News) => this.#take(news));
    worker.on("error", e => this.#fail(e));
    this.#gone = new Promise(resolve => {
      worker.once("exit", () => {
        this.#fail(new SimulationError("a thread of the rack has ended before the others"));
        resolve();
      });
    });
    return new Promise((resolve, reject) => {
      this.#joined = { resolve, reject };
      if (this.#failure !== undefined) reject(this.#failure);
    });
  }
  advance(cycle: number): Promise<Window> {
    this.#order({ kind: "advance", cycle, arrivals: this.#arrivals, asks: this.#asks });
    this.#arrivals = [];
    this.#asks = [];
    return new Promise((resolve, reject) => {
      this.#window = { resolve, reject };
      if (this.#failure !== undefined) reject(this.#failure);
    });
  }
  replay({ member, port, frame }: Passage): void {
    this.#jacks.get(member)?.[port]?.send(frame);
  }
  async end(): Promise<void> {
    this.#order({ kind: "end" });
    await this.#gone;
  }

  #order(order: Order): void {
    this.#worker?.postMessage(order);
  }
  #take(news: News): void {
    if (news.kind === "joined") this.#joined?.resolve();
    else if (news.kind === "failed") this.#fail(new SimulationError(news.message));
    else {
      for (const { id, value } of news.answers) {
        this.#answers.get(id)?.(value);
        this.#answers.delete(id);
      }
      this.#window?.resolve(news.window);
    }
  }
  /** The first failure counts; one after the end is nobody's. */
  #fail(e: Error): void {
    this.#failure ??= e;
    this.#joined?.reject(this.#failure);
    this.#window?.reject(this.#failure);
  }
}
