/** The Python client against the cycle-accurate node, as its users run it. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstOffloadPid } from "../../../../../designs/clio/config/index.ts";
import { formatIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { ownAddress, servedNode, type ServedNode } from "../../rig/serve/served.ts";
import { codecCases } from "../bindings/codec.ts";
import { firstProgram, has, output, planted, python, pythonFolder, withFolder } from "../bindings/programs.ts";
import { median } from "../../../../support/median.ts";
import { type Losses, lossyRelay } from "../bindings/relay.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const toldNs = 300e6,
  losses: Losses = { drop: 0.05, duplicate: 0.05, delay: 0.2, busy: 0.03, tells: toldNs, yields: 0.1 };

describe.skipIf(!has("python3", "--version"))("the Python client", () => {
  let served: ServedNode, node: string, port: number;
  beforeAll(async () => {
    served = await servedNode({ ip: ownAddress(8), offloads: "all" }, { sessions: 0 });
    const { ip, nativePort } = served.settings.runtime;
    [node, port] = [formatIpv4(ip), nativePort];
    // On a cold machine the node's model is compiled first.
  });
  afterAll(async () => {
    // The store removes the keys of the last process, which takes seconds here; `stop` waits for one.
    await served.node.settled();
    await served.stop();
  });
  const atNode = (): string[] => [node, String(port)];

  it("every call does what it says", async () => {
    expect((await python("calls.py", atNode())).split("\n")).toEqual([
      "memory",
      "words",
      "pointers",
      "keys",
      "done",
      "",
    ]);
  });

  /** What lossy.py found: the sum of 200 additions, wrong reads, retries. */
  const overLossyNetwork = async (seed: number, folder = pythonFolder): Promise<readonly number[]> => {
    const relay = await lossyRelay(node, port, losses, seed);
    try {
      const found = (await python("lossy.py", ["127.0.0.1", String(relay.port)], { folder })).trim();
      console.log(`lossy network, seed ${seed}: ${JSON.stringify(relay.counts)}; sum, wrong, retries: ${found}`);
      expect(Math.min(...Object.values(relay.counts))).toBeGreaterThan(0);
      // An earlier try may be answered meanwhile, so not each of them. A slow machine only makes pauses longer; the
      // client's own are a twelfth of the time told, 25 ms at most.
      if (relay.pauses.length > 0)
        expect(median(relay.pauses), "the time to wait is waited for").toBeGreaterThan(0.95e-6 * toldNs);
      expect(relay.yielded.size).toBeGreaterThan(0);
      return [...found.split(" ").map(Number), relay.pauses.length];
    } finally {
      relay.close();
    }
  };
  it("over a network that drops, doubles, reorders and says BUSY, every addition is done once", async () => {
    const [sum, wrong, retries, paused] = await overLossyNetwork(1);
    expect([sum, wrong]).toEqual([200, 0]);
    expect(Math.min(retries!, paused!)).toBeGreaterThan(0);
  });

  it("its codec reads and writes what the TypeScript codec does", async () => {
    const { input, expected } = codecCases(l => l.name.charAt(0).toUpperCase() + l.name.slice(1));
    expect((await python("codec.py", [], { input })).trimEnd().split("\n")).toEqual(expected);
  });

  it("the page's program runs as it stands, 200 times", () =>
    withFolder(async folder => {
      const path = join(folder, "first.py"),
        loop = join(folder, "loop.py");
      writeFileSync(path, firstProgram("python", node));
      writeFileSync(loop, "import runpy, sys\nfor _ in range(200):\n    runpy.run_path(sys.argv[1])\n");
      expect(await python(loop, [path])).toBe("hello, far memory\n".repeat(200));
    }));

  it.skipIf(!has("python3", "-m", "pip", "--version"))("pip installs the folder without a network, types and all", () =>
    withFolder(async folder => {
      const pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", folder, pythonFolder];
      await output("python3", pip, { env: { PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_ROOT_USER_ACTION: "ignore" } });
      expect(readdirSync(join(folder, "mnemosyne_clio"))).toContain("py.typed");
      const names = "import mnemosyne_clio as m; print(m.__file__.startswith(m.__path__[0]), m.Client.__name__)";
      expect(await output("python3", ["-c", names], { env: { PYTHONPATH: folder } })).toBe("True Client\n");
    }),
  );

  it("at the end no process of a client is left", async () => {
    await served.node.settled();
    const { memory } = served.node.slowPath;
    expect(Array.from({ length: firstOffloadPid }, (_, pid) => pid).filter(pid => memory.hasProcess(pid))).toEqual([]);
  });

  // Last: it leaves what its repetitions have made.
  it("planted fault: the time to wait that BUSY says is not waited for", () =>
    withFolder(async folder => {
      const from = "pause += min(reply.wait, wire.MOST_TIMEOUTS_TOLD * timeout)",
        copy = planted(pythonFolder, join(folder, "a"), "mnemosyne_clio/link.py", from, "pass");
      expect(await overLossyNetwork(2, copy).then(() => "nothing", String)).toContain("the time to wait");
    }));
  it("planted fault: a repetition that does not name the first request adds twice", () =>
    withFolder(async folder => {
      const from = "retry_of=exchange.tries[0] if retry else 0,",
        copy = planted(pythonFolder, join(folder, "a"), "mnemosyne_clio/link.py", from, "retry_of=request_id,");
      // The slow path may tell first: a repeated FREE_PROC finds nothing to free.
      const found = overLossyNetwork(1, copy).then(([sum = 0]) => (sum > 200 ? "added twice" : "nothing"), String);
      expect(await found).toMatch(/added twice|OperationError: FREE_PROC/);
    }));
});
