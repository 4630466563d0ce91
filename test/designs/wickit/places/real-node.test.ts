/** The engine as an offload inside the cycle-accurate Clio node: frames in, TLB, memory, frames out. */
import { describe, expect, test } from "vitest";
import type { NodeBuild } from "../../../../designs/clio/build/index.ts";
import { extendedNode } from "../../../../designs/clio/offload/index.ts";
import { makeSettings, parametersOf } from "../../../../designs/clio/config/index.ts";
import { prepare, withNode } from "../../../../designs/clio/rig/index.ts";
import { clientEndpoint } from "../../../../designs/clio/workload/index.ts";
import { clioMessage, dissect, opcode, status } from "../../../../designs/clio/wire/index.ts";
import { udpFrame } from "../../../../designs/shared/wire/index.ts";
import { usualEngine } from "../../../../designs/wickit/config/index.ts";
import { runWic, StretchMemory, type WicCall } from "../../../../designs/wickit/model/index.ts";
import { wicOffload } from "../../../../designs/wickit/places/index.ts";
import { bytesOfWords, wicRequestBody, wordsOfBytes } from "../../../../designs/wickit/rig/index.ts";
import { designOf } from "../../../../sim/index.ts";
import { example, listWords, nodes } from "../support/programs.ts";

describe("the node with the engine", () => {
  test("a list is followed in the asking process's memory, and a missing page is an error reply", async ctx => {
    if (process.env["MNEMO_LONG"] === undefined)
      ctx.skip("builds and runs a whole node, a minute or two: MNEMO_LONG=1 runs it");
    const settings = makeSettings({ pageSize: "4KB" }),
      image = example("list").instructions,
      base = 0x10_0000n,
      pid = 7,
      engine = { ...usualEngine, contexts: 8, image, replyWords: 1 },
      node: NodeBuild = extendedNode([wicOffload({ engine, space: "client", base })])(parametersOf(settings.config)),
      words = listWords(base, nodes);
    await withNode("wickit-node", settings, { design: designOf(node), seed: 1, wave: false }, async n => {
      await prepare(n, {
        processes: [pid],
        mappings: [{ pid, address: base, length: 4096n, write: true, populate: true }],
        memory: [{ pid, address: base, bytes: bytesOfWords(words) }],
      });
      const model = new StretchMemory(base, 4096);
      words.forEach((w, i) => model.setWord(base + BigInt(8 * i), w));
      const { runtime } = n,
        client = clientEndpoint(0),
        to = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort };
      const cycles: number[] = [];
      const ask = async (from: number, call: WicCall, id: number) => {
        const header = { pid: from, opcode: opcode.WIC, flagTracked: 1, requestId: id },
          start = n.bench.cycle;
        n.send(udpFrame(client, to, clioMessage(header, wicRequestBody(call))));
        await n.bench.until(() => n.mac.received.length > 0);
        const { clio, body } = dissect(n.take()?.bytes ?? new Uint8Array());
        cycles.push(n.bench.cycle - start);
        return { status: clio?.status, words: wordsOfBytes(body ?? new Uint8Array()) };
      };
      let id = 100;
      for (const hops of [1, 2, 4, 8, 16]) {
        const call = { program: 0, words: [BigInt(hops)] },
          expected = runWic({ ...engine, base }, call, a => model.access(a));
        expect(await ask(pid, call, id++)).toEqual({ status: expected.status, words: expected.words });
      }
      // Affine in the number of nodes: what 8 more cost is twice what 4 more cost, memory's refreshes aside.
      const [, two = 0, four = 0, eight = 0, sixteen = 0] = cycles;
      expect((sixteen - eight) / 8).toBeCloseTo((four - two) / 2, -1);
      expect(await ask(8, { program: 0, words: [1n] }, id++)).toEqual({ status: status.INVALID, words: [] });
      expect(await ask(pid, { program: 3, words: [] }, id++)).toEqual({ status: status.MALFORMED, words: [] });
    });
  });
});
