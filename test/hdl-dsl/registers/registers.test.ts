import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cCompiler } from "../../support/c-compiler.ts";
import { describe, expect, test } from "vitest";
import { axiResponse } from "../../../hdl-dsl/lib/index.ts";
import {
  emit,
  extractField,
  insertField,
  isWritable,
  register,
  registerDriver,
  type RegisterField,
  registerHeader,
  registerMap,
  registerPage,
  RegisterSlave,
} from "../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  LiteMaster,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import { bench } from "../../bench.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { lint } from "../support/lint.ts";
import { timer } from "./timer.ts";

const values = { identification: 0x54494d45, prescale: 0x2a5, limit: 1000 };
const dut = RegisterSlave({ map: timer, values });
type B = Bench<typeof dut.ports>;

/** The registers as a program would keep them: words by address, with the hardware's values as inputs. */
class Reference {
  readonly words = new Map<number, number>();
  constructor() {
    for (const r of timer.registers)
      this.words.set(
        r.address,
        r.fields.reduce((w, f) => w + ((values as Readonly<Record<string, number>>)[f.name] ?? 0) * 2 ** f.lsb, 0),
      );
  }
  read(address: number): { data: number; resp: number } {
    const word = this.words.get(address & ~3);
    return word === undefined ? { data: 0, resp: axiResponse.DECERR } : { data: word, resp: axiResponse.OKAY };
  }
  write(address: number, data: number, strb: number): { resp: number; restart: number } {
    const at = address & ~3,
      r = timer.registers.find(x => x.address === at);
    if (r === undefined) return { resp: axiResponse.DECERR, restart: 0 };
    if (!isWritable(r)) return { resp: axiResponse.SLVERR, restart: 0 };
    const before = this.words.get(at) as number;
    let word = BigInt(before),
      restart = 0;
    for (let i = 0; i < 32; i++) {
      const f = r.fields.find(x => i >= x.lsb && i < x.lsb + x.width),
        one = ((BigInt(data >>> 0) >> BigInt(i)) & 1n) === 1n;
      if (f === undefined || ((strb >> (i >> 3)) & 1) === 0) continue;
      if (f.kind === "rw") word = one ? word | (1n << BigInt(i)) : word & ~(1n << BigInt(i));
      else if (f.kind === "event" && one) word &= ~(1n << BigInt(i));
      else if (f.kind === "pulse" && one) restart = 1;
    }
    this.words.set(at, Number(word));
    return { resp: axiResponse.OKAY, restart };
  }
  happen(expired: number, channels: number): void {
    this.words.set(0x14, (this.words.get(0x14) as number) | expired | (channels << 8));
  }
}

/** Random accesses one after another, events and the live count changing between them. */
async function random(b: B, n: number, pause: () => Pause = () => never): Promise<void> {
  const { sim, io } = b,
    reference = new Reference();
  const aw = new StreamSource(sim, io.sAw, { pause: pause() }),
    w = new StreamSource(sim, io.sW, { pause: pause() }),
    done = new StreamSink(sim, io.sB, { pause: pause() });
  const ar = new StreamSource(sim, io.sAr, { pause: pause() }),
    r = new StreamSink(sim, io.sR, { pause: pause() });
  let restarts = 0,
    wanted = 0;
  b.onEdge({
    sample: () => {
      restarts += io.restart.value;
    },
  });
  for (let i = 0; i < n; i++) {
    const expired = b.random.chance(0.3) ? 1 : 0,
      channels = b.random.chance(0.3) ? b.random.between(0, 15) : 0;
    io.expired.value = expired;
    io.channels.value = channels;
    await b.cycles(1);
    io.expired.value = 0;
    io.channels.value = 0;
    reference.happen(expired, channels);
    const count = b.random.between(0, 65535);
    io.count.value = count;
    reference.words.set(0x10, count);
    const address = b.random.between(0, 63),
      data = Number(b.random.bits(32)),
      strb = b.random.chance(0.5) ? 15 : b.random.between(0, 15);
    aw.send({ addr: address, prot: 0 });
    w.send({ data, strb });
    const answer = reference.write(address, data, strb);
    wanted += answer.restart;
    expect((await done.recv()).resp, `write of 0x${data.toString(16)} at ${address}, strobes ${strb}`).toBe(
      answer.resp,
    );
    const at = b.random.chance(0.5) ? address : b.random.between(0, 63);
    ar.send({ addr: at, prot: 0 });
    expect(await r.recv(), `read at ${at}`).toEqual(reference.read(at));
    const control = reference.words.get(4) as number;
    expect([io.enable.value, io.prescale.value, io.limit.value]).toEqual([
      control & 1,
      (control >>> 4) & 1023,
      reference.words.get(8),
    ]);
  }
  expect(restarts).toBe(wanted);
  expect(wanted).toBeGreaterThan(0);
}

describe("RegisterSlave", () => {
  bench("random accesses: every kind of field, any strobes, mapped and not", dut, { seed: 3 }, b => random(b, 500));
  bench("random accesses under back-pressure", dut, { seed: 4 }, b => {
    let s = 20;
    return random(b, 250, () => bernoulli(0.5, ++s));
  });
  bench(
    "an answer after 2 cycles, an access every cycle, reads and writes side by side; data may come before its address",
    dut,
    {},
    async b => {
      const { sim, io } = b;
      const aw = new StreamSource(sim, io.sAw),
        w = new StreamSource(sim, io.sW),
        done = new StreamSink(sim, io.sB),
        ar = new StreamSource(sim, io.sAr),
        r = new StreamSink(sim, io.sR);
      const early = w.send({ data: 5, strb: 15 });
      await b.cycles(9);
      expect(early.cycle).toBeDefined();
      expect(done.received).toEqual([]);
      aw.send({ addr: 8, prot: 0 });
      await done.recv();
      const before = done.received.length;
      const sent = Array.from({ length: 20 }, (_, i) => {
          w.send({ data: i, strb: 15 });
          return aw.send({ addr: 8, prot: 0 });
        }),
        asked = Array.from({ length: 20 }, () => ar.send({ addr: 0, prot: 0 }));
      await b.until(() => done.received.length === before + 20 && r.received.length === 20);
      expect(done.received.slice(before).map(x => x.cycle)).toEqual(sent.map(x => (x.cycle as number) + 2));
      expect(r.received.map(x => x.cycle)).toEqual(asked.map(x => (x.cycle as number) + 2));
      expect((sent[19]?.cycle as number) - (sent[0]?.cycle as number)).toBe(19);
      expect(io.limit.value).toBe(19);
    },
  );
  bench("an event in the very cycle in which it is cleared stays", dut, {}, async b => {
    const lite = new LiteMaster(b.sim, b.io);
    b.io.expired.value = 1;
    await lite.write(0x14, 1);
    b.io.expired.value = 0;
    expect(await lite.read(0x14)).toBe(1);
    await lite.write(0x14, 1);
    expect(await lite.read(0x14)).toBe(0);
  });
  test.each([
    ["the second byte goes by the first one's strobe", "order_data_held_strb[1]", "order_data_held_strb[0]"],
    ["writing 1 does not clear an event", "& ~", "| ~"],
  ] as const)("planted fault: %s", (_name, from, to) =>
    findsFault(
      runBench("registers", plant(dut, from, to), { wave: false, seed: 3 }, b => random(b, 300)),
      /read at|expected/,
    ),
  );
  test("it is called for its map, and the tools accept it", () => {
    expect(dut.name).toBe("TimerRegisters");
    expect(lint(emit(dut))).toBe("");
  });
});

describe("driver", () => {
  bench(
    "over the simulated bus: fields by name, others of the register stay, pulses and events act once",
    dut,
    {},
    async b => {
      const regs = registerDriver(timer, new LiteMaster(b.sim, b.io));
      expect(await regs.read("identification")).toBe(values.identification);
      expect(await regs.read("prescale")).toBe(values.prescale);
      await regs.write({ enable: 1, limit: 77 });
      expect([b.io.enable.value, b.io.prescale.value, b.io.limit.value]).toEqual([1, values.prescale, 77]);
      let restarts = 0;
      b.onEdge({
        sample: () => {
          restarts += b.io.restart.value;
        },
      });
      await regs.write({ restart: 1 });
      await regs.write({ prescale: 3 });
      expect([restarts, await regs.read("enable"), await regs.read("prescale")]).toEqual([1, 1, 3]);
      b.io.expired.value = 1;
      b.io.channels.value = 5;
      await b.cycles(1);
      b.io.expired.value = 0;
      b.io.channels.value = 0;
      await regs.write({ spare: 6, expired: 1 });
      expect([await regs.read("expired"), await regs.read("channels"), await regs.read("spare")]).toEqual([0, 5, 6]);
    },
  );
  test("what it refuses, word for word", async () => {
    const regs = registerDriver(timer, { read: () => Promise.resolve(0), write: () => Promise.resolve() });
    await expect(regs.write({ enable: 2 })).rejects.toThrow("Timer: 2 does not fit field enable; it takes 0 to 1");
    await expect(regs.write({ count: 1 })).rejects.toThrow("Timer: field count only reads");
    await expect(regs.read("cuont" as "count")).rejects.toThrow(
      "Timer has no field cuont; it has identification, enable, prescale, restart, limit, count, expired, channels, spare",
    );
  });
  test("the compiler knows the fields", () => {
    const regs = registerDriver(timer, { read: () => Promise.resolve(0), write: () => Promise.resolve() });
    // @ts-expect-error -- no such field
    void regs.read("cuont").catch(() => undefined);
    expect(dut.ports.prescale.shape.width satisfies 10).toBe(10);
    // @ts-expect-error -- a constant has no port
    expect(dut.ports.identification).toBeUndefined();
  });
});

describe("as data", () => {
  test("fields of words", () => {
    const prescale = timer.registers[1]?.fields[1] as RegisterField;
    expect(extractField(prescale, 0x2a50)).toBe(0x2a5);
    expect(insertField(prescale, 0xffffffff, 1)).toBe(0xffffc01f);
  });
  test("what a map refuses, word for word", () => {
    const at = (address: number, name = "a", field = "x") => register(address, name, "", { [field]: [0, 1, "rw", ""] });
    const map =
      (...registers: ReturnType<typeof at>[]) =>
      () =>
        registerMap({ name: "M", doc: "", addressBits: 4, registers });
    expect(map(at(0), at(0, "b", "y"))).toThrow("M: registers a and b share address 0x000; move one");
    expect(map(at(0), at(4, "a", "y"))).toThrow("M: two registers are named a; rename one");
    expect(map(at(0), at(4, "b"))).toThrow("M: two fields are named x; rename one");
    expect(map(at(16))).toThrow("M: register a at 0x010 does not fit 4 address bits; raise addressBits or move it");
    expect(() => at(6)).toThrow("register a: address 0x6 is not a multiple of 4; the nearest is 0x4");
    expect(() => register(0, "r", "", { a: [0, 8, "rw", ""], b: [7, 2, "rw", ""] })).toThrow(
      "register r: field b lies over another one; move it to free bits",
    );
    expect(() => register(0, "r", "", { a: [30, 4, "rw", ""] })).toThrow(
      "register r: field a ends at bit 33; the last bit is 31",
    );
  });
  test("the C header compiles and says the same", () => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-registers-"));
    try {
      writeFileSync(join(folder, "timer.h"), registerHeader(timer, "test"));
      writeFileSync(
        join(folder, "use.c"),
        `#include "timer.h"
_Static_assert(TIMER_REG_CONTROL == 4 && TIMER_PRESCALE_SHIFT == 4 && TIMER_PRESCALE_MASK == 1023, "control");
_Static_assert(TIMER_REG_EVENTS == 0x14 && TIMER_LIMIT_MASK == 0xffffffffu && TIMER_RESTART_SHIFT == 31, "events");
`,
      );
      execFileSync(cCompiler(), ["-std=c11", "-Wall", "-Werror", "-fsyntax-only", join(folder, "use.c")], {
        stdio: "pipe",
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  test("the reference page has a row for each field", () => {
    const page = registerPage(timer, "test");
    for (const f of timer.registers.flatMap(r => r.fields)) expect(page).toContain(` | ${f.name} | `);
    expect(page).toContain(
      "| 0x004 | control: how it counts | 0 | enable | read, write | it counts |\n|  |  | 13:4 | prescale | read, write | cycles of a step less one |",
    );
  });
});
