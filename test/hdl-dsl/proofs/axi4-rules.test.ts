/**
 * The rules of AXI4 as properties, each broken once: a module that only looks at a bus, and a script of what goes over
 * it. What the side that is proved owes is an assertion, what the other owes an assumption; the simulator checks both.
 */
import { describe, expect, it } from "vitest";
import {
  axi4MasterObeys,
  axi4SlaveObeys,
  bit,
  type Bit,
  type Fields,
  input,
  module,
  struct,
  uint,
} from "../../../hdl-dsl/index.ts";
import { type Bench, builtinBackend, poke, runBench } from "../../../sim/index.ts";

const BEAT_BYTES = 8;
/** Every wire of a channel, as seen by one who only looks. */
const channel = <F extends Fields>(fields: F) => struct({ valid: bit, ready: bit, payload: struct(fields) });
const address = channel({ addr: uint(13), id: uint(1), len: uint(8), size: uint(3), burst: uint(2) });
const rules = { beatBytes: BEAT_BYTES, outstanding: 4, name: "bus" };

/** A bus of which every wire is given. */
const Watch = module(
  "AxiWatch",
  (p: { readonly proved: "master" | "slave" }) => {
    void p;
    return {
      aw: input(address),
      ar: input(address),
      w: input(channel({ data: uint(64), strb: uint(8), last: bit })),
      b: input(channel({ id: uint(1), resp: uint(2) })),
      r: input(channel({ data: uint(64), id: uint(1), resp: uint(2), last: bit })),
    };
  },
  (io, p) => {
    const seen = <C extends { readonly valid: Bit; readonly ready: Bit; readonly payload: unknown }>(c: C) => ({
      valid: c.valid,
      ready: c.ready,
      payload: c.payload as C["payload"],
      fire: c.valid.and(c.ready),
    });
    const bus = { aw: seen(io.aw), w: seen(io.w), b: seen(io.b), ar: seen(io.ar), r: seen(io.r) };
    if (p.proved === "slave") axi4SlaveObeys(bus, rules);
    else axi4MasterObeys(bus, { ...rules, apart: { cycles: 4 } });
  },
  { nameOf: p => `AxiWatch_${p.proved}` },
);
const duts = { master: Watch({ proved: "master" }), slave: Watch({ proved: "slave" }) };
type Ports = (typeof duts)["master"]["ports"];

type Values = Readonly<Record<string, number>>;
/** One cycle: the channels that are not idle. `ready` is 1 unless said otherwise. */
type Cycle = Readonly<Partial<Record<"aw" | "w" | "b" | "ar" | "r", Values>>>;
const a = (f: Values = {}): Values => ({ valid: 1, addr: 0, id: 0, len: 0, size: 3, burst: 1, ...f });
const w = (f: Values = {}): Values => ({ valid: 1, data: 0, strb: 255, last: 1, ...f });
const b = (f: Values = {}): Values => ({ valid: 1, id: 0, resp: 0, ...f });
const r = (f: Values = {}): Values => ({ valid: 1, data: 0, id: 0, resp: 0, last: 1, ...f });
const idle: Cycle = {};

async function play(bench: Bench<Ports>, script: readonly Cycle[]): Promise<void> {
  for (const cycle of [...script, idle, idle])
    for (const name of ["aw", "w", "b", "ar", "r"] as const) {
      const { valid = 0, ready = 1, ...payload } = cycle[name] ?? {};
      const none = Object.fromEntries(Object.keys(bench.io[name].payload).map(f => [f, 0]));
      poke(bench.io[name] as never, { valid, ready, payload: { ...none, ...payload } } as never);
      if (name === "r") await bench.risingEdge();
    }
}
const run = (proved: "master" | "slave", script: readonly Cycle[]): Promise<void> =>
  runBench("rules", duts[proved], { wave: false, backend: builtinBackend }, b => play(b, script));

const legal: Readonly<Record<string, readonly Cycle[]>> = {
  "a write, address first": [{ aw: a() }, { w: w() }, { b: b() }],
  "a write, data first": [{ w: w(), aw: a({ ready: 0 }) }, { aw: a() }, { b: b() }],
  "a write, both together, and the next at once": [{ aw: a(), w: w() }, { aw: a(), w: w(), b: b() }, { b: b() }],
  "a burst with its address between its beats": [{ w: w({ last: 0 }) }, { aw: a({ len: 1 }), w: w() }, { b: b() }],
  "two whole bursts before their addresses": [
    { w: w() },
    { w: w() },
    { aw: a() },
    { aw: a({ id: 1 }) },
    { b: b({ id: 1 }) },
    { b: b() },
  ],
  "answers across IDs out of order": [
    { aw: a(), w: w() },
    { aw: a({ id: 1 }), w: w() },
    { b: b({ id: 1 }) },
    { b: b() },
  ],
  "read beats of two IDs mixed": [
    { ar: a({ len: 1 }) },
    { ar: a({ id: 1, len: 1 }) },
    { r: r({ id: 1, last: 0 }) },
    { r: r({ last: 0 }) },
    { r: r() },
    { r: r({ id: 1 }) },
  ],
  "a stall of each channel": [
    { aw: a({ ready: 0 }), w: w({ ready: 0 }), ar: a({ ready: 0 }) },
    { aw: a(), w: w(), ar: a() },
    { b: b({ ready: 0 }), r: r({ ready: 0 }) },
    { b: b(), r: r() },
  ],
  "4 KB, to the byte": [{ ar: a({ addr: 2048, len: 255 }) }],
  "a WRAP over 4 KB stays inside": [{ ar: a({ addr: 4088, len: 3, burst: 2 }) }],
  errors: [{ ar: a() }, { r: r({ resp: 2 }) }, { ar: a() }, { r: r({ resp: 3 }) }],
};

/** Each breach with who owes the rule and what is said. */
const breaches: Readonly<Record<string, readonly ["master" | "slave", RegExp, readonly Cycle[]]>> = {
  "AWVALID falls before ready": ["master", /bus_aw: valid stays/, [{ aw: a({ ready: 0 }) }, idle]],
  "AWADDR changes while it waits": ["master", /bus_aw: valid stays/, [{ aw: a({ ready: 0 }) }, { aw: a({ addr: 8 }) }]],
  "WDATA changes while it waits": [
    "master",
    /bus_w: valid stays/,
    [{ aw: a(), w: w({ ready: 0 }) }, { w: w({ data: 1 }) }],
  ],
  "ARVALID falls before ready": ["master", /bus_ar: valid stays/, [{ ar: a({ ready: 0 }) }, idle]],
  "BVALID falls before ready": ["slave", /bus_b: valid stays/, [{ aw: a(), w: w() }, { b: b({ ready: 0 }) }, idle]],
  "RDATA changes while it waits": [
    "slave",
    /bus_r: valid stays/,
    [{ ar: a() }, { r: r({ ready: 0 }) }, { r: r({ data: 1 }) }],
  ],
  "a burst over 4 KB": ["master", /ar: no burst crosses 4 KB/, [{ ar: a({ addr: 4088, len: 1 }) }]],
  "a narrow burst over 4 KB": ["master", /aw: no burst crosses 4 KB/, [{ aw: a({ addr: 4092, len: 4, size: 0 }) }]],
  "an unaligned burst over 4 KB": ["master", /ar: no burst crosses 4 KB/, [{ ar: a({ addr: 4089, len: 1 }) }]],
  "a beat wider than the bus": ["master", /aw: no beat is wider/, [{ aw: a({ size: 4 }) }]],
  "the reserved burst type": ["master", /ar: burst type 3/, [{ ar: a({ burst: 3 }) }]],
  "a FIXED burst of 17": ["master", /ar: a FIXED burst/, [{ ar: a({ burst: 0, len: 16 }) }]],
  "a WRAP of 3": ["master", /ar: a WRAP burst/, [{ ar: a({ burst: 2, len: 2 }) }]],
  "a WRAP off its beat": ["master", /ar: a WRAP burst/, [{ ar: a({ burst: 2, len: 3, addr: 4 }) }]],
  "WLAST too early": ["master", /w: last with the last beat/, [{ aw: a({ len: 1 }) }, { w: w() }]],
  "WLAST too late": ["master", /w: last with the last beat/, [{ aw: a() }, { w: w({ last: 0 }) }]],
  "WLAST beside its address": ["master", /w: last with the last beat/, [{ aw: a({ len: 1, ready: 0 }), w: w() }]],
  "an address shorter than its data before": [
    "master",
    /aw: as long as the data/,
    [{ w: w({ last: 0 }) }, { w: w() }, { aw: a() }],
  ],
  "data that wait until their address is taken": [
    "master",
    /data wait for no address/,
    Array.from({ length: 6 }, () => ({ aw: a({ ready: 0 }) })),
  ],
  "an address that waits until its data are taken": [
    "master",
    /an address waits for no data/,
    Array.from({ length: 6 }, () => ({ w: w({ ready: 0 }) })),
  ],
  "B before the address": ["slave", /b: only for a write/, [{ w: w() }, { b: b() }]],
  "B before the last data": ["slave", /b: only for a write/, [{ aw: a({ len: 1 }), w: w({ last: 0 }) }, { b: b() }]],
  "B of another ID": ["slave", /b: only for a write/, [{ aw: a(), w: w() }, { b: b({ id: 1 }) }]],
  "a second B": ["slave", /b: only for a write/, [{ aw: a(), w: w() }, { b: b() }, { b: b() }]],
  "R before its address": ["slave", /r: a beat only for a read/, [{ r: r() }]],
  "R beside its address": ["slave", /r: a beat only for a read/, [{ ar: a(), r: r() }]],
  "R of another ID": ["slave", /r: a beat only for a read/, [{ ar: a() }, { r: r({ id: 1 }) }]],
  "RLAST too early": ["slave", /r: last with the last beat/, [{ ar: a({ len: 1 }) }, { r: r() }]],
  "RLAST too late": ["slave", /r: last with the last beat/, [{ ar: a() }, { r: r({ last: 0 }) }]],
  "a beat too many": ["slave", /r: a beat only for a read/, [{ ar: a() }, { r: r() }, { r: r() }]],
  "EXOKAY to a write": ["slave", /b: no EXOKAY/, [{ aw: a(), w: w() }, { b: b({ resp: 1 }) }]],
  "EXOKAY to a read": ["slave", /r: no EXOKAY/, [{ ar: a() }, { r: r({ resp: 1 }) }]],
};
describe.each(["master", "slave"] as const)("the %s is proved", proved => {
  it.each(Object.entries(legal))("%s passes", async (_, script) => {
    await run(proved, script);
  });
  it.each(Object.entries(breaches).filter(([n]) => proved === "master" || !/wait/.test(n) || /changes/.test(n)))(
    "%s is found",
    async (_, [who, message, script]) => {
      const failure = await run(proved, script).then(
        () => "nothing is said",
        (e: unknown) => String(e),
      );
      expect(failure).toMatch(message);
      expect(failure).toMatch(who === proved ? /assertion failed/ : /assumption failed/);
    },
  );
});
