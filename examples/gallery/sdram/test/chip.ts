/** A chip: it holds words of 16 bits, and refuses every command that comes too early. */
import type { Agent, Io } from "mnemosyne/sim";
import type { Sdram } from "../src/sdram.ts";
import type { SdramParameters } from "../src/timing.ts";

type Pins = Io<ReturnType<typeof Sdram>["ports"]>;
interface Bank {
  row: number | undefined;
  active: number;
  precharged: number;
  /** The last edge with data of a write. */
  written: number;
  /** The edge of the last READ. */
  read: number;
}
const never = -1e9;

export class Chip implements Agent {
  readonly words = new Map<number, number>();
  readonly counts = { refresh: 0, active: 0 };
  /** The longest time between two refreshes. */
  longest = 0;
  readonly #p: SdramParameters;
  readonly #io: Pins;
  readonly #banks: Bank[] = Array.from({ length: 4 }, () => ({
    row: undefined,
    active: never,
    precharged: never,
    written: never,
    read: never,
  }));
  readonly #driven = new Map<number, number>();
  /** A write's second half: where it goes, and at which edge. */
  #second: { readonly at: number; readonly cycle: number } | undefined;
  #refreshed = never;
  #mode = never;
  #isUp = false;
  #cycle = 0;
  readonly #since: number;

  constructor(io: Pins, p: SdramParameters, cycle = 0) {
    this.#io = io;
    this.#p = p;
    this.#since = cycle;
  }

  sample(cycle: number): void {
    this.#cycle = cycle;
    const { command, bank, address, mask, dq } = this.#io,
      { times } = this.#p;
    if (dq.enable.value === 1 && this.#driven.has(cycle)) this.#refuse("both sides drive DQ");
    if (this.#second?.cycle === cycle) this.#store(this.#second.at, mask.value);
    const b = this.#banks[bank.value] as Bank;
    switch (command.value) {
      case "nop":
        break;
      case "active":
        this.#ready(b);
        if (b.row !== undefined) this.#refuse("ACTIVE in a bank with an open row");
        b.row = address.num;
        b.active = cycle;
        this.counts.active++;
        break;
      case "read":
      case "write": {
        const row = b.row ?? this.#refuse("no row is open");
        this.#after(b.active, times.rcd, "tRCD");
        const at = (row * 4 + bank.value) * 2 ** this.#p.columnBits + address.num;
        if (address.num >= 2 ** this.#p.columnBits) this.#refuse("a column beyond the row");
        if (this.#second !== undefined && this.#second.cycle >= cycle) this.#refuse("the burst before is cut");
        if (command.value === "read") this.#read(b, at);
        else this.#write(b, at, mask.value);
        break;
      }
      case "precharge": {
        for (const x of (address.num >> 10) % 2 === 1 ? this.#banks : [b]) this.#close(x);
        break;
      }
      case "refresh":
        for (const x of this.#banks) {
          this.#ready(x);
          if (x.row !== undefined) this.#refuse("REFRESH with an open row");
        }
        if (this.counts.refresh > 0) this.longest = Math.max(this.longest, cycle - this.#refreshed);
        this.#refreshed = cycle;
        this.counts.refresh++;
        break;
      case "mode":
        for (const x of this.#banks) this.#ready(x);
        if (address.num !== ((times.cas << 4) | 1) || bank.value !== 0) this.#refuse("another mode");
        if (this.counts.refresh < 2) this.#refuse("the mode before two REFRESHes");
        this.#mode = cycle;
        this.#isUp = true;
        break;
      default:
        this.#refuse(String(command.value));
    }
  }
  /** What is driven now is seen at the coming edge. */
  drive(cycle: number): void {
    const data = this.#driven.get(cycle + 1);
    this.#driven.delete(cycle);
    // Nobody drives: whatever stands there.
    this.#io.dq.in.value = data ?? (cycle * 40_503) & 0xffff;
  }

  #read(b: Bank, at: number): void {
    const { cas } = this.#p.times;
    if (!this.#isUp) this.#refuse("READ before the mode is set");
    for (const n of [0, 1]) this.#driven.set(this.#cycle + cas + n, this.words.get(at + n) ?? 0);
    b.read = this.#cycle;
  }
  #write(b: Bank, at: number, mask: number): void {
    if (!this.#isUp) this.#refuse("WRITE before the mode is set");
    for (let n = 0; n <= 2; n++)
      if (this.#driven.has(this.#cycle + n) || this.#driven.has(this.#cycle - 1))
        this.#refuse("WRITE beside the data of a READ, or without a cycle between");
    this.#store(at, mask);
    this.#second = { at: at + 1, cycle: this.#cycle + 1 };
    b.written = this.#cycle + 1;
  }
  #store(at: number, mask: number): void {
    if (this.#io.dq.enable.value === 0) this.#refuse("a WRITE whose data nobody drives");
    const old = this.words.get(at) ?? 0,
      bits = (mask % 2 === 1 ? 0x00ff : 0) | (mask > 1 ? 0xff00 : 0);
    this.words.set(at, (old & bits) | (this.#io.dq.out.value & ~bits));
  }
  #close(b: Bank): void {
    const { ras, wr, rp } = this.#p.times;
    if (!this.#isUp) this.#after(this.#since, this.#p.times.powerUp, "the time from power");
    if (b.row === undefined) this.#after(b.precharged, rp, "tRP");
    else {
      this.#after(b.active, ras, "tRAS");
      this.#after(b.written, wr, "tWR");
      this.#after(b.read, 2, "the burst of a READ");
    }
    this.#after(this.#refreshed, this.#p.times.rfc, "tRFC");
    b.row = undefined;
    b.precharged = this.#cycle;
  }
  /** Whether a bank may begin something. */
  #ready(b: Bank): void {
    this.#after(b.precharged, this.#p.times.rp, "tRP");
    this.#after(this.#refreshed, this.#p.times.rfc, "tRFC");
    this.#after(this.#mode, this.#p.times.mrd, "tMRD");
  }
  #after(from: number, cycles: number, name: string): void {
    if (this.#cycle - from < cycles) this.#refuse(`${name} is ${cycles} cycles, and ${this.#cycle - from} have passed`);
  }
  #refuse(why: string): never {
    throw new Error(`the chip refuses: ${this.#io.command.value} at cycle ${this.#cycle}: ${why}`);
  }

  save(): undefined {
    return undefined;
  }
  restore(): void {
    throw new Error("a chip cannot go back");
  }
}
