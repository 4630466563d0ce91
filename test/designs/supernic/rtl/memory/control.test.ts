/** The memory's registers: every field to where it belongs, every pulse once, and what is shown to the cycle. */
import { describe, expect, test } from "vitest";
import { memoryMap } from "../../../../../designs/supernic/registers/index.ts";
import { MemoryControl } from "../../../../../designs/supernic/rtl/memory/control.ts";
import { extractField, insertField } from "../../../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  peek,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyValue, scramble } from "../../support/any-value.ts";

const sizes = { ways: 3, pages: 32, spaces: 4, pageShift: 12, ppnBits: 6, freePages: 4 } as const,
  dut = MemoryControl(sizes);
type Ports = typeof dut.ports;
type B = Bench<Ports>;
const [pageMask, spaceMask, wayMask, ppnMask] = [sizes.pages - 1, sizes.spaces - 1, 3, 2 ** sizes.ppnBits - 1];
/** Parts of an epoch, and cycles from an address to its answer. */
const parts = 64,
  answerCycles = 2;

const registerOf = (name: string) => {
  const found = memoryMap.registers.find(r => r.name === name);
  if (found === undefined) throw new Error(`there is no register ${name}`);
  return found;
};
const command = registerOf("memoryCommand");
/** What software writes, a word each; fields of the commands are pulses. */
const written = memoryMap.registers.filter(r => r !== command && r.fields.every(f => f.kind === "rw"));
const shown = memoryMap.registers.filter(r => r.fields.every(f => f.kind === "live"));

class Rig {
  readonly b: B;
  readonly aw;
  readonly w;
  readonly answers;
  readonly ar;
  readonly r;
  readonly #fields = new Map<string, number>();
  /** Of each write that has not been accounted for: the entry that is looked at then. */
  #pages: (number | undefined)[] = [];
  #answered = 0;
  readonly wanted: unknown[] = [];
  readonly seen: unknown[] = [];

  constructor(b: B, pause: () => Pause = () => never) {
    const { sim, io } = b;
    this.b = b;
    this.aw = new StreamSource(sim, io.sAw, { pause: pause() });
    this.w = new StreamSource(sim, io.sW, { pause: pause() });
    this.answers = new StreamSink(sim, io.sB, { pause: pause() });
    this.ar = new StreamSource(sim, io.sAr, { pause: pause() });
    this.r = new StreamSink(sim, io.sR, { pause: pause() });
    b.onEdge({
      sample: () => {
        for (const name of ["wayWrite", "spaceWrite", "pageWrite"] as const) {
          const { en, index, value } = peek(io[name]);
          if (en === 1) this.seen.push({ name, index, value });
        }
        if (io.fence.value === 1) this.seen.push({ name: "fence" });
        // The entry that is looked at is the new one as soon as its write is answered.
        const looksAt = this.answers.received.length > this.#answered ? this.#pages[this.#answered++] : undefined;
        if (looksAt !== undefined && io.seeAt.value !== looksAt)
          throw new Error(`entry ${io.seeAt.value} is looked at`);
      },
    });
  }
  #of(name: string): number {
    return this.#fields.get(name) ?? 0;
  }
  write(register: (typeof memoryMap.registers)[number], word: number): void {
    this.aw.send({ addr: register.address | this.b.random.below(4), prot: this.b.random.below(8) });
    this.w.send({ data: word >>> 0, strb: 15 });
    for (const f of register.fields) this.#fields.set(f.name, extractField(f, word));
    this.#pages.push(register.name === "page" ? this.#of("pageAt") & pageMask : undefined);
    if (register !== command) return;
    const v = (name: string): number => this.#of(name);
    if (v("setWay") === 1)
      this.wanted.push({
        ...{ name: "wayWrite", index: v("wayAt") & wayMask },
        value: { valid: v("wayValid"), space: v("waySpace") & spaceMask },
      });
    if (v("setSpace") === 1)
      this.wanted.push({
        ...{ name: "spaceWrite", index: v("spaceAt") & spaceMask },
        value: { base: v("spaceBase") & pageMask, limit: v("spaceLimit") & (2 * pageMask + 1), write: v("spaceWrite") },
      });
    if (v("setPage") === 1)
      this.wanted.push({
        ...{ name: "pageWrite", index: v("pageAt") & pageMask },
        value: {
          ...{ valid: v("pageValid"), present: v("pagePresent"), write: v("pageWrite"), remote: v("pageRemote") },
          ppn: v("pagePpn") & ppnMask,
        },
      });
    if (v("fence") === 1) this.wanted.push({ name: "fence" });
  }
  async read(register: (typeof memoryMap.registers)[number]): Promise<number> {
    this.ar.send({ addr: register.address, prot: 0 });
    const { data, resp } = await this.r.recv();
    expect(resp).toBe(0);
    return data;
  }
  /** A word of command with just these. */
  command(...names: readonly string[]): void {
    this.write(
      command,
      command.fields.reduce((word, f) => (names.includes(f.name) ? insertField(f, word, 1) : word), 0),
    );
  }
  async settled(writes: number): Promise<void> {
    await this.b.until(() => this.answers.received.length === writes);
    for (const s of this.answers.received.splice(0)) expect(s.value.resp).toBe(0);
    this.#pages = [];
    this.#answered = 0;
    await this.b.cycles(2);
    expect(this.seen).toEqual(this.wanted);
  }
}
/** Nothing of the inputs counts for what software writes. */
function quiet(b: B): void {
  for (const port of [b.io.seen, b.io.state, b.io.freePages, b.io.fenced, b.io.moving]) scramble(b.random, port);
  b.io.part.value = 0;
}

/** Words of random fields, then commands, one behind the other without waiting for answers. */
const writes =
  (slow: boolean) =>
  async (b: B): Promise<void> => {
    const { random: r } = b,
      rig = new Rig(b, slow ? () => bernoulli(r.pick([0.2, 0.6]), r.word()) : undefined);
    quiet(b);
    let sent = 0;
    for (let i = 0; i < 60; i++) {
      for (const register of r.shuffle(written).slice(0, r.below(6))) {
        rig.write(register, r.word());
        sent++;
      }
      rig.command(...r.shuffle(["setWay", "setSpace", "setPage", "fence", "moveSeen"]).slice(0, r.below(4)));
      sent++;
    }
    await rig.settled(sent);
    for (const register of written) {
      const word = r.word();
      rig.write(register, word);
      await rig.settled(1);
      // What was written is read back, and the entry that is looked at is the one that is named.
      const data = await rig.read(register);
      for (const f of register.fields) {
        expect(extractField(f, data), f.name).toBe(extractField(f, word));
        if (f.name === "pageAt") expect(b.io.seeAt.value).toBe(extractField(f, word) & pageMask);
      }
    }
    const built = await rig.read(registerOf("memoryBuild"));
    expect(registerOf("memoryBuild").fields.map(f => extractField(f, built))).toEqual([
      ...[sizes.ways, sizes.spaces, sizes.pageShift],
    ]);
    b.sim.reset(1);
    for (const register of written) expect(await rig.read(register), register.name).toBe(0);
  };

/** All that is shown changes in each cycle, and is read in each: an answer tells of one cycle, in all of its fields. */
async function shows(b: B): Promise<void> {
  const { random: r, io } = b,
    rig = new Rig(b),
    history = new Map<number, ReturnType<typeof now>>();
  const now = () => ({
    ...{ seen: peek(io.seen), state: peek(io.state), freePages: io.freePages.num, fenced: io.fenced.num },
    ...{ moving: io.moving.num, moved: io.moved.valid.num, bad: io.moved.payload.bad.num },
  });
  const moved = new StreamSource(b.sim, io.moved);
  for (let way = 0; way < 5; way++) {
    rig.write(registerOf("way"), way);
    await rig.settled(1);
    for (const register of shown) {
      if (register.name === "stamps") continue;
      rig.r.received.splice(0);
      for (let n = 0; n < 40; n++) {
        quiet(b);
        if (n === 20 && moved.pending === 0)
          moved.send({ ...anyValue(r, io.moved.payload), kind: "out", bad: r.below(2) });
        if (n < 30) rig.ar.send({ addr: register.address, prot: 0 });
        // What is driven behind this edge stands at the next one.
        history.set(b.cycle + 1, now());
        await b.cycles(1);
      }
      const got = rig.r.received.splice(0);
      expect(got).toHaveLength(30);
      for (const { value, cycle } of got) {
        // What is looked at is a cycle older than the rest.
        const live = history.get(cycle - answerCycles + 1),
          late = history.get(cycle - answerCycles);
        if (live === undefined || late === undefined) continue;
        const state = late.state[way],
          { seen } = late;
        const values: Readonly<Record<string, number>> = {
          ...{ shownPpn: Number(seen.ppn), shownValid: seen.valid, shownPresent: seen.present, shownWrite: seen.write },
          ...{ shownRemote: seen.remote, fenced: live.fenced, moving: live.moving, movedValid: live.moved },
          ...{ movedBad: live.bad, freePages: live.freePages },
          ...{ wayWaits: state?.waits ?? 0, wayRemote: state?.remote ?? 0, wayIdle: state?.idle ?? 0 },
          ...{ wayPage: Number(state?.page ?? 0), wayDenied: state?.denied ?? 0, wayFailed: state?.failed ?? 0 },
        };
        for (const f of register.fields)
          if (f.name !== "movedBad" || live.moved === 1)
            expect(extractField(f, value.data), `${f.name} of way ${way}`).toBe(values[f.name]);
      }
    }
    rig.command("moveSeen");
    await rig.settled(1);
  }
}
/** An epoch has 64 parts; its number is shown beside the stamp. */
async function epochs(b: B): Promise<void> {
  const { random: r, io } = b,
    rig = new Rig(b);
  let gone = 0;
  for (let n = 0; n < 3000; n++) {
    const stamp = r.below(1 << 16);
    quiet(b);
    io.part.value = r.chance(0.7) ? 1 : 0;
    if (n % 100 === 99) {
      io.part.value = 0;
      io.seen.stamp.value = stamp;
      rig.ar.send({ addr: registerOf("stamps").address, prot: 0 });
      for (let i = 0; i < 6; i++) await b.cycles(1);
      const [data = NaN] = rig.r.received.splice(0).map(s => s.value.data);
      expect(data >>> 0).toBe(((Math.floor(gone / parts) << 16) | stamp) >>> 0);
      continue;
    }
    await b.cycles(1);
    if (io.epoch.value !== Math.floor(gone / parts)) expect(io.epoch.value).toBe(Math.floor(gone / parts));
    gone += io.part.num;
    if (n === 1500) {
      io.part.value = 0;
      b.sim.reset(1);
      gone = 0;
    }
  }
}
/** A move waits until it is taken, and how one ended until it was seen; each is there once. */
async function moves(b: B): Promise<void> {
  const { random: r, io } = b,
    rig = new Rig(b),
    move = new StreamSink(b.sim, io.move),
    moved = new StreamSource(b.sim, io.moved),
    movingNow = async (): Promise<number> =>
      extractField(stateFields("moving"), await rig.read(registerOf("memoryState")));
  quiet(b);
  io.moving.value = 0;
  for (let i = 0; i < 30; i++) {
    const kind = r.below(4),
      ppn = r.bits(16);
    const waits = r.chance(0.7);
    move.pause = waits ? always : never;
    rig.write(registerOf("mover"), (Number(ppn) << 8) | kind);
    rig.command("move");
    await rig.settled(2);
    if (waits) {
      await b.cycles(r.below(20));
      expect(move.received).toEqual([]);
      expect(await movingNow()).toBe(1);
      move.pause = never;
      await b.cycles(4);
    }
    expect(move.received.splice(0).map(s => s.value)).toEqual([
      { kind: kinds[kind] ?? "zero", ppn: Number(ppn) & ppnMask },
    ]);
    expect(await movingNow()).toBe(0);
    const ended = moved.send({ ...anyValue(r, io.moved.payload), kind: "in" });
    await b.cycles(r.below(20) + 2);
    expect(ended.cycle).toBeUndefined();
    rig.command("setPage", "fence");
    await rig.settled(1);
    expect(ended.cycle).toBeUndefined();
    rig.command("moveSeen");
    await rig.settled(1);
    expect(ended.cycle).toBeDefined();
  }
  // One that waits is gone with a reset.
  move.pause = always;
  rig.command("move");
  await rig.settled(1);
  b.sim.reset(1);
  move.pause = never;
  await b.cycles(4);
  expect(move.received).toEqual([]);
}
/** Any other number is that of the first. */
const kinds = ["zero", "out", "in"];
const always: Pause = () => true;
const stateFields = (name: string) => {
  const f = registerOf("memoryState").fields.find(x => x.name === name);
  if (f === undefined) throw new Error(`the state has no field ${name}`);
  return f;
};

const runs = { fast: writes(false), slow: writes(true), shows, epochs, moves };
describe("MemoryControl", () => {
  bench("each field comes to where it belongs", dut, { seed: 1, hangCycles: 1000 }, runs.fast);
  bench("with pauses on all channels", dut, { seed: 2, hangCycles: 1000 }, runs.slow);
  bench("what is shown is of one cycle", dut, { seed: 3, hangCycles: 1000 }, shows);
  bench("an epoch has 64 parts", dut, { seed: 4, hangCycles: 1000 }, epochs);
  bench("one move at a time", dut, { seed: 5, hangCycles: 1000 }, moves);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 1000, limitCycles: 30_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["data are taken that nobody has room for", "s_w_ready = order_data_full_when", "s_w_ready = 1'b1"],
      [
        "failures of another way are shown",
        "registers_way_at == 4'd1}} & state_1_failed",
        "registers_way_at == 4'd1}} & state_0_failed",
      ],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
