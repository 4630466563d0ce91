/** What a person sees of a campaign under way. */
import type { Terminal } from "../../designs/shared/command-line/index.ts";
import type { Result } from "./result.ts";

/** `2 h 05 min`, `3 min 20 s`, `12 s`. */
export function duration(seconds: number): string {
  const s = Math.round(seconds),
    two = (n: number): string => String(n).padStart(2, "0");
  if (s >= 3600) return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
  return s >= 60 ? `${Math.floor(s / 60)} min ${two(s % 60)} s` : `${s} s`;
}

export class Progress {
  readonly #terminal: Terminal;
  readonly #pieces: number;
  readonly #from = performance.now();
  #before: number;
  #done = 0;
  #bad: number;

  /** @param before results of earlier starts: they say nothing of the rate */
  constructor(terminal: Terminal, pieces: number, before: readonly Result[]) {
    this.#terminal = terminal;
    this.#pieces = pieces;
    this.#before = before.length;
    this.#bad = before.filter(r => r.verdict !== "passed").length;
    this.show();
  }

  add(result: Result): void {
    this.#done++;
    if (result.verdict !== "passed") this.#bad++;
    this.show();
  }

  show(): void {
    this.#terminal.progress(this.line((performance.now() - this.#from) / 1000));
  }

  /** @param seconds since this start */
  line(seconds: number): string {
    const there = this.#before + this.#done,
      bad = this.#bad === 0 ? "" : `, ${this.#bad} not passed`;
    if (this.#done === 0) return `${there} of ${this.#pieces} pieces${bad}`;
    const rate = this.#done / seconds,
      left = (this.#pieces - there) / rate;
    return `${there} of ${this.#pieces} pieces, ${(rate * 60).toFixed(rate * 60 < 10 ? 1 : 0)} a minute${bad}, ${duration(left)} left`;
  }
}
