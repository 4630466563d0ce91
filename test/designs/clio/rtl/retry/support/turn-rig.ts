/**
 * Asks the retry buffer, one request at a time, and does what passes. It says what became of each request and judges
 * nothing: what may become of one while clients take turns is for the benches.
 */
import type { RetryBufferParameters } from "../../../../../../designs/clio/rtl/retry/retry-request.ts";
import type { AnswerKind } from "../../../../../../designs/clio/rtl/retry/retry-results.ts";
import { type Bench, poke, StreamSink, StreamSource, type ValueOf } from "../../../../../../sim/index.ts";
import { type Ask, type RetryPorts, retryRigKey } from "./retry-rig.ts";

export interface Outcome {
  readonly kind: "pass" | "fence" | ValueOf<typeof AnswerKind>;
  /** Nanoseconds that were said then, where they count. */
  readonly wait: number;
  readonly at: number;
}

export class TurnRig {
  readonly #b: Bench<RetryPorts>;
  readonly #source: StreamSource<never>;
  readonly #slots: number;
  #slot = 0;
  #came: Outcome | undefined;

  constructor(b: Bench<RetryPorts>, p: RetryBufferParameters) {
    this.#b = b;
    this.#slots = p.slots;
    poke(b.io.done, { valid: 0, slot: 0, status: 0, word: 0 });
    b.io.wordSlot.value = 0;
    b.io.hashKey.value = retryRigKey;
    this.#source = new StreamSource(b.sim, b.io.request, {});
    const pass = new StreamSink(b.sim, b.io.pass, {}),
      fence = new StreamSink(b.sim, b.io.fence, {}),
      answer = new StreamSink(b.sim, b.io.answer, {});
    let doing: number | undefined;
    b.onEdge({
      sample: cycle => {
        const say = (kind: Outcome["kind"]): void => {
          this.#came = { kind, wait: b.io.waitNs.num, at: cycle };
        };
        for (let x = pass.take(); x; x = pass.take()) {
          doing = (x.value as { slot: number }).slot;
          say("pass");
        }
        for (let x = fence.take(); x; x = fence.take()) say("fence");
        for (let x = answer.take(); x; x = answer.take()) say((x.value as { kind: Outcome["kind"] }).kind);
      },
      drive: () => {
        poke(b.io.done, { valid: doing === undefined ? 0 : 1, slot: doing ?? 0, status: 0, word: 0 });
        doing = undefined;
      },
    });
  }

  async ask(ask: Ask): Promise<Outcome> {
    this.#came = undefined;
    this.give(ask);
    await this.#b.until(() => this.#came !== undefined);
    await this.#b.cycles(2);
    return this.#came as unknown as Outcome;
  }
  /** Asks, and waits for nothing: what is given next stands right behind it. */
  give(ask: Ask): void {
    const slot = (this.#slot = (this.#slot + 1) % this.#slots);
    this.#source.send({
      access: { slot, pid: 0, va: 0, length: 0, write: 1, silent: 0, replyOpcode: 0, op: 0, indirect: 0 },
      tracked: +ask.tracked,
      keeps: +ask.keeps,
      introduces: +ask.introduces,
      fence: +ask.fence,
      client: ask.client,
      operation: ask.operation,
    } as never);
  }
}
