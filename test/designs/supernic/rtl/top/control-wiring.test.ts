/** The registers' block: what it shows and what it sets is what its ports say, in the very cycle. */
import { describe, expect, test } from "vitest";
import { snicMap } from "../../../../../designs/supernic/registers/index.ts";
import { tables } from "../../../../../designs/supernic/wire/index.ts";
import { bernoulli, type Dut, type Pause, runBench, StreamSink, StreamSource } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, p, type Ports, Rig } from "./support/control-rig.ts";

type Io = B["io"];
/** An input that software sees. */
interface Leaf {
  readonly name: string;
  readonly width: number;
  value: number | bigint;
}
/** Where software looks. */
interface Looks {
  readonly slot: number;
  readonly region: number;
  readonly block: number;
}

/** Of a region, in the order of their numbers. */
const stages = ["on", "cut", "loading", "waking"] as const;
/** Fields of registers that show an input as it is, and those that show it behind a register, as it is selected. */
const direct: Readonly<Record<string, (io: Io) => Leaf>> = {
  down: io => io.down,
  freeContexts: io => io.freeContexts,
  freeCells: io => io.freeCells,
  fairUse: io => io.shown.use,
  fairDemand: io => io.shown.demand,
  fairTaken: io => io.shown.taken,
  fairRate: io => io.shown.rate,
  waitingDag: io => io.gate.dag,
  waitingIs: io => io.gate.waits,
  dagInside: io => io.gate.inside,
  dagSettled: io => io.gate.settled,
};
const stateOf = (io: Io, at: Looks) => io.state[at.region * p.slots + at.slot]!;
const countNames = ["took", "skipped", "dropped", "killed", "busyCycles", "strays", "outside", "grown"] as const;
const looked: Readonly<Record<string, (io: Io, at: Looks) => Leaf>> = {
  slotBusy: (io, at) => stateOf(io, at).busy,
  slotQuiet: (io, at) => stateOf(io, at).quiet,
  slotOff: (io, at) => stateOf(io, at).off,
  slotStuck: (io, at) => stateOf(io, at).stuck,
  slotWaiting: (io, at) => stateOf(io, at).waiting,
  slotInside: (io, at) => stateOf(io, at).inside,
  ...Object.fromEntries(
    countNames.map(name => [`slot${name}`, (io: Io, at: Looks): Leaf => stateOf(io, at).counts[name]]),
  ),
  regionOff: (io, at) => io.regions[at.region]!.off,
  regionEmpty: (io, at) => io.regions[at.region]!.empty,
  regionQuiet: (io, at) => io.regions[at.region]!.quiet,
  regionWrong: (io, at) => io.regions[at.region]!.wrong,
  regionRefused: (io, at) => io.regions[at.region]!.refused,
  regionChain: (io, at) => io.regions[at.region]!.chain,
  regionInside: (io, at) => io.regions[at.region]!.inside,
  regionKilled: (io, at) => io.regions[at.region]!.killed,
  regionStrays: (io, at) => io.regions[at.region]!.strays,
  regionSent: (io, at) => io.loads[at.region]!,
  insideQueued: (io, at) => io.inside[at.block]!.queued,
  insideKept: (io, at) => io.inside[at.block]!.kept,
};

/** Cycles from the address of a read to the cycle whose values it gives. */
const directLate = 1,
  lookedLate = directLate - 1;
const hash = (name: string, n: number): bigint => {
  let h = 0x811c9dc5 ^ (n * 0x9e3779b1);
  for (const c of name) h = Math.imul(h ^ c.charCodeAt(0), 0x01000193);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  const low = (h ^ (h >>> 13)) >>> 0;
  return (BigInt(Math.imul(low, 0x297a2d39) >>> 0) << 32n) | BigInt(low);
};

/** All inputs have other values in each cycle; what software reads of them is that of one cycle, and of no other. */
class Watch {
  readonly rig: Rig;
  readonly b: B;
  readonly #leaves: readonly Leaf[];
  /** Number of the cycle whose inputs stand, and that of the last read's address. */
  #now = 0;
  asked = 0;

  constructor(b: B) {
    this.b = b;
    this.rig = new Rig(b);
    const { io } = b,
      all: Leaf[] = Object.values(direct).map(of => of(io));
    for (let region = 0; region < p.regions; region++)
      for (let slot = 0; slot < p.slots; slot++)
        for (const of of Object.values(looked)) all.push(of(io, { slot, region, block: region }));
    for (const block of [...io.inside.keys()]) all.push(io.inside[block]!.queued, io.inside[block]!.kept);
    this.#leaves = [...new Set([...all, ...io.counts])];
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
    this.#drive();
  }
  #sample(): void {
    const { sAr } = this.b.io;
    if (sAr.valid.num === 1 && sAr.ready.num === 1) this.asked = this.#now;
  }
  #drive(): void {
    this.#now++;
    for (const leaf of this.#leaves) leaf.value = this.at(leaf, this.#now);
    for (const [r, { stage }] of this.b.io.regions.entries()) stage.value = stages[this.stageOf(r, this.#now)]!;
  }
  /** Its value in a cycle. */
  at({ name, width }: Leaf, n: number): bigint {
    return BigInt.asUintN(width, hash(name, n));
  }
  stageOf(region: number, n: number): number {
    return Number(hash(`stage ${region}`, n) % BigInt(stages.length));
  }
  /** Reads a register, and compares those of its fields that are known. */
  async compare(register: string, at: Looks): Promise<void> {
    const found = snicMap.registers.find(r => r.name === register)!,
      word = BigInt(await this.rig.read(register)),
      { io } = this.b;
    for (const { name, lsb, width } of found.fields) {
      const is = BigInt.asUintN(width, word >> BigInt(lsb)),
        wanted =
          name in direct
            ? this.at(direct[name]!(io), this.asked + directLate)
            : name in looked
              ? this.at(looked[name]!(io, at), this.asked + lookedLate)
              : name === "regionStage"
                ? BigInt(this.stageOf(at.region, this.asked + lookedLate))
                : this.#ofCount(name, at);
      if (wanted !== undefined) expect(is, `${name} of ${JSON.stringify(at)}`).toBe(wanted);
    }
  }
  #ofCount(name: string, { block }: Looks): bigint | undefined {
    const count = this.at(this.b.io.counts[block]!, this.asked + lookedLate);
    return name === "countLow"
      ? BigInt.asUintN(32, count)
      : name === "countHigh"
        ? BigInt.asUintN(16, count >> 32n)
        : undefined;
  }
}

const has = (fields: readonly { readonly name: string }[], names: readonly string[]): boolean =>
  fields.some(f => names.includes(f.name));

async function shown(b: B): Promise<void> {
  const watch = new Watch(b),
    { rig } = watch,
    ofDirect = snicMap.registers.filter(r => has(r.fields, Object.keys(direct))),
    ofLooked = snicMap.registers.filter(r =>
      has(r.fields, [...Object.keys(looked), "regionStage", "countLow", "countHigh"]),
    );
  for (let i = 0; i < 4; i++)
    for (const { name } of ofDirect) await watch.compare(name, { slot: 0, region: 0, block: 0 });
  for (let i = 0; i < 12; i++) {
    const at: Looks = { slot: i % p.slots, region: Math.floor(i / 2) % p.regions, block: i % b.io.counts.length };
    await rig.write("slot", at.slot + 16 * at.region);
    await rig.write("counter", 256 * at.block + b.random.below(64));
    await b.cycles(4);
    for (const { name } of ofLooked) await watch.compare(name, at);
  }
}

/** What the registers set, by their fields. */
const settings: Readonly<Record<string, (io: Io) => { readonly value: number | bigint; readonly width: number }>> = {
  hasUplink: io => io.set.hasUplink,
  uplink: io => io.set.uplink,
  origin: io => io.set.origin,
  urgent: io => io.set.urgent,
  reliable: io => io.set.reliable,
  peerPorts: io => io.set.peers,
  control: io => io.set.control,
  rings: io => io.set.rings,
  rules0: io => io.set.rules[0]!,
  rules1: io => io.set.rules[1]!,
  rules2: io => io.set.rules[2]!,
  fairHardware: io => io.fair.hardware,
  portBytes: io => io.fair.portBytes,
  fairUser: io => io.fair.look.user,
  fairResource: io => io.fair.look.resource,
  dagLook: io => io.dagLook,
};
/** What is set, held against what was written, in every cycle. */
class Settings {
  readonly b: B;
  readonly rig: Rig;
  /** By field; what is not there yet is unknown. */
  readonly #fields = new Map<string, bigint>();
  readonly #writes: { readonly register: string; readonly value: bigint }[] = [];
  /** Writes whose data have been taken a cycle ago, when pulses come; and two, when what stands has come. */
  #next: { readonly register: string; readonly value: bigint } | undefined;
  #soon: { readonly register: string; readonly value: bigint } | undefined;
  readonly entries: { readonly index: number; readonly value: bigint }[] = [];
  readonly pulses = { restart: 0, waitingNext: 0, entries: 0 };

  constructor(b: B) {
    this.b = b;
    this.rig = new Rig(b);
    b.onEdge({ sample: () => this.#sample() });
  }
  async write(register: string, value: bigint): Promise<void> {
    this.#writes.push({ register, value });
    await this.rig.write(register, Number(value));
  }
  field(name: string): bigint | undefined {
    return this.#fields.get(name);
  }
  #apply({ register, value }: { readonly register: string; readonly value: bigint }): void {
    for (const { name, kind, lsb, width } of snicMap.registers.find(r => r.name === register)!.fields)
      if (kind === "rw") this.#fields.set(name, BigInt.asUintN(width, value >> BigInt(lsb)));
  }
  #same(what: string, is: number | bigint, wanted: number | bigint): void {
    if (BigInt(is) !== BigInt(wanted)) throw new Error(`cycle ${this.b.cycle}: ${what} is ${is}, not ${wanted}`);
  }
  #sample(): void {
    const { io } = this.b,
      now = this.#soon,
      pulses = this.#next;
    if (now) this.#apply(now);
    for (const [name, of] of Object.entries(settings)) {
      const { value, width } = of(io),
        wanted = this.#fields.get(name);
      if (wanted !== undefined) this.#same(name, value, BigInt.asUintN(width, wanted));
    }
    this.#wide();
    this.#same("restart", io.set.restart.num, now?.register === "restart" ? BigInt.asUintN(p.ports, now.value) : 0);
    this.#same("the scan goes on", io.dagNext.num, pulses?.register === "waitingNext" ? 1 : 0);
    const writes = now?.register === "tableWrite";
    this.#same("an entry is written", io.bus.en.num, writes ? 1 : 0);
    if (writes) this.#entry();
    this.#same("an entry of a task", io.config.valid.num, writes && this.#isTask ? 1 : 0);
    if (writes) this.pulses.entries++;
    if (now?.register === "restart") this.pulses.restart++;
    if (pulses?.register === "waitingNext") this.pulses.waitingNext++;
    this.#soon = this.#next;
    const { sW } = io;
    this.#next = sW.valid.num === 1 && sW.ready.num === 1 ? this.#writes.shift() : undefined;
  }
  /** What is put together of several fields, or stands in parts of one. */
  #wide(): void {
    const { set } = this.b.io,
      of = (name: string): bigint => this.#fields.get(name) ?? 0n,
      known = ["macLow", "macHigh", "macsLow", "macsHigh", "portClasses"].every(n => this.#fields.has(n));
    if (!known) return;
    this.#same("MAC", set.mac.value, (of("macHigh") << 32n) | of("macLow"));
    this.#same("MACs", set.macs.value, (of("macsHigh") << 32n) | of("macsLow"));
    for (const [i, c] of set.classes.entries())
      this.#same(`class ${i}`, c.num, (of("portClasses") >> BigInt(3 * i)) & 7n);
  }
  get #isTask(): boolean {
    return (
      this.field("table") === BigInt(tables.task.id) && (this.field("tableIndex") ?? 0n) < BigInt(tables.task.entries)
    );
  }
  #entry(): void {
    const { bus, config } = this.b.io,
      index = this.field("tableIndex") ?? 0n;
    this.#same("the table", bus.table.num, this.field("table") ?? 0n);
    this.#same("the ports", bus.ports.num, BigInt.asUintN(bus.ports.width, this.field("tablePorts") ?? 0n));
    this.#same("the index", bus.index.num, index);
    const words = Array.from({ length: 17 }, (_, i) => (this.field(`value${i}`) ?? 0n) << BigInt(32 * i)),
      value = words.reduce((a, w) => a | w, 0n);
    this.#same("the value", bus.value.value, BigInt.asUintN(bus.value.width, value));
    if (!this.#isTask) return;
    const { at, data } = tables.task.fields;
    this.#same("its place", config.at.num, BigInt.asUintN(at.bits, value));
    this.#same("its data", config.data.value, BigInt.asUintN(data.bits, value >> BigInt(at.bits)));
    this.#same("its slot", config.slot.num, index & 7n);
    this.#same("its region", config.region.num, (index >> 3n) & 7n);
  }
}

/** Every register that software sets, in any order; entries of all tables; and once more behind a reset. */
async function sets(b: B): Promise<void> {
  const settings = new Settings(b),
    own = snicMap.registers.filter(r => r.fields.every(f => f.kind === "rw")),
    word = (): bigint => BigInt(b.random.below(2 ** 32));
  const maskOf = (r: (typeof own)[number]): bigint =>
    r.fields.reduce((m, f) => m | (((1n << BigInt(f.width)) - 1n) << BigInt(f.lsb)), 0n);
  for (const r of own) await settings.write(r.name, word() & maskOf(r));
  for (let i = 0; i < 120; i++) {
    const r = b.random.pick(own);
    await settings.write(r.name, word() & maskOf(r));
    if (i % 3 === 0) await settings.write("restart", BigInt(b.random.below(2 ** p.ports)));
    if (i % 5 === 0) await settings.write("waitingNext", 1n);
    if (i % 4 === 0) {
      // Of a task as often as of any other table; some entries there are not.
      await settings.write("table", BigInt(b.random.chance(0.5) ? tables.task.id : b.random.below(32)));
      await settings.write("tableIndex", BigInt(b.random.below(b.random.chance(0.7) ? 64 : 2 ** 16)));
      await settings.write("tableWrite", 1n);
    }
  }
  await b.cycles(4);
  expect(Math.min(settings.pulses.restart, settings.pulses.waitingNext, settings.pulses.entries)).toBeGreaterThan(15);
}
/** A word of a task's state: what is asked of whom, and what comes of it. */
async function states(b: B): Promise<void> {
  const rig = new Rig(b),
    { io, random: r } = b,
    asks: Record<string, bigint>[] = [];
  b.onEdge({
    sample: () => {
      const { valid, write, region, slot, at, data, number } = io.stateAsk;
      if (valid.num === 1)
        asks.push({
          ...{ write: write.big, region: region.big, slot: slot.big },
          ...{ at: at.big, data: data.big, number: number.big },
        });
    },
  });
  io.stateSaid.valid.value = 0;
  for (let i = 0; i < 24; i++) {
    const write = i % 2,
      slot = r.below(8),
      region = r.below(8),
      at = r.below(2 ** 16),
      low = r.below(2 ** 32),
      high = r.below(2 ** 32);
    await rig.write("slot", slot + 16 * region);
    await rig.write("stateAt", at + 65_536 * at);
    await rig.write("statePutLow", low);
    await rig.write("statePutHigh", high);
    await rig.write("stateGo", write === 1 ? 2 : 1);
    await b.until(() => asks.length === 1);
    const data = (BigInt(high) << 32n) | BigInt(low),
      number = BigInt(i);
    expect(asks.splice(0)).toEqual([
      { write: BigInt(write), region: BigInt(region), slot: BigInt(slot), at: BigInt(at), data, number },
    ]);
    expect((await rig.read("stateStatus")) & 1, "it is under way").toBe(1);
    const done = r.below(2),
      said = r.bits(64) | 1n;
    io.stateSaid.valid.value = 1;
    io.stateSaid.number.value = i;
    io.stateSaid.done.value = done;
    io.stateSaid.data.value = said;
    await b.cycles(1);
    io.stateSaid.valid.value = 0;
    await b.cycles(2);
    expect(await rig.read("stateStatus")).toBe((done === 1 ? 0 : 2) + 65_536 * at);
    expect([BigInt(await rig.read("stateLow")), BigInt(await rig.read("stateHigh"))]).toEqual([
      BigInt.asUintN(32, said),
      said >> 32n,
    ]);
    // One that nobody waits for.
    io.stateSaid.valid.value = 1;
    await b.cycles(1);
    io.stateSaid.valid.value = 0;
    await b.cycles(2);
    expect([await rig.read("stateStrays"), await rig.read("stateLates")]).toEqual([i + 1, 0]);
  }
}
/** Each of the bus's five ways stalls at random: addresses, data and answers come in any order to each other. */
async function stalls(b: B): Promise<void> {
  const { sim, io, random: r } = b,
    pause = (): Pause => bernoulli(0.5, r.word()),
    aw = new StreamSource(sim, io.sAw, { pause: pause() }),
    w = new StreamSource(sim, io.sW, { pause: pause() }),
    answers = new StreamSink(sim, io.sB, { pause: pause() }),
    ar = new StreamSource(sim, io.sAr, { pause: pause() }),
    data = new StreamSink(sim, io.sR, { pause: pause() }),
    own = snicMap.registers.filter(x => x.fields.length === 1 && x.fields[0]?.kind === "rw");
  for (let round = 0; round < 6; round++) {
    const values = own.map(x => BigInt.asUintN(x.fields[0]!.width, r.bits(32)));
    for (const [i, x] of own.entries()) {
      aw.send({ addr: x.address, prot: 0 });
      w.send({ data: Number(values[i]), strb: 15 });
    }
    await b.until(() => answers.received.length === own.length);
    expect(answers.received.splice(0).every(a => a.value.resp === 0)).toBe(true);
    for (const x of own) ar.send({ addr: x.address, prot: 0 });
    await b.until(() => data.received.length === own.length);
    await b.cycles(10);
    expect(data.received.splice(0).map(a => BigInt(a.value.data))).toEqual(values);
    expect(answers.received.length, "answers that nobody asked for").toBe(0);
  }
}

const runs = { shown, sets, states, stalls };
describe("Control", () => {
  bench("what software reads is what the device said in one cycle", dut(), { seed: 1 }, shown);
  bench("what software writes is set in one cycle, and nothing else is", dut(), { seed: 2 }, sets);
  bench("each way of the bus stalls", dut(), { seed: 4 }, stalls);
  bench("state of tasks: what is asked, and what comes of it", dut(), { seed: 3 }, states);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, limitCycles: 90_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["rings of the ports beside", /set_rings = [^;]*;/, "set_rings = registers_rings[2:1];"],
      [
        "one of a region's counts is another one",
        /\.region_killed(\s+)\(looked_region_killed\)/,
        ".region_killed$1(looked_region_strays)",
      ],
      ["an entry of another table is a task's", /config_valid = [^;]*;/, "config_valid = table_bus_en;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
