import type { CounterName, NodeConfig } from "../../config/index.ts";
import {
  counterAddress,
  type FieldName,
  fieldPlace,
  insertField,
  registerDriver,
  type RegisterDriver,
  socPortGeometry,
  type SocPortGeometry,
  socPortMap,
} from "../../registers/index.ts";
import { writeProcessKey } from "./process-key.ts";
import { loadBytes, type MemoryMap, storeBytes } from "./memory-map.ts";
import { type ControlRegister, EntryRefused, type SlowPathTransport } from "./transport.ts";

/** A processor's view of a node. */
export interface NodeMaps {
  /** The node's registers (docs/clio/registers.md). */
  readonly control: MemoryMap;
  /** The slow path's port (docs/clio/soc-port.md). */
  readonly port: MemoryMap;
  /** The node's memory, from physical address 0. */
  readonly memory: MemoryMap;
}

export interface MappedTransportOptions {
  /**
   * Resolves when something may have changed: the next interrupt, or simply after a while (then the states are polled).
   * One call at a time.
   */
  readonly wait: () => Promise<void>;
  /** `wait` is an interrupt's: the states that are waited for, and no others, are enabled to raise it. */
  readonly interrupts?: boolean;
  /** Nanoseconds since some start. */
  readonly time: () => number;
}

/** States that can raise the interrupt, and their places in `interruptEnable`. */
const interruptBit = { rxWaiting: 1, pagesLow: 2, shootdownIdle: 4, exchangeIdle: 8 } as const;
type Interrupting = keyof typeof interruptBit;

/** Times that an exchange of a table entry is tried when the memory refuses it. */
const entryTries = 8;

/** The letters CLSP, C lowest. */
const identification = 0x50534c43;

/** The hardware behind the maps is not the one that the software was configured for. */
export class WrongHardware extends Error {
  override readonly name = "WrongHardware";
}

/**
 * The slow path's way to a node on a board: nothing but loads and stores. Each kind of order (page, shootdown,
 * exchange, frame) is given one at a time, as the port takes them; kinds go side by side. A frame is taken out of its
 * ring before the slow path sees it.
 */
export class MappedTransport implements SlowPathTransport {
  readonly #maps: NodeMaps;
  readonly #geometry: SocPortGeometry;
  readonly #port: RegisterDriver<(typeof socPortMap.registers)[number]>;
  readonly #options: MappedTransportOptions;
  readonly #tails = new Map<string, Promise<unknown>>();
  /** How many wait for each state. */
  readonly #waiting = new Map<Interrupting, number>();
  #enabled = 0;
  #wait: Promise<void> | undefined;
  #received = 0;
  #sent = 0;
  #closed = false;

  private constructor(maps: NodeMaps, config: NodeConfig, options: MappedTransportOptions) {
    this.#maps = maps;
    this.#geometry = socPortGeometry(config);
    this.#options = options;
    const { port } = maps;
    this.#port = registerDriver(socPortMap, {
      read: async a => port.load32(a),
      write: async (a, v) => {
        await port.store32(a, v);
      },
    });
  }

  /**
   * Takes up where the port's counts stand, so that a program that is started again loses nothing that still waits.
   * @throws WrongHardware when the registers tell of another build
   */
  static async open(maps: NodeMaps, config: NodeConfig, options: MappedTransportOptions): Promise<MappedTransport> {
    const t = new MappedTransport(maps, config, options),
      g = t.#geometry;
    const expected = {
      portIdentification: identification,
      ringSlotsLog2: Math.log2(g.slots),
      ringSlotBytesLog2: Math.log2(g.slotBytes),
      freePageCapacityLog2: Math.log2(g.freePageCapacity),
    } as const;
    for (const [name, value] of Object.entries(expected) as [keyof typeof expected, number][]) {
      const found = await t.#port.read(name);
      if (found !== value)
        throw new WrongHardware(
          `the slow path's port shows ${name} = ${found}, the configuration has ${value}; give the settings that the hardware was built with`,
        );
    }
    t.#received = await t.#port.read("rxTail");
    t.#sent = await t.#port.read("txHead");
    return t;
  }

  /** Ends `receive` and `lowWater`. */
  close(): void {
    this.#closed = true;
  }

  /** One after another of a kind. */
  #inTurn<T>(kind: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#tails.get(kind) ?? Promise.resolve()).then(work);
    this.#tails.set(
      kind,
      done.catch(() => undefined),
    );
    return done;
  }
  /** Waits once, together with all other waiters. */
  #once(): Promise<void> {
    this.#wait ??= this.#options.wait().finally(() => {
      this.#wait = undefined;
    });
    return this.#wait;
  }
  /** Enables what is waited for. */
  #enable(): Promise<void> {
    return this.#inTurn("interrupts", async () => {
      const mask = [...this.#waiting].reduce((m, [state, n]) => (n > 0 ? m | interruptBit[state] : m), 0);
      if (this.#options.interrupts !== true || mask === this.#enabled) return;
      this.#enabled = mask;
      await this.#port.write({ interruptEnable: mask });
    });
  }
  /**
   * Waits for a state; false when the transport is closed first, but for an order that is under way: its end is
   * always waited for.
   */
  async #until(state: Interrupting): Promise<boolean> {
    const order = state === "shootdownIdle" || state === "exchangeIdle";
    if ((await this.#port.read(state)) === 1) return !this.#closed;
    const count = (by: number): Promise<void> => {
      this.#waiting.set(state, (this.#waiting.get(state) ?? 0) + by);
      return this.#enable();
    };
    await count(1);
    try {
      for (;;) {
        if (this.#closed && !order) return false;
        if ((await this.#port.read(state)) === 1) return true;
        await this.#once();
      }
    } finally {
      await count(-1);
    }
  }

  async receive(): Promise<Uint8Array | undefined> {
    if (!(await this.#until("rxWaiting"))) return undefined;
    const { slots, slotBytes, rxBase } = this.#geometry,
      at = rxBase + (this.#received % slots) * slotBytes,
      length = await this.#port.read("rxLength");
    const words = new Uint32Array(Math.ceil(length / 4));
    for (let i = 0; i < words.length; i++) words[i] = await this.#maps.port.load32(at + 4 * i);
    this.#received = (this.#received + 1) & 0xffff;
    await this.#port.write({ rxTail: this.#received });
    return new Uint8Array(words.buffer).slice(0, length);
  }

  send(frame: Uint8Array): Promise<void> {
    return this.#inTurn("send", async () => {
      const { slots, slotBytes, txBase } = this.#geometry;
      if (frame.length < 1 || frame.length > slotBytes)
        throw new RangeError(`a frame of ${frame.length} bytes does not fit a ring's slot of ${slotBytes}`);
      while (((this.#sent - (await this.#port.read("txTail"))) & 0xffff) >= slots) {
        if (this.#closed) return;
        // No interrupt reports it, and it takes no longer than a frame on the wire.
        await Promise.resolve();
      }
      const at = txBase + (this.#sent % slots) * slotBytes,
        padded = new Uint8Array(4 * Math.ceil(frame.length / 4));
      padded.set(frame);
      for (const [i, word] of new Uint32Array(padded.buffer).entries()) await this.#maps.port.store32(at + 4 * i, word);
      await this.#port.write({ txCommit: frame.length });
      this.#sent = (this.#sent + 1) & 0xffff;
    });
  }

  readMemory(address: number, length: number): Promise<Uint8Array> {
    return loadBytes(this.#maps.memory, address, length);
  }
  writeMemory(address: number, bytes: Uint8Array): Promise<void> {
    return this.#inTurn("memory", () => storeBytes(this.#maps.memory, address, bytes));
  }
  async zeroMemory(address: number, length: number): Promise<void> {
    for (let i = 0; i < length; i += 8) await this.#maps.memory.store64(address + i, 0n);
  }

  exchangeEntry(address: number, bits: bigint): Promise<bigint> {
    return this.#inTurn("exchange", async () => {
      await this.#port.write({ exchangeLow: address % 2 ** 32 });
      await this.#port.write({ exchangeHigh: Math.floor(address / 2 ** 32) });
      await this.#port.write({ newEntryLow: Number(bits & 0xffff_ffffn) });
      await this.#port.write({ newEntryHigh: Number(bits >> 32n) });
      let before: bigint | undefined;
      for (let n = 0; n < entryTries; n++) {
        await this.#port.write({ exchangeGo: 1 });
        await this.#until("exchangeIdle");
        if ((await this.#port.read("exchangeReadFailed")) === 1) continue;
        const old =
          BigInt(await this.#port.read("oldEntryLow")) | (BigInt(await this.#port.read("oldEntryHigh")) << 32n);
        // The write that was refused may stand there all the same; anything else is what the node wrote since.
        if (before === undefined || old !== bits) before = old;
        if ((await this.#port.read("exchangeWriteFailed")) === 0) return before;
      }
      throw new EntryRefused(address);
    });
  }

  async freePageRoom(): Promise<number> {
    return this.#geometry.freePageCapacity - (await this.#port.read("freePagesHeld"));
  }
  pushFreePage(ppn: number): Promise<void> {
    return this.#inTurn("page", async () => {
      await this.#port.write({ freePage: ppn, freePageGo: 1 });
      while ((await this.#port.read("freePageIdle")) === 0) await Promise.resolve();
    });
  }
  lowWater(): Promise<boolean> {
    return this.#until("pagesLow");
  }

  shootdown(pid: number, vpn: bigint): Promise<void> {
    return this.#inTurn("shootdown", async () => {
      await this.#port.write({ shootdownPid: pid });
      await this.#port.write({ shootdownVpnLow: Number(vpn & 0xffff_ffffn) });
      await this.#port.write({ shootdownVpnHigh: Number(vpn >> 32n), shootdownGo: 1 });
      await this.#until("shootdownIdle");
    });
  }

  time(): number {
    return this.#options.time();
  }
  readCounter(name: CounterName): Promise<bigint> {
    return this.#inTurn("control", async () => {
      const address = counterAddress(name),
        low = await this.#maps.control.load32(address);
      return BigInt(low) | (BigInt(await this.#maps.control.load32(address + 4)) << 32n);
    });
  }
  writeRegister(name: ControlRegister, value: number): Promise<void> {
    return this.writeField(name, value);
  }
  async setProcessKey(pid: number, key: bigint): Promise<void> {
    await writeProcessKey((name, value) => this.writeField(name, value), pid, key);
  }

  /** Sets a field of the node's registers and leaves the others of its register as they are. */
  writeField(name: FieldName, value: number): Promise<void> {
    return this.#inTurn("control", async () => {
      const { register, field } = fieldPlace(name);
      await this.#maps.control.store32(
        register.address,
        insertField(field, await this.#maps.control.load32(register.address), value),
      );
    });
  }
}
