/** The Python and the C client against a node whose processes have keys. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstOffloadPid } from "../../../../../designs/clio/config/index.ts";
import { formatIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { projectFolder } from "../../../../../sim/index.ts";
import { ownAddress, servedNode, type ServedNode } from "../../rig/serve/served.ts";
import { cFolder, has, output, planted, python, pythonFolder, withFolder } from "./programs.ts";
import { lossyRelay } from "./relay.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

/** Bytes of UDP payload in an IPv4 packet of 1,500. */
const mostBytes = 1472;

describe("clients of a node with keys", () => {
  let served: ServedNode, node: string, port: number;
  beforeAll(async () => {
    served = await servedNode({ ip: ownAddress(17), offloads: "all", processKeys: 256 }, { sessions: 0 });
    const { ip, nativePort } = served.settings.runtime;
    [node, port] = [formatIpv4(ip), nativePort];
  });
  afterAll(async () => {
    await served.node.settled();
    await served.stop();
  });
  /** What a program prints, or why it failed, and its longest datagram. */
  const watched = async (run: (at: string[]) => Promise<string>): Promise<readonly [string, number]> => {
    const relay = await lossyRelay(node, port, { drop: 0, duplicate: 0, delay: 0 }, 1);
    try {
      return [await run(["127.0.0.1", String(relay.port)]).catch(String), relay.longest()];
    } finally {
      relay.close();
    }
  };
  const inPython =
    (program: string, folder = pythonFolder) =>
    (at: string[]): Promise<string> =>
      python(program, at, { folder });
  const inC =
    (program: string, client = cFolder) =>
    (at: string[]): Promise<string> =>
      withFolder(async folder => {
        const source = join(projectFolder(), "test/designs/clio/client/c", program),
          out = join(folder, "program");
        await output("cc", ["-I", client, source, join(client, "mnemosyne_clio.c"), "-o", out]);
        return output(out, at);
      });
  const languages = [
    ["Python", has("python3", "--version"), inPython, "py"],
    ["C", has("cc", "--version"), inC, "c"],
  ] as const;

  describe.each(languages)("in %s", (_name, here, run, ending) => {
    it.skipIf(!here)("every call works as without keys", async () => {
      expect((await watched(run(`calls.${ending}`)))[0].trimEnd().split("\n").at(-1)).toBe("done");
    });
    it.skipIf(!here)(
      "without the key nothing is done for a process; with it everything, in whole packets",
      async () => {
        expect(await watched(run(`keys.${ending}`))).toEqual(["done\n", mostBytes]);
      },
    );
  });
  it("at the end no process of a client is left", async () => {
    await served.node.settled();
    const { memory } = served.node.slowPath;
    expect(Array.from({ length: firstOffloadPid }, (_, pid) => pid).filter(pid => memory.hasProcess(pid))).toEqual([]);
  });

  // Last: what fails leaves its process.
  it.skipIf(!languages[0][1])("planted fault in Python: the key is within what size names", () =>
    withFolder(async folder => {
      const from = "size=wire.Clio.SIZE + len(request.body),",
        to = 'size=wire.Clio.SIZE + len(request.body) + len(self._trailers.get(request.pid, b"")),';
      const copy = planted(pythonFolder, join(folder, "a"), "mnemosyne_clio/link.py", from, to);
      expect((await watched(inPython("keys.py", copy)))[0]).toContain("INVALID");
    }),
  );
  it.skipIf(!languages[1][1])("planted fault in C: a packet has as much room as without a key", () =>
    withFolder(async folder => {
      const from = "IP_AND_UDP_BYTES - CLIO_BYTES - behind(c, pid);",
        client = planted(cFolder, join(folder, "client"), "mnemosyne_clio.c", from, "IP_AND_UDP_BYTES - CLIO_BYTES;");
      expect((await watched(inC("keys.c", client)))[1]).toBe(mostBytes + 8);
    }),
  );
});
