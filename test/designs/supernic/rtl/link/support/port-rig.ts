/** One end, and a partner in the bench who answers as he is told. */
import { linkAnswer, linkKind, pfcFrame, putShims, takeApart } from "../../../../../../designs/supernic/wire/index.ts";
import type { Pause } from "../../../../../../sim/index.ts";
import { type EndBench, HardwareEnd, type LineFrame, macs, plainFrame } from "./hardware-end.ts";
import { type EndParameters, LinkEnd, type ParameterSet, parameterSets } from "./link-end.ts";

export const dut = (set: ParameterSet) => LinkEnd(parameterSets[set]);

export interface PortOptions {
  readonly reliable: boolean;
  readonly mac?: Pause;
}
export class PortRig {
  readonly b: EndBench;
  readonly end: HardwareEnd;
  readonly p: EndParameters;
  /** Frames that have left, with their last cycle. */
  readonly out: (LineFrame & { readonly cycle: number })[] = [];
  /** Numbers of the data frames that have left, counted since the numbers began. */
  readonly numbers: number[] = [];
  constructor(b: EndBench, set: ParameterSet, o: PortOptions) {
    this.b = b;
    this.p = parameterSets[set];
    this.end = new HardwareEnd(b, b.io, { ...o, p: this.p });
    this.end.onFrame = (frame, cycle) => {
      this.out.push({ ...frame, cycle });
      const { link } = frame.bad ? {} : takeApart(frame.bytes);
      if (link?.kind === linkKind.data) this.numbers.push((link.sequence - (this.p.first ?? 0) + 65536) % 65536);
    };
  }
  give(bytes: number, o: { readonly lane?: 0 | 1; readonly marked?: boolean; readonly class?: number } = {}): void {
    const { lane = 0, marked = false } = o;
    this.end.give(lane, { bytes: plainFrame(this.b.random, bytes), class: o.class ?? 0, marked });
  }
  /** Number of the frame that is the `n`th since the numbers began. */
  number(n: number): number {
    return ((this.p.first ?? 0) + n) % 65536;
  }
  /** The partner tells that he has so many. */
  answer(count: number, kind: "ack" | "nack" = "ack", due = 0): void {
    this.end.comes({ bytes: linkAnswer(macs, kind, { class: 0, ack: this.number(count) }), bad: false }, due);
  }
  /** The partner sends his `n`th frame. */
  data(n: number): void {
    const link = { kind: linkKind.data, class: 0, flags: 0, sequence: this.number(n), ack: this.number(0) };
    this.end.comes({ bytes: putShims(plainFrame(this.b.random, 60), { link }), bad: false });
  }
  /** The partner pauses classes, for quanta; told in the coming cycle. */
  pause(times: Readonly<Record<number, number>>): void {
    this.end.comes({ bytes: pfcFrame(macs.dst, times), bad: false });
  }
  async restart(): Promise<void> {
    this.b.io.restart.value = 1;
    await this.b.cycles(1);
    this.b.io.restart.value = 0;
    await this.b.cycles(3);
    this.out.splice(0);
    this.numbers.splice(0);
  }
  reset(): void {
    this.end.reset();
    this.out.splice(0);
    this.numbers.splice(0);
  }
  async done(): Promise<void> {
    await this.b.until(() => this.end.idle);
    await this.b.cycles(10);
    this.end.check();
  }
}
