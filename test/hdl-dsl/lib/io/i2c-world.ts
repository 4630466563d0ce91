/** Two masters and a slave on one I2C bus, and what the bus says, read from its two lines alone. */
import {
  bit,
  connect,
  I2cCommand,
  I2cMaster,
  I2cReceived,
  I2cReply,
  I2cSlave,
  input,
  instance,
  module,
  output,
  sink,
  source,
  uint,
} from "../../../../hdl-dsl/index.ts";

/** `sclPull` and `sdaPull` are somebody else's. Nobody drives a line high: it is high when nobody pulls. */
export const I2cWorld = module(
  "I2cWorld",
  () => ({
    divisorA: input(uint(16)),
    divisorB: input(uint(16)),
    commandA: sink(I2cCommand),
    replyA: source(I2cReply),
    commandB: sink(I2cCommand),
    replyB: source(I2cReply),
    busyA: output(bit),
    address: input(uint(7)),
    received: source(I2cReceived),
    toSend: sink(uint(8)),
    active: output(bit),
    reading: output(bit),
    sclPull: input(bit),
    sdaPull: input(bit),
    scl: output(bit),
    sda: output(bit),
    pulled: output(uint(6)),
  }),
  io => {
    const a = instance("a", I2cMaster()),
      b = instance("b", I2cMaster()),
      slave = instance("slave", I2cSlave({ setup: 6 }));
    const scl = a.sclLow.or(b.sclLow).or(slave.sclLow).or(io.sclPull).not(),
      sda = a.sdaLow.or(b.sdaLow).or(slave.sdaLow).or(io.sdaPull).not();
    for (const end of [a, b, slave]) {
      end.sclIn.set(scl);
      end.sdaIn.set(sda);
    }
    a.divisor.set(io.divisorA);
    b.divisor.set(io.divisorB);
    connect(io.commandA, a.command);
    connect(a.reply, io.replyA);
    connect(io.commandB, b.command);
    connect(b.reply, io.replyB);
    io.busyA.set(a.busy);
    slave.address.set(io.address);
    connect(slave.received, io.received);
    connect(io.toSend, slave.toSend);
    io.active.set(slave.active);
    io.reading.set(slave.reading);
    io.scl.set(scl);
    io.sda.set(sda);
    const bits = [a.sclLow, a.sdaLow, b.sclLow, b.sdaLow, slave.sclLow, slave.sdaLow];
    bits.forEach((v, i) => io.pulled.setBits(i, v));
  },
);

/** A message as the bus carries it: its bytes with their acknowledge bits; `end` says how the next one begins. */
export interface Message {
  readonly bytes: { readonly value: number; readonly nack: number }[];
  end: "stop" | "start" | undefined;
}
/** The shortest of each time of UM10204, table 10, in cycles. */
export interface Times {
  low: number;
  high: number;
  startSetup: number;
  startHold: number;
  stopSetup: number;
  free: number;
  dataSetup: number;
}
/** Reads the bus from its two lines, as UM10204 3.1 defines it. */
export class BusReader {
  readonly messages: Message[] = [];
  readonly times: Times = {
    low: Infinity,
    high: Infinity,
    startSetup: Infinity,
    startHold: Infinity,
    stopSetup: Infinity,
    free: Infinity,
    dataSetup: Infinity,
  };
  #scl = 1;
  #sda = 1;
  #bits: number[] = [];
  #n = 0;
  /** Cycles of the last change of each kind. */
  #sclAt = -Infinity;
  #sdaAt = -Infinity;
  #startAt: number | undefined;
  #stopAt = -Infinity;
  #least(of: keyof Times, cycles: number): void {
    this.times[of] = Math.min(this.times[of], cycles);
  }
  cycle(scl: number, sda: number): void {
    this.#n++;
    const now = this.messages.at(-1);
    if (scl === 1 && this.#scl === 1 && sda !== this.#sda) {
      if (sda === 0) {
        // A start, perhaps a repeated one, which leaves one bit begun.
        if (now !== undefined && now.end === undefined) {
          if (this.#bits.length > 1) throw new Error(`a start condition after ${this.#bits.length} bits`);
          now.end = "start";
        }
        this.#least("startSetup", this.#n - this.#sclAt);
        this.#least("free", this.#n - this.#stopAt);
        this.messages.push({ bytes: [], end: undefined });
        this.#startAt = this.#n;
      } else {
        if (now === undefined || now.end !== undefined) throw new Error("a stop condition without a start");
        if (this.#bits.length > 1) throw new Error(`a stop condition after ${this.#bits.length} bits`);
        now.end = "stop";
        this.#least("stopSetup", this.#n - this.#sclAt);
        this.#stopAt = this.#n;
      }
      this.#bits = [];
    } else if (scl !== this.#scl) {
      if (scl === 1) {
        this.#least("low", this.#n - this.#sclAt);
        this.#least("dataSetup", this.#n - this.#sdaAt);
        this.#bits.push(sda);
      } else {
        if (this.#startAt !== undefined) this.#least("startHold", this.#n - this.#startAt);
        else this.#least("high", this.#n - this.#sclAt);
        this.#startAt = undefined;
        if (this.#bits.length === 9) {
          const value = this.#bits.slice(0, 8).reduce((v, b) => 2 * v + b, 0);
          now?.bytes.push({ value, nack: this.#bits[8] as number });
          this.#bits = [];
        }
      }
      this.#sclAt = this.#n;
    }
    if (sda !== this.#sda) this.#sdaAt = this.#n;
    this.#scl = scl;
    this.#sda = sda;
  }
}
