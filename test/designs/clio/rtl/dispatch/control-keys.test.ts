/** Control in a build with keys of processes: a key goes out once, whole, with its process, as the order is written. */
import { describe, expect, test } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { fieldPlace, resetValues } from "../../../../../designs/clio/registers/index.ts";
import { Control } from "../../../../../designs/clio/rtl/dispatch/control.ts";
import { type Bench, LiteMaster, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const dut = Control({ reset: resetValues(makeSettings({ processKeys: 1024 })) });
type Ports = typeof dut.ports;
const at = (name: Parameters<typeof fieldPlace>[0]): number => fieldPlace(name).register.address;
interface Order {
  readonly pid: number;
  readonly key: bigint;
}

/** Keys given at random between writes to other registers; reset in the middle of some. */
async function orders(b: Bench<Ports>, rounds: number): Promise<void> {
  const lite = new LiteMaster(b.sim, b.io),
    { random } = b,
    seen: Order[] = [],
    wanted: Order[] = [];
  b.onEdge({
    sample: () => {
      const o = b.io.keyOrder;
      if (o.write.value) seen.push({ pid: o.pid.value, key: o.key.value });
    },
  });
  let [low, high] = [0, 0];
  for (let i = 0; i < rounds; i++) {
    if (random.chance(0.7)) await lite.write(at("processKeyLow"), (low = Number(random.bits(32))));
    if (random.chance(0.7)) await lite.write(at("processKeyHigh"), (high = Number(random.bits(32))));
    if (random.chance(0.5))
      await lite.write(at(random.pick(["ip", "hashKeyLow", "offloadProcessPid"])), Number(random.bits(32)));
    if (random.chance(0.05)) {
      b.sim.reset();
      [low, high] = [0, 0];
    }
    const pid = random.below(1 << 16);
    await lite.write(at("processKeyPid"), pid);
    wanted.push({ pid, key: (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0) });
    await b.cycles(random.below(3));
  }
  await b.cycles(4);
  expect(seen).toEqual(wanted);
}

describe("Control with keys", () => {
  bench("every order goes out once, with the key as written", dut, { seed: 2 }, b => orders(b, 200));
  testOfResets(dut, {}, b => orders(b, 60));
  bench("the table's size and whether it is cleared can be read", dut, {}, async b => {
    const lite = new LiteMaster(b.sim, b.io);
    b.io.keysClearing.value = 1;
    expect(await lite.read(at("processKeyCount"))).toBe(0x80000400);
    b.io.keysClearing.value = 0;
    expect(await lite.read(at("processKeyCount"))).toBe(1024);
  });
  test.each<[string, string | RegExp, string]>([
    ["an order with each write", /key_given <= [^;]*;/, "key_given <= 1'b1;"],
    ["the upper half of the last key", /key_order_key = \{[^;]*\};/, "key_order_key = {32'd0, process_key_low_kept};"],
    ["the halves exchanged", /key_order_key = \{(.*), (.*)\};/, "key_order_key = {$2, $1};"],
    [
      "the order a cycle early",
      "key_order_write = key_given;",
      "key_order_write = key_given | s_aw_valid & s_aw_ready;",
    ],
  ])("planted fault: %s", async (name, from, to) => {
    await findsFault(runBench(name, plant(dut, from, to), { wave: false }, b => orders(b, 60)));
  });
});
