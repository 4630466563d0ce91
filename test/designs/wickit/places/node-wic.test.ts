import { describe, expect } from "vitest";
import { ModelMemory } from "../../../../designs/clio/model/index.ts";
import {
  type OffloadCall,
  OffloadHost,
  type OffloadHostOptions,
  type OffloadPorts,
} from "../../../../designs/clio/rig/index.ts";
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import { opcode, status } from "../../../../designs/clio/wire/index.ts";
import { encode } from "../../../../designs/shared/wire/index.ts";
import { usualEngine } from "../../../../designs/wickit/config/index.ts";
import { runWic, type WicCall } from "../../../../designs/wickit/model/index.ts";
import { NodeWic, type NodeWicParameters } from "../../../../designs/wickit/places/index.ts";
import { bytesOfWords, clioMemory, wordsOfBytes } from "../../../../designs/wickit/rig/index.ts";
import { loadProgram, wicHead } from "../../../../designs/wickit/wire/index.ts";
import { type Bench, bernoulli } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { example, listWords, nodes, requestsFor, sizedCalls, sizedImage } from "../support/programs.ts";

const base = 0x10_0000n,
  pid = 7,
  loader = 9;
const parameters = (beatBytes: number, space: "client" | "own", image: readonly number[] = []): NodeWicParameters => ({
  beatBytes,
  contexts: 8,
  maxData: 1466,
  engine: { ...usualEngine, contexts: 4, mostSteps: 2000, image },
  space,
  loader,
  base,
});
const body = (call: WicCall): Uint8Array =>
  new Uint8Array([
    ...encode(wicHead, { program: call.program, unused: new Uint8Array(6) }),
    ...bytesOfWords(call.words),
  ]);
const request = (call: WicCall, from = pid) => ({ opcode: opcode.WIC, pid: from, body: body(call) });

function places(b: Bench<OffloadPorts>, p: NodeWicParameters, o: Partial<OffloadHostOptions> = {}) {
  const memory = new ModelMemory(),
    twin = new ModelMemory(),
    owner = p.space === "client" ? pid : offloadPid(0);
  for (const m of [memory, twin]) {
    m.map(owner, base, 4096);
    m.store(owner, base, bytesOfWords(listWords(base, nodes)));
  }
  const host = new OffloadHost(b, { parameters: p, memory, ...o });
  const expected = (image: readonly number[], call: WicCall) =>
    runWic({ ...p.engine, image, base }, call, clioMemory(twin, owner));
  return { host, memory, twin, owner, expected };
}
const replyOf = (c: OffloadCall) => ({
  status: c.replies[0]?.status,
  words: wordsOfBytes(c.replies[0]?.body ?? new Uint8Array()),
});

for (const [beatBytes, space] of [
  [64, "client"],
  [8, "own"],
] as const)
  describe(`NodeWic, ${beatBytes} bytes a beat, memory of the ${space}`, () => {
    const p = parameters(beatBytes, space);
    bench("loads each image and answers as the interpreter does", NodeWic(p), { seed: 1 }, async b => {
      const { host, memory, twin, owner, expected } = places(b, p, { pause: 0.2, jitter: 20 });
      for (const name of ["list", "log", "kv"] as const) {
        const image = example(name).instructions;
        for (const m of [memory, twin]) if (name !== "list") m.store(owner, base, new Uint8Array(1024));
        for (let at = 0; at < image.length; at += 8) {
          const words = image.slice(at, at + 8).map((w, i) => (BigInt(at + i) << 32n) | BigInt(w));
          expect(replyOf(await host.call(request({ program: loadProgram, words }, loader))).status).toBe(status.OK);
        }
        for (const call of requestsFor(name, b.random, 12)) {
          const { status: code, words } = expected(image, call);
          expect(replyOf(await host.call(request(call)))).toEqual({ status: code, words });
        }
        expect(memory.load(owner, base, 4096)).toEqual(twin.load(owner, base, 4096));
      }
      await host.drained();
    });
    const loaded = parameters(beatBytes, space, example("list").instructions);
    bench("many at once, back to back and with pauses; each its own reply", NodeWic(loaded), { seed: 2 }, async b => {
      const { host, expected } = places(b, loaded, { pause: 0.3, jitter: 60 });
      const calls = requestsFor("list", b.random, 40).map(call => ({ call, sent: host.request(request(call)) }));
      await host.drained();
      for (const { call, sent } of calls) {
        const { status: code, words } = expected(example("list").instructions, call);
        expect(replyOf(sent)).toEqual({ status: code, words });
        expect(sent.replies.length).toBe(1);
      }
      expect(host.mostInFlight).toBe(4);
    });
    bench("malformed requests, and an image from one who may not load it", NodeWic(loaded), { seed: 3 }, async b => {
      const { host } = places(b, loaded, { pause: 0.1 });
      const good = body({ program: 0, words: [1n] }),
        long = body({ program: 0, words: Array.from({ length: 9 }, () => 1n) }),
        foreign = { opcode: opcode.POINTER_CHASE, pid, body: good };
      const bad = [
        { opcode: opcode.WIC, pid, body: new Uint8Array() },
        { opcode: opcode.WIC, pid, body: good.slice(0, 7) },
        { opcode: opcode.WIC, pid, body: good.slice(0, 15) },
        { opcode: opcode.WIC, pid, body: new Uint8Array(1400) },
        { opcode: opcode.WIC, pid, body: long },
        foreign,
        request({ program: loadProgram, words: [0x10_0000_0050n] }),
      ];
      for (let i = 0; i < 40; i++) {
        const wrong = b.random.pick(bad),
          call = host.request(wrong),
          right = host.request(request({ program: 0, words: [1n] }));
        await host.drained();
        expect(call.replies).toMatchObject([
          { status: status.MALFORMED, opcode: wrong.opcode, body: new Uint8Array() },
        ]);
        expect(replyOf(right)).toEqual({ status: status.OK, words: [1000n] });
      }
      const empty = await host.call(request({ program: loadProgram, words: [] }, loader));
      expect(empty.replies[0]?.status).toBe(status.OK);
    });
    const sized = parameters(beatBytes, space, sizedImage);
    for (const slow of ["reply", "replyData", "memory", "memoryData", "memoryReply", "memoryReplyData"] as const)
      bench(`replies and accesses of each size, while ${slow} hardly moves`, NodeWic(sized), { seed: 5 }, async b => {
        const { host, memory, twin, owner, expected } = places(b, sized, {
          pause: s => bernoulli(s === slow ? 0.9 : 0.1, b.random.fork(s).word()),
          hold: true,
          jitter: 10,
        });
        const calls = sizedCalls(b.random, base, 40).map(call => ({ call, sent: host.request(request(call)) }));
        await host.drained();
        for (const { call, sent } of calls) {
          const { status: code, words } = expected(sizedImage, call);
          expect(sent.replies.length).toBe(1);
          expect(replyOf(sent)).toEqual({ status: code, words });
        }
        expect(memory.load(owner, base, 4096)).toEqual(twin.load(owner, base, 4096));
      });
    bench("resets at any time, before requests of each size", NodeWic(sized), { seed: 6 }, async b => {
      const { host, expected } = places(b, sized, { pause: 0.3, jitter: 10 });
      for (let i = 0; i < 15; i++) {
        for (const call of sizedCalls(b.random, base, 10)) host.request(request(call));
        await b.cycles(b.random.between(1, 150));
        host.reset();
        const calls = sizedCalls(b.random, base, 4).map(call => ({ call, sent: host.request(request(call)) }));
        await host.drained();
        for (const { call, sent } of calls) {
          const { status: code, words } = expected(sizedImage, call);
          expect(replyOf(sent)).toEqual({ status: code, words });
        }
      }
    });
    bench(
      "reset beside traffic: nothing of before comes later, and the image stays",
      NodeWic(loaded),
      { seed: 4 },
      async b => {
        const { host } = places(b, loaded, { pause: 0.2, jitter: 30 });
        for (let i = 0; i < 12; i++) host.request(request({ program: 0, words: [BigInt(10 + i)] }));
        await b.cycles(150 + b.random.between(0, 100));
        host.reset();
        const after = Array.from({ length: 12 }, (_, i) =>
          host.request(request({ program: 0, words: [BigInt(i + 1)] })),
        );
        await host.drained();
        expect(after.map(replyOf)).toEqual(after.map((_, i) => ({ status: status.OK, words: [1000n + BigInt(i)] })));
      },
    );
  });
