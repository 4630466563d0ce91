import { describe, expect, test } from "vitest";
import { type CounterName, counterNames, makeSettings } from "../../../../../designs/clio/config/index.ts";
import {
  counterAddress,
  type FieldName,
  fieldPlace,
  matAddress,
  matBase,
  matEntryFields,
  type MatEntryValues,
  matWord,
  matWords,
  registerAddressBits,
  registersOf,
  resetValues,
} from "../../../../../designs/clio/registers/index.ts";
import { axiResponse, byName, extractField, insertField, isWritable } from "../../../../../hdl-dsl/index.ts";
import { Control } from "../../../../../designs/clio/rtl/dispatch/control.ts";
import {
  type Bench,
  bernoulli,
  never,
  type Pause,
  poke,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { offer } from "../../../../support/offer.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const reset = resetValues(makeSettings());
const registerMap = registersOf(reset);
const dut = Control({ reset });
type Ports = typeof dut.ports;

/** An AXI4-Lite master. */
function master(b: Bench<Ports>, pause: () => Pause = () => never) {
  const aw = new StreamSource(b.sim, b.io.sAw, { pause: pause() }),
    w = new StreamSource(b.sim, b.io.sW, { pause: pause() }),
    written = new StreamSink(b.sim, b.io.sB, { pause: pause() });
  const ar = new StreamSource(b.sim, b.io.sAr, { pause: pause() }),
    r = new StreamSink(b.sim, b.io.sR, { pause: pause() });
  return {
    aw,
    w,
    ar,
    written,
    r,
    post(addr: number, data: number, strb = 15) {
      return [aw.send({ addr, prot: 0 }), w.send({ data: data >>> 0, strb })] as const;
    },
    ask(addr: number) {
      return ar.send({ addr, prot: 0 });
    },
    async write(addr: number, data: number, strb = 15) {
      this.post(addr, data, strb);
      return (await written.recv()).resp;
    },
    async read(addr: number) {
      this.ask(addr);
      return r.recv();
    },
    async counter(name: CounterName) {
      const low = await this.read(counterAddress(name)),
        high = await this.read(counterAddress(name) + 4);
      return (BigInt(high.data) << 32n) | BigInt(low.data);
    },
  };
}
const quiet = (b: Bench<Ports>): void => {
  poke(
    b.io.events,
    byName(counterNames, () => 0),
  );
  poke(b.io.matEntry, { action: 0, write: 0, silent: 0, operation: 0, replyOpcode: 0 });
  b.io.freePages.value = 0;
};

/** The registers as plain numbers. */
class Reference {
  readonly words = new Map(
    registerMap.map(r => [
      r.address,
      r.fields.reduce((word, f) => insertField(f, word, (reset as Readonly<Record<string, number>>)[f.name] ?? 0), 0),
    ]),
  );
  private mapped(at: number): boolean {
    return (
      this.words.has(at) ||
      (at >= counterAddress("rxFrames") && at < counterAddress("rxFrames") + 8 * counterNames.length) ||
      (at >= matBase && at < matBase + 4 * matWords)
    );
  }
  write(address: number, data: number, strb: number): number {
    const at = address & ~3,
      register = registerMap.find(r => r.address === at);
    if (!this.mapped(at)) return axiResponse.DECERR;
    if (at >= matBase) return (strb & 3) === 3 ? axiResponse.OKAY : axiResponse.SLVERR;
    if (register === undefined || !isWritable(register)) return axiResponse.SLVERR;
    const old = this.words.get(at) as number;
    let mask = 0;
    for (let i = 0; i < 4; i++) if ((strb >> i) & 1) mask |= 0xff << (8 * i);
    let word = old;
    for (const f of register.fields.filter(x => x.kind === "rw"))
      word = insertField(f, word, extractField(f, (old & ~mask) | (data & mask)));
    this.words.set(at, word);
    return axiResponse.OKAY;
  }
  read(address: number): { data: number; resp: number } | undefined {
    const at = address & ~3;
    if (this.words.has(at)) return { data: (this.words.get(at) as number) >>> 0, resp: axiResponse.OKAY };
    return this.mapped(at) ? undefined : { data: 0, resp: axiResponse.DECERR };
  }
  field(name: FieldName): number {
    const { register, field } = fieldPlace(name);
    return extractField(field, this.words.get(register.address) as number);
  }
}

/**
 * Random writes and reads, one after another on each channel; writes and reads of one register never
 * under way together.
 */
async function randomAccess(b: Bench<Ports>, n: number, pause: () => Pause = () => never): Promise<void> {
  quiet(b);
  const m = master(b, pause),
    reference = new Reference();
  const entries: { opcode: number; entry: MatEntryValues }[] = [],
    wanted: typeof entries = [];
  b.onEdge({
    sample: () => {
      if (!b.io.matWrite.en.value) return;
      const e = b.io.matWrite.entry;
      entries.push({
        opcode: b.io.matWrite.opcode.value,
        entry: {
          action: e.action.value,
          write: e.write.value,
          silent: e.silent.value,
          operation: e.operation.value,
          replyOpcode: e.replyOpcode.value,
        },
      });
    },
  });
  const addresses = [
    ...registerMap.map(r => r.address),
    ...registerMap.filter(isWritable).flatMap(r => [r.address, r.address + 1]),
    0x100,
    0x03c,
    0x3fc,
    matBase,
    matBase + 4 * 255,
    matBase + 4 * matWords,
    2 ** registerAddressBits - 4,
    counterAddress("malformed"),
  ];
  for (let i = 0; i < n; i++) {
    const address = b.random.chance(0.2) ? b.random.between(0, 2 ** registerAddressBits - 1) : b.random.pick(addresses);
    const data = Number(b.random.bits(32)),
      strb = b.random.chance(0.6) ? 15 : b.random.between(0, 15);
    const answer = reference.write(address, data, strb);
    expect(await m.write(address, data, strb), `answer to the write at 0x${address.toString(16)} strobes ${strb}`).toBe(
      answer,
    );
    if (address >= matBase && answer === axiResponse.OKAY) {
      const field = (f: { lsb: number; width: number }): number => (data >>> f.lsb) & (2 ** f.width - 1);
      wanted.push({
        opcode: (address - matBase) >> 2,
        entry: {
          action: field(matEntryFields.action),
          write: field(matEntryFields.write),
          silent: field(matEntryFields.silent),
          operation: field(matEntryFields.operation),
          replyOpcode: field(matEntryFields.replyOpcode),
        },
      });
    }
    const at = b.random.pick([address, b.random.pick(addresses)]),
      should = reference.read(at),
      got = await m.read(at);
    if (should !== undefined) expect(got, `read at 0x${at.toString(16)}`).toEqual(should);
  }
  await b.cycles(3);
  expect(entries).toEqual(wanted);
  expectTold(b, reference);
}

/** What the other blocks are told is what was written. */
function expectTold(b: Bench<Ports>, reference: Reference): void {
  const pair = (high: FieldName, low: FieldName): bigint =>
    (BigInt(reference.field(high) >>> 0) << 32n) | BigInt(reference.field(low) >>> 0);
  const config = b.io.config;
  expect([
    BigInt(config.mac.value),
    config.ip.value,
    config.nativePort.value,
    config.clientPort.value,
    config.acceptAnyMac.value,
    b.io.outOfMemory.value,
  ]).toEqual([
    pair("macHigh", "macLow"),
    reference.field("ip"),
    reference.field("nativePort"),
    reference.field("clientPort"),
    reference.field("acceptAnyMac"),
    reference.field("outOfMemory"),
  ]);
  expect(b.io.hashKey.value, "the hash key").toBe(pair("hashKeyHigh", "hashKeyLow"));
  const { hold, patience, limit, secret, process } = b.io.offloadControl;
  expect([secret.value, hold.value, patience.value, limit.value]).toEqual([
    pair("offloadSecretHigh", "offloadSecretLow"),
    reference.field("offloadReset"),
    reference.field("offloadPatience"),
    reference.field("offloadLimit"),
  ]);
  expect([process.pid.value, process.exists.value, process.forget.value, process.seen.value]).toEqual([
    reference.field("offloadProcessPid"),
    reference.field("offloadProcessExists"),
    reference.field("offloadProcessForget"),
    reference.field("offloadProcessSeen"),
  ]);
  b.io.rules.forEach((r, i) => {
    const name = (what: "Pid" | "Action" | "Valid"): FieldName => `rule${i as 0 | 1 | 2 | 3}${what}`;
    expect([r.pid.value, r.action.value, r.valid.value]).toEqual([
      reference.field(name("Pid")),
      reference.field(name("Action")),
      reference.field(name("Valid")),
    ]);
  });
}

/** Random increments on every counter, several at once; then every counter has to tell their sum. */
async function randomEvents(b: Bench<Ports>, cycles: number): Promise<void> {
  quiet(b);
  const sums = new Map<CounterName, bigint>(counterNames.map(n => [n, 0n]));
  let running = true;
  b.onEdge({
    sample: () => {
      for (const n of counterNames) sums.set(n, (sums.get(n) as bigint) + BigInt(b.io.events[n].value));
    },
    drive: () => {
      for (const n of counterNames)
        b.io.events[n].value = running && b.random.chance(0.7) ? b.random.between(0, 2 ** b.io.events[n].width - 1) : 0;
    },
  });
  await b.cycles(cycles);
  running = false;
  await b.cycles(counterNames.length + 4);
  const m = master(b);
  for (const n of counterNames) expect(await m.counter(n), n).toBe(sums.get(n));
}

describe("Control", () => {
  bench("registers after reset are the configuration's", dut, {}, async b => {
    quiet(b);
    const m = master(b),
      reference = new Reference();
    for (const r of registerMap) expect(await m.read(r.address), r.name).toEqual(reference.read(r.address));
    expect((await m.read(0)).data).toBe(Buffer.from("CLIO").readUInt32LE());
  });
  bench("random accesses, aligned and not, mapped and not, with any strobes", dut, { seed: 4 }, async b => {
    await randomAccess(b, 600);
  });
  bench("random accesses under back-pressure", dut, { seed: 5 }, async b => {
    let seed = 9;
    await randomAccess(b, 300, () => bernoulli(0.5, ++seed));
  });
  bench(
    "address and data of a write may come in either order; two cycles of latency, one access per cycle",
    dut,
    {},
    async b => {
      quiet(b);
      const m = master(b),
        { address } = fieldPlace("ip").register;
      m.aw.send({ addr: address, prot: 0 });
      await b.cycles(9);
      expect(m.written.received).toEqual([]);
      const data = m.w.send({ data: 77, strb: 15 });
      await m.written.recv().then(() => expect(b.io.config.ip.value).toBe(77));
      const later = m.w.send({ data: 78, strb: 15 });
      await b.cycles(9);
      m.aw.send({ addr: address, prot: 0 });
      await m.written.recv();
      expect([data.cycle, later.cycle].every(c => c !== undefined)).toBe(true);
      const asked = Array.from({ length: 20 }, () => m.ask(address)),
        posted = Array.from({ length: 20 }, (_, i) => m.post(address, i));
      await b.until(() => m.r.received.length === 20 && m.written.received.length === 20);
      expect(m.r.received.map(x => x.cycle)).toEqual(asked.map(a => (a.cycle as number) + 2));
      expect(m.written.received.map(x => x.cycle)).toEqual(posted.map(([a]) => (a.cycle as number) + 2));
      expect((asked.at(-1)?.cycle as number) - (asked[0]?.cycle as number)).toBe(19);
    },
  );
  bench("the match-and-action table can be read and written word by word", dut, {}, async b => {
    quiet(b);
    const m = master(b),
      entry = { action: 5, write: 1, silent: 0, operation: 3, replyOpcode: 0xa7 };
    poke(b.io.matEntry, entry);
    m.ask(matAddress(0x9c));
    await b.until(() => b.io.matOpcode.value === 0x9c);
    expect(await m.r.recv()).toEqual({ data: matWord(entry), resp: 0 });
    b.io.freePages.value = 55;
    expect(await m.read(fieldPlace("freePages").register.address)).toEqual({ data: 55, resp: 0 });
  });
  bench("counters add up whatever comes at once", dut, { seed: 6 }, async b => {
    await randomEvents(b, 3000);
  });
  bench(
    "counters pass 2^32, and the high word belongs to the low word that was read",
    dut,
    { limitCycles: 2_000_000 },
    async b => {
      quiet(b);
      const most = 2 ** b.io.events.readBytes.width - 1,
        cycles = Math.ceil(2 ** 32 / most) - 1;
      b.io.events.readBytes.value = most;
      await b.cycles(cycles);
      b.io.events.readBytes.value = 0;
      await b.cycles(counterNames.length + 4);
      const m = master(b),
        total = BigInt(most) * BigInt(cycles);
      const low = await m.read(counterAddress("readBytes"));
      expect(BigInt(low.data)).toBe(total);
      b.io.events.readBytes.value = most;
      await b.cycles(2);
      b.io.events.readBytes.value = 0;
      await b.cycles(counterNames.length + 4);
      expect((await m.read(counterAddress("readBytes") + 4)).data).toBe(0);
      expect(await m.counter("readBytes")).toBe(total + 2n * BigInt(most));
      expect(total + 2n * BigInt(most) >= 2n ** 32n).toBe(true);
    },
  );
  testOfResets(dut, { beside: { mat_opcode: "" } }, b => randomAccess(b, 200, () => bernoulli(0.3, b.random.word())));
  testOfResets(dut, { beside: { mat_opcode: "" } }, b => randomEvents(b, 500));
  bench("a reset clears counters and registers, in the middle of an access too", dut, {}, async b => {
    quiet(b);
    poke(
      b.io.events,
      byName(counterNames, () => 3),
    );
    await b.cycles(300);
    await offer(b, b.io.sAw, { addr: fieldPlace("ip").register.address, prot: 0 });
    await offer(b, b.io.sAr, { addr: 0, prot: 0 });
    quiet(b);
    b.sim.reset();
    const m = master(b);
    // At once, while the words are being cleared one after another, and afterwards.
    for (const n of counterNames) expect(await m.counter(n), n).toBe(0n);
    await b.cycles(2 * counterNames.length);
    for (const n of counterNames) expect(await m.counter(n), n).toBe(0n);
    expect((await m.read(fieldPlace("ip").register.address)).data).toBe(makeSettings().runtime.ip);
    expect(m.r.received.length + m.written.received.length).toBe(0);
  });

  describe("a planted fault is found", () => {
    const accesses: readonly (readonly [string, string | RegExp, string])[] = [
      ["strobes ignored", /order_data_held_strb <= [^;]*;/, "order_data_held_strb <= 4'hf;"],
      ["a write to what only reads answered OKAY", "2'd2", "2'd0"],
      ["the hash key's halves exchanged", /(?<=hash_key = )\{(\w+), (\w+)\}/, "{$2, $1}"],
      ["the secret's halves exchanged", /(?<=control_secret = )\{(\w+), (\w+)\}/, "{$2, $1}"],
    ];
    for (const [name, from, to] of accesses) {
      test(name, async () => {
        await findsFault(runBench(name, plant(dut, from, to), { wave: false }, b => randomAccess(b, 300)));
      });
    }
    const counts: readonly (readonly [string, string | RegExp, string])[] = [
      ["an event lost in the cycle that a counter is added", /\{6'd0, events_reads\} : /, "8'd0 : "],
      ["too little room for what gathers", /pending_read_bytes \+ /, "(pending_read_bytes & 22'h1ffff) + "],
    ];
    for (const [name, from, to] of counts) {
      test(name, async () => {
        await findsFault(runBench(name, plant(dut, from, to), { wave: false }, b => randomEvents(b, 2000)));
      });
    }
  });
});
