import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import type { I2cCommand, I2cReply } from "../../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, never, type Pause, runBench, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { offer } from "../../../support/offer.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { BusReader, I2cWorld, type Message } from "./i2c-world.ts";

const dut = I2cWorld();
type World = Bench<(typeof dut)["ports"]>;
const SLAVE = 0x35;

class Master {
  readonly command: StreamSource<typeof I2cCommand>;
  readonly reply: StreamSink<typeof I2cReply>;
  losses = 0;
  constructor(b: World, which: "A" | "B", pauses: readonly [Pause, Pause] = [never, never]) {
    this.command = new StreamSource(b.sim, b.io[`command${which}`], { pause: pauses[0] });
    this.reply = new StreamSink(b.sim, b.io[`reply${which}`], { pause: pauses[1] });
  }
  async byte(c: Partial<Record<"start" | "stop" | "read" | "nack" | "data", number>>) {
    this.command.send({ start: 0, stop: 0, read: 0, nack: 0, data: 0, ...c });
    const r = await this.reply.recv();
    if (r.lost === 1) this.losses++;
    return r;
  }
  /** One message; `undefined` when the bus was lost on the way. */
  async message(
    to: number,
    m: { readonly write?: readonly number[]; readonly read?: number; readonly stop: boolean },
  ): Promise<readonly number[] | "refused" | undefined> {
    const read = m.read ?? 0;
    const first = await this.byte({ start: 1, data: to * 2 + (read > 0 ? 1 : 0) });
    if (first.lost === 1) return undefined;
    if (first.nack === 1) return "refused";
    const bytes: number[] = [];
    for (const [i, data] of (m.write ?? []).entries()) {
      const r = await this.byte({ data, stop: m.stop && i === (m.write as readonly number[]).length - 1 ? 1 : 0 });
      if (r.lost === 1) return undefined;
      expect([r.data, r.nack]).toEqual([data, 0]);
    }
    for (let i = 0; i < read; i++) {
      const last = i === read - 1;
      const r = await this.byte({ read: 1, nack: last ? 1 : 0, stop: m.stop && last ? 1 : 0 });
      if (r.lost === 1) return undefined;
      bytes.push(r.data);
    }
    return bytes;
  }
}

interface Setup {
  readonly divisors: readonly [number, number];
  readonly slave?: readonly [Pause, Pause];
  readonly masters?: readonly [Pause, Pause];
  /** Disturbances of one cycle on both lines, which nobody may see. */
  readonly glitches?: true;
}
function settle(b: World, s: Setup) {
  const { io } = b;
  io.divisorA.value = s.divisors[0];
  io.divisorB.value = s.divisors[1];
  io.address.value = SLAVE;
  const reader = new BusReader();
  let lowTogether = 0;
  b.onEdge({
    sample: () => {
      const { num } = io.pulled;
      if (s.glitches === true) reader.cycle((num & 0b10101) === 0 ? 1 : 0, (num & 0b101010) === 0 ? 1 : 0);
      else reader.cycle(io.scl.value, io.sda.value);
      if ((io.pulled.value & 0b10001) === 0b10000) lowTogether++;
    },
    drive: cycle => {
      if (s.glitches !== true) return;
      io.sdaPull.value = cycle % 7 === 0 ? 1 : 0;
      io.sclPull.value = cycle % 11 === 5 ? 1 : 0;
    },
  });
  const received = new StreamSink(b.sim, io.received, { pause: s.slave?.[0] ?? never }),
    toSend = new StreamSource(b.sim, io.toSend, { pause: s.slave?.[1] ?? never });
  return { reader, received, toSend, stretched: () => lowTogether };
}
const byte = (b: World): number => b.random.between(0, 255);
const bytes = (b: World, most = 3): number[] => Array.from({ length: b.random.between(1, most) }, () => byte(b));

/** Writes, reads, writes with a read behind a repeated start, and addresses of nobody. */
async function oneMaster(b: World, s: Setup, count = 10) {
  const { reader, received, toSend, stretched } = settle(b, s);
  const a = new Master(b, "A", s.masters);
  // More than is asked for: what a master does not want stays.
  const stock = Array.from({ length: 4 * count }, () => byte(b));
  for (const d of stock) toSend.send(d);
  const expected: Message[] = [],
    written: { data: number; first: number }[] = [];
  const bus = (address: number, values: readonly number[], read: boolean, end: "stop" | "start"): void => {
    expected.push({
      bytes: [
        { value: address, nack: 0 },
        ...values.map((value, i) => ({ value, nack: read && i === values.length - 1 ? 1 : 0 })),
      ],
      end,
    });
  };
  for (let n = 0; n < count; n++) {
    const kind = n % 4;
    if (kind === 3) {
      expect(await a.message(SLAVE ^ (1 << b.random.between(0, 6)), { write: [1], stop: true })).toBe("refused");
      expected.push({
        bytes: [{ value: (reader.messages.at(-1) as Message).bytes[0]?.value as number, nack: 1 }],
        end: "stop",
      });
      // The rest of the message is told to be lost, and touches nothing.
      expect((await a.byte({ data: 9 })).lost).toBe(1);
      continue;
    }
    if (kind !== 1) {
      const data = bytes(b);
      expect(await a.message(SLAVE, { write: data, stop: kind === 0 })).toEqual([]);
      data.forEach((d, i) => written.push({ data: d, first: i === 0 ? 1 : 0 }));
      bus(2 * SLAVE, data, false, kind === 0 ? "stop" : "start");
    }
    if (kind !== 0) {
      const data = stock.splice(0, b.random.between(1, 3));
      expect(await a.message(SLAVE, { read: data.length, stop: true })).toEqual(data);
      expect(b.io.reading.value).toBe(1);
      bus(2 * SLAVE + 1, data, true, "stop");
    }
  }
  received.pause = never;
  await b.cycles(20 * (s.divisors[0] + 1));
  expect(reader.messages).toEqual(expected);
  expect(received.received.map(r => r.value)).toEqual(written);
  expect([b.io.active.value, b.io.busyA.value, b.io.pulled.value]).toEqual([0, 0, 0]);
  expect([toSend.pending, a.losses]).toEqual([stock.length, Math.floor(count / 4)]);
  return { reader, stretched: stretched() };
}

/** Both masters want the bus at once, again and again; who loses tries once more. */
async function twoMasters(b: World, s: Setup, count = 8): Promise<void> {
  const { reader, received, toSend } = settle(b, s);
  const masters = [new Master(b, "A", s.masters), new Master(b, "B", s.masters)] as const;
  const plans = masters.map(() => Array.from({ length: count }, () => bytes(b, 2)));
  const done: number[][][] = [[], []];
  let meet = 0;
  await b.all(
    masters.map((m, who) => async () => {
      for (const plan of plans[who] as number[][]) {
        // The two meet before each message, so that they begin within a few cycles.
        meet++;
        const round = Math.ceil(meet / 2);
        await b.until(() => meet >= 2 * round);
        // Long enough that the bus is free for both.
        await b.cycles(600 + b.random.between(0, 4));
        while ((await m.message(SLAVE, { write: plan, stop: true })) === undefined);
        (done[who] as number[][]).push(plan);
      }
    }),
  );
  received.pause = never;
  await b.cycles(20 * (Math.max(...s.divisors) + 1));
  expect(done).toEqual(plans);
  const whole = reader.messages.map(m => m.bytes.slice(1).map(x => x.value));
  // Every message came through whole and once; equal ones of both masters may have been one.
  const key = (x: readonly number[]): string => x.join(" ");
  for (const p of plans.flat()) expect(whole.map(key)).toContain(key(p));
  for (const w of whole) expect(plans.flat().map(key)).toContain(key(w));
  expect(received.received.map(r => r.value.data)).toEqual(whole.flat());
  expect(masters[0].losses + masters[1].losses).toBeGreaterThanOrEqual(s.masters?.[0] === never ? count / 3 : 1);
  expect(reader.messages.length).toBeLessThanOrEqual(2 * count);
  expect(toSend.pending).toBe(0);
  expect(b.io.pulled.value).toBe(0);
}

/** Another device holds `scl` low now and then, and pulls `sda` where the master sends a 1. */
async function disturbed(b: World): Promise<void> {
  const { reader } = settle(b, { divisors: [7, 7] });
  const a = new Master(b, "A"),
    { io } = b;
  const stretching = b.spawn(async () => {
    for (let i = 0; i < 12; i++) {
      await b.until(() => io.scl.value === 0);
      io.sclPull.value = 1;
      await b.cycles(b.random.between(20, 90));
      io.sclPull.value = 0;
      await b.cycles(60);
    }
  });
  expect(await a.message(SLAVE, { write: [0xa5, 0x5a], stop: true })).toEqual([]);
  await stretching;
  expect(reader.messages.at(-1)?.bytes.map(x => x.value)).toEqual([2 * SLAVE, 0xa5, 0x5a]);
  // Somebody wins the fifth bit of a byte of ones, and goes on with the bus.
  const loses = b.spawn(() => a.byte({ start: 1, data: 0xff }));
  await b.until(() => io.scl.value === 0);
  for (let i = 0; i < 4; i++) {
    await b.until(() => io.scl.value === 1);
    await b.until(() => io.scl.value === 0);
  }
  io.sdaPull.value = 1;
  expect((await loses).lost).toBe(1);
  await b.cycles(2);
  expect(io.pulled.value).toBe(0);
  // Its bus: a start of ours waits for its stop.
  const waits = b.spawn(() => a.message(SLAVE, { write: [0x11], stop: true }));
  // The rest of its byte, and a clock for its stop condition.
  for (let i = 0; i < 5; i++) {
    io.sclPull.value = 1;
    await b.cycles(100);
    expect(io.pulled.value & 3).toBe(0);
    io.sclPull.value = 0;
    await b.cycles(20);
  }
  io.sdaPull.value = 0;
  const stopped = b.cycle;
  await b.until(() => (io.pulled.value & 2) === 2);
  expect(b.cycle - stopped).toBeGreaterThanOrEqual(4 * 8);
  expect(await waits).toEqual([]);
}

/** Another device pulls `scl` low before the stop, or the repeated start, that A is about to give: it has the bus. */
async function takenBefore(b: World, condition: "start" | "stop"): Promise<void> {
  settle(b, { divisors: [7, 7] });
  const a = new Master(b, "A"),
    { io } = b;
  let rises = 0,
    was = 1;
  b.onEdge({
    sample: () => {
      if (was === 0 && io.scl.value === 1) rises++;
      was = io.scl.value;
    },
  });
  expect((await a.byte({ start: 1, data: 2 * SLAVE })).nack).toBe(0);
  const second = b.spawn(() => a.byte({ data: 0x11, stop: condition === "stop" ? 1 : 0 }));
  let taken = second;
  if (condition === "start") {
    expect((await second).lost).toBe(0);
    taken = b.spawn(() => a.byte({ start: 1, data: 2 * SLAVE }));
  }
  // Two bytes of nine clocks each; the next high is the condition's.
  await b.until(() => rises === 19);
  await b.cycles(8);
  expect(io.scl.value).toBe(1);
  io.sclPull.value = 1;
  expect((await taken).lost, `a ${condition} that another one's low forestalls`).toBe(1);
  await b.cycles(2);
  expect([io.pulled.value & 3, io.busyA.value]).toEqual([0, 1]);
  // The rest of the other one's byte, and a clock for its stop; then the bus is ours again.
  io.sdaPull.value = 1;
  for (let i = 0; i < 9; i++) {
    io.sclPull.value = 1;
    await b.cycles(100);
    expect(io.pulled.value & 3).toBe(0);
    io.sclPull.value = 0;
    await b.cycles(20);
  }
  io.sdaPull.value = 0;
  expect(await a.message(SLAVE, { write: [0x22], stop: true })).toEqual([]);
}

/** A message to another slave, which takes it: our address among its bytes is a byte like others. */
async function another(b: World): Promise<void> {
  const { received } = settle(b, { divisors: [7, 7] }),
    { io } = b;
  let falls = 0,
    was = 1;
  b.onEdge({
    sample: () => {
      if (was === 1 && io.scl.value === 0) falls++;
      was = io.scl.value;
    },
    // The ninth bit of each byte is the other one's acknowledge; the first fall is that of the start.
    drive: () => {
      io.sdaPull.value = falls > 0 && falls % 9 === 0 ? 1 : 0;
    },
  });
  expect(await new Master(b, "A").message(SLAVE ^ 1, { write: [2 * SLAVE, 0x77], stop: true })).toEqual([]);
  await b.cycles(200);
  expect([received.received.length, io.active.value], "bytes, and whether it is spoken to").toEqual([0, 0]);
}

/** Bytes without a start on a free bus, one after the other: each has its reply, however late that is taken. */
async function strayBytes(b: World): Promise<void> {
  settle(b, { divisors: [7, 7] });
  const a = new Master(b, "A", [never, bernoulli(0.9, 4)]);
  await b.cycles(100);
  for (let i = 0; i < 12; i++) a.command.send({ start: 0, stop: 0, read: 0, nack: 0, data: i });
  await b.until(() => a.command.pending === 0);
  await b.cycles(200);
  expect(a.reply.received.map(r => r.value.lost)).toEqual(Array.from({ length: 12 }, () => 1));
}

async function cutOff(b: World): Promise<void> {
  for (const after of [10, 90, 333, 420]) {
    const start = { start: 1, stop: 0, read: 0, nack: 0, data: 2 * SLAVE };
    b.io.divisorA.value = 7;
    b.io.divisorB.value = 7;
    b.io.address.value = SLAVE;
    expect(await offer(b, b.io.commandA, start, 100)).toBe(true);
    await b.cycles(after);
    b.sim.reset(1);
    b.sim.settle();
    expect([b.io.pulled.value, b.io.busyA.value, b.io.replyA.valid.value]).toEqual([0, 0, 0]);
    await b.cycles(60);
  }
  await oneMaster(b, { divisors: [7, 7] }, 4);
}

const pauses = (p: number, seed: number): readonly [Pause, Pause] => [bernoulli(p, seed), bernoulli(p, seed + 1)];
describe("I2C", () => {
  bench(
    "one master: writes, reads, repeated starts, addresses of nobody; all times as told",
    dut,
    { hangCycles: 5000 },
    async b => {
      // From each byte's eighth fall of the clock to its word to the slave's side.
      const latencies: number[] = [];
      let fell = 0,
        high = 1;
      b.onEdge({
        sample: cycle => {
          if (b.io.received.valid.value === 1) latencies.push(cycle - fell);
          if (high === 1 && b.io.scl.value === 0) fell = cycle;
          high = b.io.scl.value;
        },
      });
      const { reader } = await oneMaster(b, { divisors: [9, 9] }, 12);
      expect(latencies.length).toBeGreaterThan(5);
      // 5 to 6: the lines change with the clock here, so always the same.
      expect([...new Set(latencies)]).toEqual([5]);
      const quarter = 10,
        t = reader.times;
      expect(t.low).toBeGreaterThanOrEqual(2 * quarter);
      expect(t.high).toBeGreaterThanOrEqual(2 * quarter);
      expect(t.startSetup).toBeGreaterThanOrEqual(2 * quarter);
      expect(t.startHold).toBeGreaterThanOrEqual(2 * quarter);
      expect(t.stopSetup).toBeGreaterThanOrEqual(2 * quarter);
      expect(t.free).toBeGreaterThanOrEqual(4 * quarter);
      expect(t.dataSetup).toBeGreaterThanOrEqual(6);
    },
  );
  bench("a slave that is slow both ways holds the clock", dut, { hangCycles: 5000 }, async b => {
    const { stretched, reader } = await oneMaster(b, {
      divisors: [6, 9],
      slave: pauses(0.997, 3),
      masters: pauses(0.9, 5),
    });
    expect(stretched).toBeGreaterThan(20);
    expect(reader.times.dataSetup).toBeGreaterThanOrEqual(6);
  });
  bench("a period of nine bits for a byte, one more for each condition", dut, { hangCycles: 5000 }, async b => {
    settle(b, { divisors: [19, 19] });
    const a = new Master(b, "A");
    await b.cycles(200);
    const at: number[] = [];
    const commands = [
      { start: 1, data: 2 * SLAVE },
      { data: 0x0f },
      { start: 1, data: 2 * SLAVE },
      { data: 0xf0, stop: 1 },
    ] as const;
    for (const c of commands) {
      const from = b.cycle;
      await a.byte(c);
      at.push((b.cycle - from) / 80);
    }
    // A rise of the clock is seen 4 cycles after it: a twentieth of this period.
    const rise = 1.05;
    expect(at[0], "a start").toBeCloseTo(9 * rise + 0.5, 1);
    expect(at[1], "a byte").toBeCloseTo(9 * rise, 1);
    expect(at[2], "a repeated start").toBeCloseTo(10 * rise + 0.5, 1);
    expect(at[3], "a stop").toBeCloseTo(10 * rise + 0.5, 1);
  });
  bench("disturbances of one cycle are not seen", dut, { hangCycles: 5000 }, async b => {
    await oneMaster(b, { divisors: [7, 7], glitches: true }, 8);
  });
  for (const [what, divisors, p] of [
    ["equal clocks", [7, 7], 0],
    ["one clock twice as fast", [6, 13], 0],
    ["everything stalls", [7, 9], 0.95],
  ] as const)
    bench(
      `two masters, ${what}: who loses lets go, and nothing is lost`,
      dut,
      { hangCycles: 20_000, limitCycles: 400_000 },
      b => twoMasters(b, { divisors, slave: pauses(p, 11), masters: p === 0 ? [never, never] : pauses(p, 21) }),
    );
  bench("another device holds the clock, wins the bus, and ends its message", dut, { hangCycles: 5000 }, disturbed);
  bench("a message to another slave has our address in it", dut, { hangCycles: 5000 }, another);
  for (const condition of ["start", "stop"] as const)
    bench(`another device takes the bus before a ${condition} condition`, dut, { hangCycles: 5000 }, b =>
      takenBefore(b, condition),
    );
  bench("bytes without a start have a reply each", dut, { hangCycles: 5000 }, strayBytes);
  test.each([
    [
      "slave: it waits for an address after one of another",
      "if (byte_ends & ~mine) phase <= phase_off;",
      "if (byte_ends & ~mine) phase <= phase_address;",
      another,
    ],
    ["master: a byte is taken while a reply waits", "~answer & (", "(", strayBytes],
    [
      "master: it keeps the bus that another one took before its stop",
      /high_cut & \(condition \| beaten\)/,
      "high_cut & beaten",
      (b: World) => takenBefore(b, "stop"),
    ],
  ] as const)("planted fault: %s", (_what, from, to, finds) =>
    findsFault(runBench("one", plant(dut, from, to), { wave: false, hangCycles: 6000 }, finds)),
  );
  bench("reset in the middle of a message lets go of both lines", dut, { hangCycles: 5000 }, cutOff);

  test.each([
    ["master: a lost bit is not seen", /wire beaten = [^;]*;/, "wire beaten = 1'b0;"],
    ["master: the clock is not waited for", "phase_rise: if (scl_level) phase", "phase_rise: phase"],
    ["master: an address of nobody goes on", /asked_stop \| \(sampled & ~asked_read\)/, "asked_stop"],
    ["master: another one's low is not followed", /over \| ~scl_level/, "over"],
    ["master: the bus is taken while it is busy", /busy_q \| ~scl_level \| ~sda_level/, "~scl_level | ~sda_level"],
    [
      "master: who loses keeps the clock low",
      /if \(rst\) scl_low_held <= 1'b0;/,
      "if (rst) scl_low_held <= 1'b0; else if (lose) scl_low_held <= 1'b1;",
    ],
    ["slave: it answers to every address", /shift\[7:1\] == address/, "1'b1"],
    ["slave: it does not wait for room", /~full \| received_ready/, "1'b1"],
    ["slave: it sends what is not there", /assign to_send_ready = ([^;]*);/, "assign to_send_ready = $1 & 1'b0;"],
    ["slave: it goes on after the last byte", /shift\[0\]\) phase <= phase_off/, "1'b0) phase <= phase_off"],
    ["slave: the first byte is not marked", "first <= 1'b1", "first <= 1'b0"],
    ["slave: the clock is let go at once", /settling <= 3'd6/, "settling <= 3'd0"],
    ["both: a glitch filter without a majority", /wire sda_level = [^;]*;/, "wire sda_level = sda_2 & sda_before;"],
  ] as const)("planted fault: %s", (_what, from, to) => {
    const faulty = plant(dut, from, to),
      o = { wave: false, hangCycles: 6000, limitCycles: 100_000 } as const;
    return findsFault(
      runBench("one", faulty, o, b => oneMaster(b, { divisors: [6, 9], slave: pauses(0.997, 3), glitches: true }, 8))
        .then(() => runBench("disturbed", faulty, o, disturbed))
        .then(() => runBench("two", faulty, o, b => twoMasters(b, { divisors: [6, 13] }, 4))),
      /./,
    );
  });
});
