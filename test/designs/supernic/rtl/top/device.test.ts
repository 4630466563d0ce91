/** The device as a whole: frames on its ports. */
import { describe, expect } from "vitest";
import { driverOf } from "../../../../../designs/supernic/registers/index.ts";
import { queueSizes } from "../../../../../designs/supernic/rtl/port/index.ts";
import { superNic } from "../../../../../designs/supernic/rtl/top/index.ts";
import { dummy } from "../../../../../designs/supernic/rtl/tasks/index.ts";
import { putShims, tableWrite, ternaryWords } from "../../../../../designs/supernic/wire/index.ts";
import { EthernetMac, LiteMaster } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";

const p = {
  ports: 2,
  users: 4,
  contexts: 64,
  cells: 128,
  regions: 2,
  slots: 2,
  branches: 2,
  credits: 16,
  rules: 32,
  macs: 64,
  frameBytes: 1536,
  ...queueSizes(1536),
  linkBytes: 65536,
  pauseCycles: 2_500_000,
  softwareCycles: 250_000,
};
const dut = superNic([[dummy, dummy], [dummy]])(p);

const frame = (dst: number, src: number, length: number): Uint8Array => {
  const f = new Uint8Array(length).map((_, i) => i & 255);
  f.set([2, 0, 0, 0, 0, dst, 2, 0, 0, 0, 0, src, 0x88, 0xb7]);
  return f;
};
describe("SuperNIC", () => {
  bench("frames", dut, { seed: 1 }, async b => {
    const { sim, io } = b;
    const macs = [new EthernetMac(sim, io.rx0, io.tx0), new EthernetMac(sim, io.rx1, io.tx1)];
    const driver = driverOf(new LiteMaster(sim, io), 2);
    await driver.configure({
      mac: 0x020000000099n,
      origin: 1,
      uplink: undefined,
      rings: 0,
      macs: 3n,
      epochCycles: 5000,
      ports: [0, 1, 2].map(() => ({ reliable: false, peer: false, control: false, class: 4, rules: 0 })),
    });
    const list = [1, 2].map(i => ({ value: 0x020000000000n + BigInt(i), mask: (1n << 48n) - 1n }));
    const words = ternaryWords(list, 48)
      .flatMap((w, c) => w.map((word, at) => ({ word, at: c * 32 + at })))
      .filter(w => w.word);
    await driver.write([
      ...words.map(w => tableWrite("macWord", w.at, { word: w.word })),
      tableWrite("macEntry", 0, { port: 0 }),
      tableWrite("macEntry", 1, { port: 1 }),
      tableWrite("user", 1, { class: 1, contexts: 40, cells: 100 }),
      tableWrite("uid", 5, { valid: 1, generation: 0, dag: 3, user: 1, allowed: 1, here: 1 }),
      tableWrite("chain", 0, { regions: 1, group: 0 }),
      tableWrite("dagStage", 3 * 8, { last: 1, valid0: 1, chain0: 0, run0: 3 }),
      tableWrite("slot", 0, { limit: 16, busyAt: 3 }),
      tableWrite("slot", 1, { limit: 16, busyAt: 3 }),
      tableWrite("dag", 3, { way: 1, port: 1 }),
    ]);
    console.log("configured", b.cycle);
    macs[0]?.send(frame(2, 1, 60), 0);
    macs[0]?.send(frame(2, 1, 700), 0);
    const snic = { version: 1, kind: 1, ttl: 4, stage: 0, uid: 5, origin: 0, ingress: 0, unused: 0, unprocessed: 0 };
    macs[0]?.send(putShims(frame(2, 1, 60), { snic }), 0);
    macs[0]?.send(putShims(frame(2, 1, 1000), { snic }), 0);
    await b.cycles(2600);
    for (let f = macs[1]?.take(); f; f = macs[1]?.take())
      console.log(JSON.stringify({ ...f, bytes: undefined, l: (f as any).bytes?.length ?? (f as any).frame?.length }));
    for (let i = 0; i < 45; i++) {
      const c = await driver.counter(i);
      if (c) console.log("port0", i, c);
    }
    for (let i = 0; i < 14; i++) {
      const c = await driver.counter(3 * 256 + i);
      if (c) console.log("mid", i, c);
    }
    expect(await driver.registers.read("freeContexts")).toBe(64);
  });
});
