import { describe, expect } from "vitest";
import { ClioKv } from "../../../../designs/clio/offloads/kv/index.ts";
import { bench } from "../../../bench.ts";
import { kvParameters, KvRig, traffic } from "./kv-rig.ts";

describe("Clio-KV", () => {
  const p = kvParameters();
  bench("first steps", ClioKv(p), { seed: 1 }, async b => {
    const rig = new KvRig(b, p, { latency: 50 });
    const v = rig.value(100);
    console.log(await rig.alone("read", 5n));
    console.log(await rig.alone("create", 5n, v));
    console.log(await rig.alone("read", 5n));
    expect((await rig.alone("read", 5n)).value).toEqual(v);
    console.log(await rig.alone("update", 5n, rig.value(10)));
    console.log(await rig.alone("delete", 5n));
    await rig.finish();
  });
  bench("random", ClioKv(p), { seed: 2 }, async b => {
    const rig = new KvRig(b, p, { jitter: 30, pause: 0.2 });
    traffic(rig, b.random, 1000);
    await rig.finish();
  });
});
