/** The engine as a task in a whole SuperNIC: a client at one port, a memory node at the other. */
import { expect, it } from "vitest";
import { ModelMemory } from "../../../../designs/clio/model/index.ts";
import { deviceSizes, taskNamed } from "../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import {
  deviceDefinition,
  leftAtRest,
  SimulatedSuperNic,
  unaccounted,
} from "../../../../designs/supernic/rig/index.ts";
import type { Task } from "../../../../designs/supernic/rtl/index.ts";
import { readSetup, taskWrite } from "../../../../designs/supernic/software/index.ts";
import { macControlAddress } from "../../../../designs/supernic/wire/index.ts";
import { decode, ethernetHeader } from "../../../../designs/shared/wire/index.ts";
import { runWic } from "../../../../designs/wickit/model/index.ts";
import { wicTask } from "../../../../designs/wickit/places/index.ts";
import {
  bytesOfWords,
  clioMemory,
  FrameNode,
  snicClient,
  snicNode,
  snicOwn,
  WicClient,
} from "../../../../designs/wickit/rig/index.ts";
import { snicWords } from "../../../../designs/wickit/wire/index.ts";
import { bernoulli, runBench } from "../../../../sim/index.ts";
import { example, listWords, nodes } from "../support/programs.ts";
import { image, usual } from "./support/snic-runs.ts";

const base = 0x10_0000n,
  pid = 7,
  task = wicTask(usual),
  taskOf = (name: string): Task => (name === "wic" ? task : taskNamed(name));
const parameters = makeParameters({
  ...{ ports: 2, contexts: 32, cells: 64, regions: 2, slots: 2, branches: 2, credits: 4, users: 4 },
});
const mac = (m: bigint): string => (m.toString(16).padStart(12, "0").match(/../g) ?? []).join(":"),
  ip = (n: number): string => [24, 16, 8, 0].map(s => (n >>> s) & 255).join(".");
const setup = readSetup(
  JSON.stringify({
    ...{ mac: "02:5e:00:00:00:ff", ip: "10.9.0.254", ports: [{}, {}] },
    stations: [
      { name: "client", mac: mac(snicClient(0).mac), ip: ip(snicClient(0).ip), port: 0 },
      { name: "node", mac: mac(snicNode.mac), ip: ip(snicNode.ip), port: 1 },
    ],
    users: [{ name: "wics" }],
    regions: [{ chain: "programs", tasks: ["wic", "dummy"] }],
    dags: [{ name: "programs", user: "wics", uid: 0x401, stages: [[{ chain: "programs" }]] }],
    rules: [{ protocol: 17, action: { dag: "programs" } }],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskOf(name).declared,
);

it("programs run in the device, with ports that pause and a network that loses frames", async () => {
  await runBench(
    "wic in the device",
    deviceDefinition(setup, parameters, { taskOf }),
    { seed: 3, limitCycles: 400_000, wave: false, signals: true },
    async bench => {
      const device = new SimulatedSuperNic(bench, setup, parameters, {
        backToBack: true,
        taskOf,
        pauseTx: port => bernoulli(0.3, port + 1),
      });
      const memory = new ModelMemory(),
        twin = new ModelMemory();
      for (const m of [memory, twin]) {
        m.map(pid, base, 4096);
        m.store(pid, base, bytesOfWords(listWords(base, nodes)));
      }
      const atNode: { readonly bytes: Uint8Array }[] = [],
        ends = {
          take: () => atNode.shift(),
          send: (bytes: Uint8Array, o: { readonly damaged: boolean }) => device.send(1, bytes, o),
        },
        network = { latency: 300, jitter: 100, loss: 0.05, duplicate: 0.05, corrupt: 0.03 };
      new FrameNode(bench.sim, ends, {
        ...{ ...network, memory, own: snicNode, client: snicOwn, random: bench.random.fork("network") },
      });
      const client = new WicClient({
        ...{ own: snicClient(0), node: snicNode, pid, timeout: 4000 },
        send: frame => {
          device.send(0, frame);
          return undefined;
        },
      });
      bench.onEdge({
        sample: cycle => {
          client.tick(cycle);
          for (let left = device.take(); left; left = device.take()) {
            const { bytes } = left.frame;
            if (decode(ethernetHeader, bytes).dst === macControlAddress) continue;
            if (left.port === 0) client.receive(bytes, cycle);
            else atNode.push({ bytes });
          }
        },
      });
      await device.bringUp();
      const config = {
        ...{ node: snicNode, nodePort: 1, user: setup.users[0]?.number ?? Number.NaN, own: snicOwn, pid, base },
        ...{ firstId: 5, timeout: 1500, tries: 100, life: 60 },
      };
      const load = async (code: readonly number[], all: boolean): Promise<void> => {
        const words = snicWords(config, code).filter(w => all || w.at < 0x1000);
        await device.driver.write(words.map(w => taskWrite(0, 0, w)));
        await bench.cycles(200);
      };
      await load(example("list").instructions, true);
      for (const hops of [1, 2, 4, 8]) {
        const call = { program: 0, words: [BigInt(hops)] },
          code = example("list").instructions,
          expected = runWic({ ...usual.engine, image: code, base }, call, clioMemory(twin, pid)),
          reply = client.call(call, bench.cycle);
        await bench.until(() => client.waiting === 0);
        expect(await reply).toMatchObject({ status: expected.status, words: expected.words });
      }
      await load(image, false);
      const at = memory.loadWord(pid, base),
        many = Promise.all(Array.from({ length: 24 }, () => client.call({ program: 0, words: [1n] }, bench.cycle)));
      await bench.until(() => client.waiting === 0);
      const sums = (await many).map(r => (r.words[0] ?? 0n) - at).sort((x, y) => Number(x - y));
      expect(sums).toEqual(sums.map((_, i) => BigInt(i)));
      expect(client.repeated).toBeGreaterThan(0);
      await bench.until(() => !device.busy);
      await bench.cycles(4000);
      expect([
        ...unaccounted(await device.counters(), await device.inside()),
        ...leftAtRest(bench.sim, parameters),
      ]).toEqual([]);
      expect((await device.counters()).middle["dropTask"]).toBeGreaterThan(60);
    },
  );
});
