/**
 * The extend path around a reference node: several offloads at once, of which one has stopped in the middle of
 * everything and one lies.
 */
import { describe, expect, test } from "vitest";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { clientEndpoint, FrameClient } from "../../../../designs/clio/workload/index.ts";
import { encode } from "../../../../designs/shared/wire/index.ts";
import { faaBody, opcode, status } from "../../../../designs/clio/wire/index.ts";
import { AxisSink, AxisSource, type Bench, bernoulli, bursts, type Dut, runBench } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import {
  type Asked,
  type Call,
  extendDut as dut,
  type ExtendPorts,
  ExtendRig,
  op,
  page,
  parameters,
  type Pauses,
} from "./support/extend-rig.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const add = (n: bigint): Uint8Array => encode(faaBody, { addend: n }).slice(12);
const number = (body: Uint8Array): bigint => new DataView(body.buffer, body.byteOffset).getBigUint64(0, true);

/**
 * Everything at random and at once, by four offloads. One sends READs, WRITEs and refused requests; another sends
 * additions that happen at most once, repeated by their clients. A third has stopped with half a reply and half a
 * memory request given; a fourth answers for others. Frames of the network and of the software are among them. Each
 * answer is compared with its request, and memory with the data to be written.
 */
async function traffic(b: Bench<ExtendPorts>, count: number, rig: ExtendRig): Promise<void> {
  const { random } = b,
    image = random.bytes(2048);
  for (const pid of [1, 2])
    for (const vpn of [1n]) {
      rig.memory.fault(pid, vpn);
      rig.memory.write(pid, vpn, 0, image);
    }
  const checks: (() => void)[] = [],
    stuck: Asked[] = [],
    additions: Asked[][] = [];
  let lie: Asked | undefined,
    written = 8192;
  stuck.push(
    ...Array.from({ length: (3 * parameters.contexts) / 4 }, (_, i) =>
      rig.request(rig.clients[i % 2]!.request(op.half, 1 + (i % 2), random.bytes(random.between(64, 1400)))),
    ),
  );
  const busyOr = (asked: Asked, check: (answer: NonNullable<Asked["answer"]>) => void): void => {
    checks.push(() => {
      if (asked.answer!.status !== status.BUSY) check(asked.answer!);
    });
  };
  const choices: readonly (() => void)[] = [
    () => {
      const at = random.between(0, 1300),
        length = random.between(1, 700),
        pid = random.between(1, 2);
      busyOr(rig.proxy(op.proxy, pid, { opcode: opcode.READ, client: true, va: page + BigInt(at), length }), a =>
        expect(a).toMatchObject({ status: status.OK, body: image.slice(at, at + length) }),
      );
    },
    () => {
      const at = written,
        data = random.bytes(random.between(1, 700)),
        pid = random.between(1, 2),
        call: Call = { opcode: opcode.WRITE, client: true, va: page + BigInt(at), length: data.length, data };
      written += 704;
      const asked = rig.proxy(op.proxy, pid, call);
      checks.push(() => {
        const done = asked.answer!.status === status.OK;
        if (!done) expect(asked.answer!.status).toBe(status.BUSY);
        expect(
          rig.memory.read(pid, 1n, at, data.length),
          `what a WRITE that was ${done ? "done" : "refused"} left`,
        ).toEqual(done ? data : new Uint8Array(data.length));
      });
    },
    () => {
      const [call, code] = random.pick<readonly [Call, number]>([
        [{ opcode: opcode.READ, client: true, va: 0n, length: 8 }, status.INVALID],
        [{ opcode: opcode.READ, client: true, va: page, length: 701 }, status.MALFORMED],
        [{ opcode: opcode.WRITE_NOREPLY, client: true, va: page, length: 1, data: Uint8Array.of(1) }, status.MALFORMED],
        [{ opcode: opcode.FREE_PROC, client: false, va: page, length: 8 }, status.MALFORMED],
      ]);
      busyOr(rig.proxy(op.proxy, random.between(1, 2), call), a => expect(a.status).toBe(code));
    },
    () => {
      const again = additions.length > 0 && random.chance(0.5) ? random.pick(additions) : undefined;
      const asked =
        again === undefined
          ? rig.proxy(op.once, 1, {
              opcode: opcode.ATOMIC_FAA,
              client: true,
              va: page + 4096n,
              length: 8,
              data: add(1n),
            })
          : rig.request(rig.clients[0]!.repeat(again[0]!.frame));
      if (again === undefined) additions.push([asked]);
      else again.push(asked);
    },
    () => {
      const asked = rig.request(rig.clients[0]!.request(op.half, 1, random.bytes(random.between(0, 1400))));
      checks.push(() => expect(asked.answer!.status, "one more for an offload that has stopped").toBe(status.BUSY));
    },
    () => {
      if (lie !== undefined && lie.answer === undefined) return;
      const asked = (lie = rig.request(rig.clients[0]!.request(op.liar, 1)));
      checks.push(() =>
        expect(asked.answer, "what the lying offload says to whom it is to answer").toMatchObject({
          status: status.MALFORMED,
          body: new Uint8Array(),
        }),
      );
    },
    () => rig.other(random.pick(["soc", "socOut", "rx", "tx"] as const)),
  ];
  for (let i = 0; i < count; i++) {
    random.pick(choices)();
    if (random.chance(0.3)) await b.cycles(random.between(1, 60));
  }
  await rig.settled(stuck);
  for (const check of checks) check();
  // Repeated once more at the very end, those that were done are answered as the first time.
  const late = additions
    .filter(tries => tries.some(t => t.answer!.status !== status.BUSY))
    .slice(-8)
    .map(tries => {
      const asked = rig.request(rig.clients[0]!.repeat(tries[0]!.frame));
      tries.push(asked);
      return asked;
    });
  await rig.settled(stuck);
  expect(
    late.map(a => a.answer!.status),
    "repetitions of what is done",
  ).toEqual(late.map(() => status.OK));
  // An addition has happened once, however often it was repeated, and each answer had the same sum.
  const sums = additions.flatMap(tries => {
    const done = tries.map(t => t.answer!).filter(x => x.status !== status.BUSY);
    for (const d of done) expect(d).toMatchObject({ status: status.OK, body: done[0]!.body });
    return done.length > 0 ? [number(done[0]!.body)] : [];
  });
  expect(
    sums.sort((x, y) => Number(x - y)),
    "sums before each addition",
  ).toEqual(sums.map((_, i) => BigInt(i)));
  expect(number(rig.memory.read(1, 1n, 4096, 8)), "the sum of all").toBe(BigInt(sums.length));
  expect(rig.refused.length).toBeGreaterThan(0);
}

const pauses = (seed: number): Pauses => ({
  soc: bernoulli(0.3, seed),
  tx: bernoulli(0.4, seed + 1),
  node: bernoulli(0.3, seed + 2),
  give: bernoulli(0.2, seed + 3),
});
const limits = { limitCycles: 200_000, hangCycles: 3000, wave: false } as const;

describe("the extend path, 64 bytes a beat, four offloads", () => {
  bench("everything at once under random back-pressure", dut, { seed: 1, ...limits }, async b => {
    await traffic(b, 250, new ExtendRig(b, pauses(2)));
  });
  bench("the same without a pause", dut, { seed: 2, ...limits }, async b => {
    await traffic(b, 200, new ExtendRig(b));
  });
  bench("the same with takers that stop for long", dut, { seed: 3, ...limits }, async b => {
    const stops = (seed: number) => bursts({ go: 60, pause: 300 }, seed);
    await traffic(b, 120, new ExtendRig(b, { soc: stops(1), tx: stops(2), node: stops(3) }));
  });
  bench(
    "latency 0 on the network's ways and from the software, 1 to it; no bubble",
    dut,
    { seed: 10, ...limits },
    async b => {
      const ways = [
        [b.io.rx, b.io.nodeRx, 0],
        [b.io.nodeTx, b.io.tx, 0],
        [b.io.socTx, b.io.nodeSocTx, 0],
        [b.io.nodeSocRx, b.io.socRx, 1],
      ] as const;
      const runs = ways.map(([from, to, latency]) => ({
        source: new AxisSource(b.sim, from),
        sink: new AxisSink(b.sim, to),
        latency,
      }));
      const sent = runs.map(({ source }) =>
        Array.from({ length: 20 }, () => {
          const frame = new FrameClient(clientEndpoint(0), makeSettings().runtime).request(
            op.software,
            1,
            b.random.bytes(b.random.between(0, 1000)),
          );
          return source.send(frame);
        }),
      );
      await b.until(() => runs.every(r => r.sink.frames.length === 20));
      for (const [i, { sink, latency }] of runs.entries()) {
        expect(sink.frames.map((f, n) => [f.start - sent[i]![n]!.start!, f.end - sent[i]![n]!.end!])).toEqual(
          sink.frames.map(() => [latency, latency]),
        );
        const beats = sent[i]!.reduce((n, f) => n + Math.ceil(f.bytes.length / parameters.beatBytes), 0);
        expect(sent[i]!.at(-1)!.end! - sent[i]![0]!.start! + 1, "edges for all beats").toBe(beats);
      }
    },
  );
  bench(
    "an offload that has stopped gets as many requests of a client as half of its contexts, and one more is answered BUSY",
    dut,
    { seed: 4, ...limits },
    async b => {
      const rig = new ExtendRig(b),
        all = Array.from({ length: 3 * parameters.contexts }, () =>
          rig.request(rig.clients[0]!.request(op.half, 1, b.random.bytes(100))),
        );
      const its = parameters.contexts / 2;
      await rig.settled(all.slice(0, its));
      expect(all.slice(its).map(a => a.answer?.status)).toEqual(Array(3 * parameters.contexts - its).fill(status.BUSY));
    },
  );
  bench(
    "many memory requests at a time: no more than may be, and memory that answers out of order",
    dut,
    { seed: 5, ...limits },
    async b => {
      const rig = new ExtendRig(b);
      rig.latency = () => b.random.between(5, 1000);
      const codes = [op.proxy, op.once],
        all = Array.from({ length: 24 }, (_, i) =>
          rig.proxy(codes[i % 2]!, 1, {
            opcode: opcode.WRITE,
            client: i % 3 === 0,
            va: page,
            length: 1,
            data: Uint8Array.of(i),
          }),
        );
      await rig.settled();
      const done = all.filter(a => a.answer!.status === status.OK);
      expect(rig.accesses.length).toBe(done.length);
      expect(done.length).toBeGreaterThan(parameters.contexts / 2);
    },
  );
  bench("a frame for the software right behind a request takes nothing from it", dut, limits, softwareBehind);
  testOfResets(dut, { most: 1500 }, b => traffic(b, 250, new ExtendRig(b, pauses(2))));
  bench("a reset in the middle of it all leaves nothing", dut, { seed: 6, ...limits }, async b => {
    const rig = new ExtendRig(b, pauses(7));
    for (let i = 0; i < 12; i++)
      rig.proxy(i % 2 ? op.proxy : op.once, 1, { opcode: opcode.READ, client: true, va: page, length: 600 });
    await rig.reset();
    await traffic(b, 80, rig);
  });
});

/** Requests one at a time, each with a frame for the software at its heels: the offload has room, so none is BUSY. */
async function softwareBehind(b: Bench<ExtendPorts>): Promise<void> {
  const rig = new ExtendRig(b);
  rig.memory.fault(1, 1n);
  for (let n = 0; n < 20; n++) {
    const asked = rig.proxy(n % 2 ? op.proxy : op.once, 1, {
      opcode: opcode.READ,
      client: true,
      va: page,
      length: b.random.between(1, 700),
    });
    rig.software(b.random.bytes(b.random.between(0, 60)));
    await rig.answered(asked);
    expect(asked.answer!.status, `request ${n}`).toBe(status.OK);
  }
  await rig.settled();
}

describe("a planted fault in the extend path is found", () => {
  const check = async (name: string, design: Dut<ExtendPorts>): Promise<void> => {
    await runBench(name, design, { ...limits, seed: 8 }, async b => {
      await traffic(b, 120, new ExtendRig(b, pauses(9)));
    });
    await runBench(name, design, limits, softwareBehind);
  };
  test("and nothing without one", () => check("no fault", dut));
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    [
      "request port: a frame for the software changes where the request before it goes",
      "if (requests_offloaded) requests_to_slot <=",
      "requests_to_slot <=",
    ],
    [
      "request port: what is done once is done for every repetition",
      /wire requests_fresh =[^;]*;/,
      "wire requests_fresh = 1'b1;",
    ],
    [
      "reply port: data come from the slot that was served before",
      "replies_serving <= replies_to_head_held_number",
      "replies_serving <= replies_serving",
    ],
    ["reply port: an answer is not remembered", /wire replies_told =[^;]*;/, "wire replies_told = 1'b0;"],
    [
      "memory port: replies go to the next slot",
      "from_memory_reply_out_held_number <= from_memory_routed_payload_number",
      "from_memory_reply_out_held_number <= from_memory_routed_payload_number ^ 2'd1",
    ],
  ];
  for (const [name, from, to] of faults)
    test(name, async () => {
      await findsFault(check(name, plant(dut, from, to)));
    });
});

/** Resets slot `k`, waits until it is held, and lets it go again. */
async function resetSlot(rig: ExtendRig, k: number, quiet = 0): Promise<void> {
  const { b } = rig,
    { hold } = b.io.control,
    held = (): boolean => ((b.io.state.held.value >> k) & 1) === 1;
  hold.value = 1 << k;
  await b.until(held);
  await b.cycles(quiet);
  hold.value = 0;
  await b.until(() => !held());
}

/**
 * The reset of one offload of several: the requests that it held, its memory requests under way, and
 * its work afterwards.
 */
async function resets(b: Bench<ExtendPorts>, pauses: Pauses): Promise<void> {
  const rig = new ExtendRig(b, pauses),
    { random } = b,
    image = random.bytes(2048);
  for (const vpn of [1n]) {
    rig.memory.fault(1, vpn);
    rig.memory.write(1, vpn, 0, image);
  }
  b.io.control.patience.value = 500;
  const read = (code: number, at: number, length: number): Asked =>
    rig.proxy(code, 1, { opcode: opcode.READ, client: true, va: page + BigInt(at), length });
  const right = async (code: number): Promise<void> => {
    const at = random.between(0, 1300),
      length = random.between(1, 700),
      asked = read(code, at, length);
    await rig.answered(asked);
    expect(asked.answer, "a READ by an offload that was reset, or that had nothing to do with it").toMatchObject({
      status: status.OK,
      body: image.slice(at, at + length),
    });
  };
  for (let round = 0; round < 6; round++) {
    // One that has stopped within a reply and a memory request, and whatever else waits for it.
    const half = Array.from({ length: random.between(1, parameters.contexts / 2) }, () =>
      rig.request(rig.clients[0]!.request(op.half, 1, random.bytes(random.between(64, 1400)))),
    );
    await b.until(() => b.io.state.stuck.value === 1 << 2);
    expect(half.map(a => a.answer)).toEqual(half.map(() => undefined));
    const others = Array.from({ length: 3 }, () => right(op.proxy));
    await resetSlot(rig, 2, random.between(0, 30));
    await rig.answered(...half);
    expect(
      half.map(a => a.answer!.status),
      "what a reset offload held",
    ).toEqual(half.map(() => status.BUSY));
    await Promise.all(others);
    // Two that wait for memory, which is slow: their replies come when others have their contexts.
    rig.latency = () => random.between(200, 900);
    const waiting = Array.from({ length: parameters.contexts }, () =>
      read(op.proxy, random.between(0, 1300), random.between(1, 700)),
    );
    const once = rig.proxy(op.once, 1, {
      opcode: opcode.ATOMIC_FAA,
      client: true,
      va: page + 4096n,
      length: 8,
      data: add(1n),
    });
    const accesses = rig.accesses.length;
    await b.until(() => rig.accesses.length >= accesses + 2);
    await b.cycles(random.between(0, 150));
    expect(b.io.state.stuck.value, "who waits for memory is not stuck").toBe(0);
    const reset = resetSlot(rig, 0);
    await b.cycles(1);
    rig.latency = () => random.between(5, 60);
    await reset;
    await right(op.proxy);
    await rig.answered(...waiting, once);
    expect(waiting.filter(a => a.answer!.status !== status.OK).every(a => a.answer!.status === status.BUSY)).toBe(true);
    expect(
      waiting.some(a => a.answer!.status === status.BUSY),
      "one at least was held",
    ).toBe(true);
    expect(once.answer!.status, "of a slot that was not reset").toBe(status.OK);
    // One of which nobody can tell any more whether it was done: it is neither done again nor said to be done.
    rig.latency = () => random.between(200, 600);
    const before = number(rig.memory.read(1, 1n, 4096, 8)),
      halfDone = rig.proxy(op.once, 1, {
        opcode: opcode.ATOMIC_FAA,
        client: true,
        va: page + 4096n,
        length: 8,
        data: add(1n),
      });
    const now = rig.accesses.length;
    await b.until(() => rig.accesses.length > now);
    await resetSlot(rig, 1);
    rig.latency = () => random.between(5, 60);
    const again = rig.request(rig.clients[0]!.repeat(halfDone.frame));
    await rig.answered(halfDone, again);
    expect([halfDone, again].map(a => a.answer!.status)).toEqual([status.EXPIRED, status.EXPIRED]);
    expect(number(rig.memory.read(1, 1n, 4096, 8))).toBe(before + 1n);
    await right(op.once);
  }
  // Nothing comes late. An offload in reset refuses without being full.
  rig.refused.length = 0;
  await rig.settled();
}

describe("the reset of one offload", () => {
  bench(
    "with and without requests and memory replies under way, under random back-pressure",
    dut,
    { seed: 11, ...limits },
    async b => {
      await resets(b, pauses(12));
    },
  );
  bench("the same without a pause", dut, { seed: 12, ...limits }, async b => {
    await resets(b, {});
  });
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    [
      "a slot does not wait for memory's replies to what its offload had asked",
      /wire accesses_gone =[^;]*;/,
      "wire accesses_gone = 1'b1;",
    ],
    ["an offload is not reset", /\(rst \| \w+_in_reset\)/, "(rst)"],
    ["what may have been done is said not to have been", /status_expired : status_busy/, "status_busy : status_busy"],
  ];
  for (const [name, from, to] of faults) {
    test(`a planted fault is found: ${name}`, async () => {
      await findsFault(
        runBench(name, plant(dut, from, to), { ...limits, seed: 13 }, async b => {
          await resets(b, pauses(14));
        }),
      );
    });
  }
});
