/** The device for programs: configuration, tables and counts over its registers. */
import { type RegisterBus, registerDriver } from "../../../hdl-dsl/index.ts";
import { type StateWord, tables, tableWrite, type TableWrite } from "../wire/index.ts";
import { snicMap, valueWords } from "./map.ts";

export type SnicBus = RegisterBus;
/** What is set before frames come. */
export interface PlainConfig {
  readonly mac: bigint;
  readonly origin: number;
  readonly uplink: number | undefined;
  /** Ports that no switched frame goes to, a bit each. */
  readonly rings: number;
  /** The users' class that leaves first. */
  readonly urgent: number | undefined;
  /** By port, the loop port last. */
  readonly ports: readonly {
    readonly reliable: boolean;
    readonly peer: boolean;
    readonly control: boolean;
    readonly class: number;
    /** Rules that count there, a bit each. */
    readonly rules: number;
  }[];
  /** MACs that count, a bit each. */
  readonly macs: bigint;
  readonly epochCycles: number;
  /** Other sNICs, by their numbers. */
  readonly peers: readonly { readonly mac: bigint; readonly port: number; readonly hops: number }[];
}

export interface SnicDriver {
  readonly registers: ReturnType<typeof registerDriver<(typeof snicMap)["registers"][number]>>;
  configure(c: PlainConfig): Promise<void>;
  /** Writes entries one after the other. Words of a value that stay as they were are not written again. */
  write(entries: readonly TableWrite[]): Promise<void>;
  /** A count by its number. */
  counter(index: number): Promise<number>;
  /** How a region is, and what one of its slots has counted. */
  region(region: number): Promise<RegionRegisters>;
  took(region: number, slot: number): Promise<number>;
  /** How a slot is. */
  slot(region: number, slot: number): Promise<SlotRegisters>;
  /** The first word of the state of a slot's task, from place `at` to `last`, that is not 0. */
  readState(region: number, slot: number, at: number, last: number): Promise<StateRead>;
  writeState(region: number, slot: number, word: StateWord): Promise<StateOutcomeName>;
  /** What the monitors and the unit of fair shares say of a user, and of its use of a resource. */
  fair(user: number, resource?: number): Promise<FairRegisters>;
  /** The DAG of a frame that waits for a region. Each call looks for another one. */
  waiting(): Promise<number | undefined>;
  /** Packets of a DAG inside; `settled`: with those that were taken before a DAG was last made to wait. */
  dagInside(dag: number): Promise<{ readonly inside: number; readonly settled: boolean }>;
  /** Frames that a block of counters has inside now. */
  inside(block: number): Promise<{ readonly queued: number; readonly kept: number }>;
}

export interface SlotRegisters {
  readonly quiet: boolean;
  readonly off: boolean;
  readonly stuck: boolean;
}
const stateOutcomes = ["done", "refused", "late"] as const;
/** `refused`: the slot is not quiet, or keeps nothing. `late`: its task did not answer. */
export type StateOutcomeName = (typeof stateOutcomes)[number];
/** Without a word all are 0, or `outcome` tells why there is none. */
export interface StateRead {
  readonly outcome: StateOutcomeName;
  readonly word: StateWord | undefined;
}
export interface RegionRegisters {
  readonly stage: "on" | "cut" | "loading" | "waking";
  readonly off: boolean;
  readonly empty: boolean;
  readonly quiet: boolean;
  readonly wrong: boolean;
  readonly refused: boolean;
  readonly chain: number;
  readonly sent: number;
  readonly inside: number;
  readonly killed: number;
  readonly strays: number;
}
export interface FairRegisters {
  /** Units per byte in parts of 2^-8. */
  readonly use: number;
  /** Bytes of an epoch. */
  readonly demand: number;
  readonly taken: number;
  readonly rate: number;
}
const regionStages = ["on", "cut", "loading", "waking"] as const;

/** Numbers that a block of counters has. */
export const countersOfBlock = 256;
const low = (v: bigint): number => Number(v & 0xffffffffn);

type Registers = SnicDriver["registers"];
const addressOf = (name: string): number => {
  const found = snicMap.registers.find(r => r.name === name);
  if (found === undefined) throw new RangeError(`there is no register ${name}`);
  return found.address;
};
/** What the calls stand on: registers by name, and words that need not be written when they stay as they were. */
interface Access {
  readonly registers: Registers;
  readonly read: (name: string) => Promise<number>;
  readonly write: (name: string, value: number) => Promise<void>;
  readonly put: (name: string, value: number) => Promise<void>;
}
function accessOf(bus: SnicBus): Access {
  const words = new Map<number, number>();
  return {
    registers: registerDriver(snicMap, bus),
    read: async name => bus.read(addressOf(name)),
    write: async (name, value) => bus.write(addressOf(name), value),
    put: async (name, value) => {
      const address = addressOf(name);
      if (words.get(address) === value) return;
      words.set(address, value);
      await bus.write(address, value);
    },
  };
}

/** Tables, and what stands in registers before frames come. */
function configuring({ registers, write: go, put }: Access, ports: number): Pick<SnicDriver, "configure" | "write"> {
  const write: SnicDriver["write"] = async entries => {
    const all = 2 ** (ports + 1) - 1;
    for (const { table, index, value, ports: of = all } of entries) {
      await put("table", tables[table].id | (of << 8));
      await put("tableIndex", index);
      for (let i = 0; i < valueWords; i++) await put(`value${i}`, low(value >> BigInt(32 * i)));
      await go("tableWrite", 1);
    }
  };
  return {
    write,
    configure: async c => {
      const bits = (of: (p: PlainConfig["ports"][number]) => boolean): number =>
        c.ports.slice(0, ports).reduce((m, p, i) => (of(p) ? m | (1 << i) : m), 0);
      await registers.write({
        macLow: low(c.mac),
        macHigh: low(c.mac >> 32n),
        uplink: c.uplink ?? 0,
        hasUplink: c.uplink === undefined ? 0 : 1,
        origin: c.origin,
        urgent: c.urgent === undefined ? 0 : 1 << c.urgent,
        reliable: bits(p => p.reliable),
        peerPorts: bits(p => p.peer),
        control: bits(p => p.control),
        rings: c.rings,
        portClasses: c.ports.reduce((m, p, i) => m + p.class * 8 ** i, 0),
        epochCycles: c.epochCycles,
        macsLow: low(c.macs),
        macsHigh: low(c.macs >> 32n),
      });
      for (const [i, p] of c.ports.entries()) await put(`rules${i}`, p.rules >>> 0);
      await write(c.peers.map(({ mac, port, hops }, i) => tableWrite("peer", i, { mac, port, far: hops > 1 ? 1 : 0 })));
    },
  };
}

/** A region, and its slots. */
function ofRegions({ registers, read }: Access): Pick<SnicDriver, "region" | "took" | "slot"> {
  return {
    region: async region => {
      await registers.write({ slotRegion: region, slotAt: 0 });
      const flag = async (name: Parameters<typeof registers.read>[0]): Promise<boolean> =>
        (await registers.read(name)) === 1;
      return {
        stage: regionStages[await registers.read("regionStage")] ?? "cut",
        off: await flag("regionOff"),
        empty: await flag("regionEmpty"),
        quiet: await flag("regionQuiet"),
        wrong: await flag("regionWrong"),
        refused: await flag("regionRefused"),
        chain: await registers.read("regionChain"),
        sent: await registers.read("regionSent"),
        inside: await registers.read("regionInside"),
        killed: await registers.read("regionKilled"),
        strays: await registers.read("regionStrays"),
      };
    },
    took: async (region, slot) => {
      await registers.write({ slotRegion: region, slotAt: slot });
      return registers.read("slottook");
    },
    slot: async (region, slot) => {
      await registers.write({ slotRegion: region, slotAt: slot });
      const seen = await read("slotState");
      return { quiet: (seen & 2) !== 0, off: (seen & 4) !== 0, stuck: (seen & 8) !== 0 };
    },
  };
}

/** The state of a slot's task, word by word. */
function ofState({ registers, read, write, put }: Access): Pick<SnicDriver, "readState" | "writeState"> {
  /** Until what was asked for is over: the hardware gives up by itself. */
  const stateEnds = async (): Promise<{ readonly outcome: StateOutcomeName; readonly at: number }> => {
    for (;;) {
      const seen = await read("stateStatus");
      if ((seen & 1) === 0) return { outcome: stateOutcomes[(seen >> 1) & 3] ?? "refused", at: seen >>> 16 };
    }
  };
  return {
    readState: async (region, slot, at, last) => {
      await registers.write({ slotRegion: region, slotAt: slot, stateAt: at, stateLast: last });
      await write("stateGo", 1);
      const ended = await stateEnds();
      if (ended.outcome !== "done") return { outcome: ended.outcome, word: undefined };
      const words = [await registers.read("stateLow"), await registers.read("stateHigh")] as const,
        data = (BigInt(words[1]) << 32n) | BigInt(words[0]);
      return { outcome: "done", word: data === 0n ? undefined : { at: ended.at, data } };
    },
    writeState: async (region, slot, { at, data }) => {
      await registers.write({ slotRegion: region, slotAt: slot, stateAt: at, stateLast: at });
      await put("statePutLow", low(data));
      await put("statePutHigh", low(data >> 32n));
      await write("stateGo", 2);
      return (await stateEnds()).outcome;
    },
  };
}

/** Counts, and what the monitors say. */
function watching({
  registers,
  read,
  put,
}: Access): Pick<SnicDriver, "counter" | "fair" | "waiting" | "dagInside" | "inside"> {
  return {
    counter: async index => {
      await put("counter", index);
      const countLow = await registers.read("countLow");
      return countLow + (await registers.read("countHigh")) * 2 ** 32;
    },
    fair: async (user, resource = 0) => {
      await registers.write({ fairUser: user, fairResource: resource });
      // What is selected shows behind some cycles.
      await registers.read("version");
      return {
        use: await registers.read("fairUse"),
        demand: await registers.read("fairDemand"),
        taken: await registers.read("fairTaken"),
        rate: await registers.read("fairRate"),
      };
    },
    waiting: async () => {
      const seen = await read("waiting"),
        dag = seen & 0xff;
      if (seen >> 8 === 0) return undefined;
      await registers.write({ waitingNext: 1 });
      return dag;
    },
    dagInside: async dag => {
      await registers.write({ dagLook: dag });
      await registers.read("version");
      const seen = await read("dagInside");
      return { inside: seen & 0x1ff, settled: seen >> 16 === 1 };
    },
    inside: async block => {
      await put("counter", block * countersOfBlock);
      const queued = await registers.read("insideQueued");
      return { queued, kept: await registers.read("insideKept") };
    },
  };
}

/** @param ports those of the build, without the loop port */
export function driverOf(bus: SnicBus, ports: number): SnicDriver {
  const access = accessOf(bus);
  return alone({
    registers: access.registers,
    ...configuring(access, ports),
    ...ofRegions(access),
    ...ofState(access),
    ...watching(access),
  });
}

/**
 * Calls one after the other: each selects something and then reads or writes it, and software may launch a chain while
 * it answers a request.
 */
function alone(driver: SnicDriver): SnicDriver {
  let before: Promise<unknown> = Promise.resolve();
  const queued =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> => {
      const mine = before.then(() => call(...args));
      before = mine.catch(() => undefined);
      return mine;
    };
  return {
    registers: driver.registers,
    configure: queued((...a: Parameters<typeof driver.configure>) => driver.configure(...a)),
    write: queued((...a: Parameters<typeof driver.write>) => driver.write(...a)),
    counter: queued((...a: Parameters<typeof driver.counter>) => driver.counter(...a)),
    region: queued((...a: Parameters<typeof driver.region>) => driver.region(...a)),
    took: queued((...a: Parameters<typeof driver.took>) => driver.took(...a)),
    slot: queued((...a: Parameters<typeof driver.slot>) => driver.slot(...a)),
    readState: queued((...a: Parameters<typeof driver.readState>) => driver.readState(...a)),
    writeState: queued((...a: Parameters<typeof driver.writeState>) => driver.writeState(...a)),
    fair: queued((...a: Parameters<typeof driver.fair>) => driver.fair(...a)),
    waiting: queued(() => driver.waiting()),
    dagInside: queued((...a: Parameters<typeof driver.dagInside>) => driver.dagInside(...a)),
    inside: queued((...a: Parameters<typeof driver.inside>) => driver.inside(...a)),
  };
}
