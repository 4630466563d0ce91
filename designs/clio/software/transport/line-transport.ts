import { accessBody, clioMessage, dissect, opcode, status, statusName } from "../../wire/index.ts";
import { encode, type Endpoint, udpFrame } from "../../../shared/wire/index.ts";
import type { CounterName, NodeConfig, RuntimeSettings } from "../../config/index.ts";
import { lineRegister, lineStatus, physicalPid } from "../../registers/index.ts";
import type { ControlRegister, SlowPathTransport } from "./transport.ts";

export interface LineTransportOptions {
  readonly config: NodeConfig;
  readonly runtime: RuntimeSettings;
  /** This end of the line, as the node's replies are addressed. */
  readonly host: Endpoint;
  /**
   * Sends a frame to the node and resolves with its reply. Called for one frame at a time. @throws when no reply comes
   */
  readonly exchange: (frame: Uint8Array) => Promise<Uint8Array>;
  /** Takes the slow path's replies to what `offer` gave. */
  readonly deliver: (frame: Uint8Array) => void;
  /** Nanoseconds since some start. */
  readonly time: () => number;
}

/** The node said no to its own slow path: its memory or its build is not what the configuration says. */
export class LineRefusal extends Error {
  override readonly name = "LineRefusal";
}

const wordBytes = 8;

/**
 * The slow path's way to a node without a processor beside it. The transport uses the line of the node's clients
 * (board/serial-node.ts), with READs and WRITEs of `physicalPid`. All frames on the line go through here, one after
 * another, so that a few of them can be one step. `pass` is for clients' requests to the node, `offer` for those to
 * the slow path.
 */
export class LineTransport implements SlowPathTransport {
  readonly #options: LineTransportOptions;
  readonly #node: Endpoint;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #offered: Uint8Array[] = [];
  #closed = false;
  /** Woken when a frame has been offered, a client's request has been answered, or all ends. */
  #sleepers: (() => void)[] = [];

  constructor(options: LineTransportOptions) {
    const { mac, ip, nativePort } = options.runtime;
    this.#options = options;
    this.#node = { mac, ip, port: nativePort };
  }

  /** A client's frame for the node; resolves with its reply. */
  async pass(frame: Uint8Array): Promise<Uint8Array> {
    const reply = await this.#alone(() => this.#options.exchange(frame));
    this.#wake();
    return reply;
  }
  /** A client's frame for the slow path, whose reply goes to `deliver`. */
  offer(frame: Uint8Array): void {
    this.#offered.push(frame);
    this.#wake();
  }
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async receive(): Promise<Uint8Array | undefined> {
    while (!this.#closed && this.#offered.length === 0) await this.#sleep();
    return this.#closed ? undefined : this.#offered.shift();
  }
  send(frame: Uint8Array): Promise<void> {
    this.#options.deliver(frame);
    return Promise.resolve();
  }

  readMemory(address: number, length: number): Promise<Uint8Array> {
    return this.#alone(() => this.#read(address, length));
  }
  writeMemory(address: number, bytes: Uint8Array): Promise<void> {
    return this.#alone(() => this.#write(address, bytes));
  }
  zeroMemory(address: number, length: number): Promise<void> {
    return this.writeMemory(address, new Uint8Array(length));
  }
  /** One step: no request that could fault is on the line in between. */
  exchangeEntry(address: number, bits: bigint): Promise<bigint> {
    return this.#alone(async () => {
      const old = wordOf(await this.#read(address, wordBytes));
      await this.#write(address, bytesOf(bits));
      return old;
    });
  }

  async freePageRoom(): Promise<number> {
    return this.#options.config.freePageBuffer - (await this.#status("pages"));
  }
  pushFreePage(ppn: number): Promise<void> {
    return this.#command("freePage", BigInt(ppn));
  }
  /** Asked after each request that could have taken a page. */
  async lowWater(): Promise<boolean> {
    for (;;) {
      if (this.#closed) return false;
      if ((await this.#status("pages")) <= this.#options.config.freePageLowWater) return true;
      await this.#sleep();
    }
  }
  async shootdown(pid: number, vpn: bigint): Promise<void> {
    await this.#command("shootdown", (vpn << 16n) | BigInt(pid));
    while ((await this.#status("shooting")) !== 0) {
      /* Every look is a frame each way. */
    }
  }

  time(): number {
    return this.#options.time();
  }
  /** A narrowed node counts nothing. */
  readCounter(_name: CounterName): Promise<bigint> {
    return Promise.resolve(0n);
  }
  writeRegister(name: ControlRegister, value: number): Promise<void> {
    return this.#command(name, BigInt(value));
  }
  /** A narrowed node has no keys. */
  setProcessKey(_pid: number, _key: bigint): Promise<void> {
    return Promise.resolve();
  }

  #alone<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(step);
    this.#turn = done.catch(() => undefined);
    return done;
  }
  #sleep(): Promise<void> {
    return new Promise(resolve => {
      this.#sleepers.push(resolve);
    });
  }
  #wake(): void {
    const sleepers = this.#sleepers;
    this.#sleepers = [];
    for (const wake of sleepers) wake();
  }

  #registerAddress(word: number): number {
    const { tableBase, tableBytes } = this.#options.config;
    return tableBase + tableBytes + word * wordBytes;
  }
  #command(register: keyof typeof lineRegister, value: bigint): Promise<void> {
    return this.writeMemory(this.#registerAddress(lineRegister[register]), bytesOf(value));
  }
  async #status(field: keyof typeof lineStatus): Promise<number> {
    const word = wordOf(await this.readMemory(this.#registerAddress(0), wordBytes)),
      { lsb, width } = lineStatus[field];
    return Number(BigInt.asUintN(width, word >> BigInt(lsb)));
  }

  async #read(address: number, length: number): Promise<Uint8Array> {
    const out = new Uint8Array(length),
      { maxData } = this.#options.config;
    for (let at = 0; at < length; at += maxData) {
      const bytes = Math.min(maxData, length - at);
      out.set(
        (await this.#access(opcode.READ, address + at, bytes)).subarray(accessBody.bytes, accessBody.bytes + bytes),
        at,
      );
    }
    return out;
  }
  async #write(address: number, bytes: Uint8Array): Promise<void> {
    const { maxData } = this.#options.config;
    for (let at = 0; at < bytes.length; at += maxData) {
      const piece = bytes.subarray(at, at + maxData);
      await this.#access(opcode.WRITE, address + at, piece.length, piece);
    }
  }
  async #access(code: number, va: number, length: number, data: Uint8Array = new Uint8Array()): Promise<Uint8Array> {
    const message = clioMessage(
      { opcode: code, pid: physicalPid },
      encode(accessBody, { va: BigInt(va), length }),
      data,
    );
    const { clio, body } = dissect(await this.#options.exchange(udpFrame(this.#options.host, this.#node, message)));
    if (clio?.status !== status.OK || body === undefined) {
      throw new LineRefusal(
        `the node answers ${clio === undefined ? "with no Clio packet" : statusName(clio.status)} to an access to physical address ${va}, ${length} bytes: is it the build that the configuration describes?`,
      );
    }
    return body;
  }
}

const wordOf = (bytes: Uint8Array): bigint =>
  new DataView(bytes.buffer, bytes.byteOffset, wordBytes).getBigUint64(0, true);
function bytesOf(word: bigint): Uint8Array {
  const bytes = new Uint8Array(wordBytes);
  new DataView(bytes.buffer).setBigUint64(0, word, true);
  return bytes;
}
