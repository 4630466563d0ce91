import type { CounterName, NodeConfig, RuntimeSettings } from "../../config/index.ts";
import {
  counterAddress,
  defaultMatTable,
  type FieldName,
  fieldPlace,
  matAddress,
  matWord,
} from "../../registers/index.ts";
import { insertField } from "../../../../hdl-dsl/index.ts";
import {
  type ControlRegister,
  type RegisterAccess,
  type SlowPathTransport,
  writeProcessKey,
} from "../../software/index.ts";
import {
  type AxiRam,
  AxisSink,
  AxisSource,
  type Bench,
  LiteMaster,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { NodeActivity } from "./node-activity.ts";
import type { NodePorts } from "./node-ports.ts";

/** Cycles between two looks of the watch over the offloads. */
const lookCycles = 4096;

/**
 * The slow path's way to a simulated node: rings as AXI-Stream, registers over AXI4-Lite, pages and shootdowns as
 * streams. DRAM has a port of its own, which takes no bandwidth from the fast path. A frame reaches the software
 * `slowPathLatency` ns after its last beat.
 */
export class NodeTransport implements SlowPathTransport {
  readonly activity: NodeActivity | undefined;
  readonly #bench: Bench<NodePorts>;
  readonly #ram: AxiRam;
  readonly #lite: LiteMaster;
  readonly #rx: AxisSink;
  readonly #tx: AxisSource;
  readonly #pages: StreamSource<NodePorts["freePage"]["shape"]>;
  readonly #shootdown: StreamSource<NodePorts["shootdown"]["shape"]>;
  readonly #shotDown: StreamSink<NodePorts["shootdownDone"]["shape"]>;
  readonly #capacity: number;
  readonly #latencyCycles: number;
  readonly #time: () => number;
  #closed = false;
  #shootdowns: Promise<unknown> = Promise.resolve();
  /** Frames that the software has been given and not asked after since: 1 while it works on one. */
  #working = false;
  #waitingForPages = false;
  /** The software has no frame left to push: it waits for one to be freed. */
  #outOfMemory = false;

  constructor(
    bench: Bench<NodePorts>,
    ram: AxiRam,
    config: NodeConfig,
    runtime: RuntimeSettings,
    clockNs: number,
    time: () => number = () => bench.sim.timeNs,
  ) {
    const { sim, io } = bench;
    this.#bench = bench;
    this.#ram = ram;
    this.#lite = new LiteMaster(sim, io);
    this.#rx = new AxisSink(sim, io.socRx);
    this.#tx = new AxisSource(sim, io.socTx);
    this.#pages = new StreamSource(sim, io.freePage);
    this.#shootdown = new StreamSource(sim, io.shootdown);
    this.#shotDown = new StreamSink(sim, io.shootdownDone);
    this.#capacity = config.freePageBuffer;
    this.activity = config.activityRegions > 0 ? new NodeActivity(bench, config) : undefined;
    this.#time = time;
    this.#latencyCycles = Math.ceil(runtime.slowPathLatency / clockNs);
  }

  /** Nothing waits for the software and it waits for the next frame; pages are there, or none is left. */
  get idle(): boolean {
    return (
      !this.#working &&
      this.#rx.frames.length === 0 &&
      !this.#rx.monitor.inFrame &&
      this.#tx.pending === 0 &&
      this.#pages.pending === 0 &&
      (this.#waitingForPages || this.#outOfMemory)
    );
  }

  close(): void {
    this.#closed = true;
  }

  async receive(): Promise<Uint8Array | undefined> {
    this.#working = false;
    const due = (): boolean => {
      const f = this.#rx.frames[0];
      return f !== undefined && this.#bench.cycle >= f.end + this.#latencyCycles;
    };
    await this.#bench.until(() => this.#closed || due());
    if (this.#closed) return undefined;
    this.#working = true;
    return this.#rx.take()?.bytes;
  }

  async send(frame: Uint8Array): Promise<void> {
    this.#tx.send(frame);
    await this.#tx.drained();
  }

  time(): number {
    return this.#time();
  }
  readMemory(address: number, length: number): Promise<Uint8Array> {
    return Promise.resolve(this.#ram.read(address, length));
  }
  writeMemory(address: number, bytes: Uint8Array): Promise<void> {
    this.#ram.write(address, bytes);
    return Promise.resolve();
  }
  zeroMemory(address: number, length: number): Promise<void> {
    if (address % 4096 === 0 && length % 4096 === 0) this.#ram.memory.zero(address, length);
    else this.#ram.write(address, new Uint8Array(length));
    return Promise.resolve();
  }

  exchangeEntry(address: number, bits: bigint): Promise<bigint> {
    const old = new DataView(this.#ram.read(address, 8).slice().buffer).getBigUint64(0, true);
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, bits, true);
    this.#ram.write(address, bytes);
    return Promise.resolve(old);
  }

  freePageRoom(): Promise<number> {
    return Promise.resolve(this.#capacity - Number(this.#bench.io.freePages.value) - this.#pages.pending);
  }
  async pushFreePage(ppn: number): Promise<void> {
    this.#pages.send(ppn);
    await this.#pages.drained();
    // The level counts the page an edge later.
    await this.#bench.cycles(1);
  }
  async lowWater(): Promise<boolean> {
    this.#waitingForPages = true;
    await this.#bench.until(() => this.#closed || this.#bench.io.lowWater.value === 1);
    this.#waitingForPages = false;
    return !this.#closed;
  }

  /**
   * The watch over the offloads: looks while something is under way, every `lookCycles`. @returns false once closed
   */
  async nextLook(): Promise<boolean> {
    const from = this.#bench.cycle + lookCycles;
    await this.#bench.until(() => this.#closed || (this.#bench.cycle >= from && this.#bench.io.busy.big !== 0n));
    return !this.#closed;
  }

  shootdown(pid: number, vpn: bigint): Promise<void> {
    const done = this.#shootdowns.then(async () => {
      this.#shootdown.send({ pid, vpn });
      await this.#shotDown.recv();
    });
    this.#shootdowns = done.catch(() => undefined);
    return done;
  }

  async readCounter(name: CounterName): Promise<bigint> {
    const address = counterAddress(name);
    const low = await this.#lite.read(address);
    return BigInt(low) | (BigInt(await this.#lite.read(address + 4)) << 32n);
  }
  async writeRegister(name: ControlRegister, value: number): Promise<void> {
    await this.writeField(name, value);
    this.#outOfMemory = value === 1;
  }
  async setProcessKey(pid: number, key: bigint): Promise<void> {
    await writeProcessKey((name, value) => this.writeField(name, value), pid, key);
  }

  /** Sets a field of a register and leaves the register's other fields as they are. */
  async writeField(name: FieldName, value: number): Promise<void> {
    const { register, field } = fieldPlace(name);
    await this.#lite.write(register.address, insertField(field, await this.#lite.read(register.address), value));
  }

  /** The registers by address, for drivers. */
  get registers(): RegisterAccess {
    return this.#lite;
  }

  /**
   * Writes the whole match-and-action table as it is by default. Reset leaves the table alone. In a simulation that
   * begins with random registers, the first edge may write an entry, as reset takes effect only then. A driver at
   * power-up does not rely on the table either.
   */
  async writeTable(): Promise<void> {
    for (const [code, entry] of defaultMatTable.entries()) await this.#lite.write(matAddress(code), matWord(entry));
  }

  /** Writes the run-time settings into the node's registers. */
  async configure(runtime: RuntimeSettings): Promise<void> {
    await this.writeField("macLow", Number(runtime.mac & 0xffff_ffffn));
    await this.writeField("macHigh", Number(runtime.mac >> 32n));
    await this.writeField("ip", runtime.ip);
    await this.writeField("nativePort", runtime.nativePort);
    await this.writeField("clientPort", runtime.clientPort);
    await this.writeField("hashKeyLow", Number(runtime.hashKey & 0xffff_ffffn));
    await this.writeField("hashKeyHigh", Number(runtime.hashKey >> 32n));
    await this.writeField("acceptAnyMac", runtime.acceptAnyMac ? 1 : 0);
  }
}
