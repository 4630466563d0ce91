/** A memory node as the task's bench has it: the engine's model, its memory, and whether it is up. */
import { offloadPid } from "../../clio/offload/index.ts";
import { encode } from "../../shared/wire/index.ts";
import { NodeModel } from "../model/index.ts";
import { type Answer, commitAnswer, logBytes, type Message, states, verdicts } from "../wire/index.ts";
import { clusterBase, clusterDirector, homeAt } from "./cluster.ts";
import { FallibleMemory } from "./fallible-memory.ts";

const pid = 7;

export class TaskNode {
  readonly memory: FallibleMemory;
  readonly model: NodeModel;
  readonly #homeBytes: number;
  up = true;
  start = 0;
  freeAt = 0;

  constructor(homeBytes: number) {
    this.#homeBytes = homeBytes;
    this.memory = new FallibleMemory(clusterBase, [[pid, homeAt, homeBytes]]);
    this.model = new NodeModel({ memory: this.memory, base: clusterBase, director: clusterDirector });
  }
  /** @param by a process; the director unless given */
  ask(m: Message, by = clusterDirector): Answer {
    const a = this.model.take(m, by);
    if (!a) throw new RangeError(`a node refuses ${m.kind}`);
    return a;
  }
  direct(m: Message): Answer {
    return this.ask(m);
  }
  home(va: bigint, bytes: number): Uint8Array {
    return this.memory.load(pid, va, bytes);
  }
  crash(memory: "kept" | "zeroed"): void {
    this.up = false;
    this.model.reset();
    if (memory === "kept") return;
    this.memory.map(offloadPid(0), clusterBase, logBytes);
    this.memory.map(pid, homeAt, this.#homeBytes);
  }
  /** Reads its log; it is closed. */
  begin(): void {
    this.start++;
    this.ask({ kind: "recover", seq: this.start });
  }
  open(): void {
    this.ask({ kind: "open", seq: this.start });
  }
  recover(): void {
    this.begin();
    this.open();
    this.up = true;
  }
  bytesOf(a: Answer): Uint8Array {
    const { data: _, ...head } = a;
    return encode(commitAnswer, {
      ...{ ...head, verdict: verdicts[a.verdict], state: states[a.state], spare: new Uint8Array(32) },
    });
  }
}
