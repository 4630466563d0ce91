/** The programs of docs/clio/serve.md for Node.js and for CLib, again and again; and one UDP port for many programs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, type ClientOptions, type NodeAddress } from "../../../../designs/clio/client/index.ts";
import { firstOffloadPid } from "../../../../designs/clio/config/index.ts";
import { realClock, UdpTransport } from "../../../../designs/clio/rig/index.ts";
import { formatIpv4 } from "../../../../designs/shared/wire/index.ts";
import { projectFolder } from "../../../../sim/index.ts";
import { ownAddress, servedNode, type ServedNode } from "../rig/serve/served.ts";
import { firstProgram, output, withFolder } from "./bindings/programs.ts";
import { onlyHangsEnd } from "../../../support/hang-limit.ts";

onlyHangsEnd();

const rounds = 200,
  loop = join(projectFolder(), "test/designs/clio/client/bindings/loop.mjs");

describe("first programs in TypeScript", () => {
  let served: ServedNode, address: NodeAddress;
  beforeAll(async () => {
    served = await servedNode({ ip: ownAddress(10) }, { sessions: 0 });
    const { ip, nativePort } = served.settings.runtime;
    address = { ip, port: nativePort };
  });
  afterAll(async () => {
    await served.stop();
  });
  const run = (program: string, name: string): Promise<string> =>
    withFolder(folder => {
      const path = join(folder, name);
      writeFileSync(path, program);
      return output(process.execPath, ["--import", "tsx", loop, path, String(rounds)], { folder: projectFolder() });
    });

  it("the page's program with CLib runs as it stands, 200 times", async () => {
    // The repository instead of the package.
    const text = firstProgram("ts", formatIpv4(address.ip)).replace(
      /"mnemosyne-clio\/(\w+)"/g,
      (_, part: string) => `"${pathToFileURL(join(projectFolder(), `designs/clio/${part}/index.ts`)).href}"`,
    );
    expect(await run(text, "first.mts")).toBe("hello, far memory\n".repeat(rounds));
  });

  it("at the end no process of a client is left", async () => {
    await served.node.settled();
    const { memory } = served.node.slowPath;
    expect(Array.from({ length: firstOffloadPid }, (_, pid) => pid).filter(pid => memory.hasProcess(pid))).toEqual([]);
  });

  /** A program that has a UDP port for itself. */
  const atPort = async (port: number, o: Partial<ClientOptions> = {}): Promise<number> => {
    const transport = await UdpTransport.open(formatIpv4(0x7f000001), port);
    try {
      const client = new Client({ transport, clock: realClock, timeoutNs: 60e9, targetDelayNs: 1e9, ...o }),
        process = await client.createProcess(address),
        thread = process.thread(),
        va = await thread.ralloc(4 << 20);
      await thread.rwrite(va, Uint8Array.of(port & 255));
      expect(await thread.rread(va, 1)).toEqual(Uint8Array.of(port & 255));
      await client.freeProcess(process);
      return transport.port;
    } finally {
      await transport.close();
    }
  };
  it("a program's port goes to the next one, forty times, and no operation is taken for an earlier one", async () => {
    const port = await atPort(0);
    for (let i = 0; i < 40; i++) await atPort(port);
  });
  it("planted fault: IDs that begin before an earlier program's are taken for old repetitions", async () => {
    const port = await atPort(0, { firstRequestId: 5000 });
    await expect(atPort(port, { firstRequestId: 1000 })).rejects.toThrow("EXPIRED");
  });

  it("65 programs that have just come all get in, with a greeting of their own and with one that goes along with a write", async () => {
    const { retryClients } = served.settings.config;
    for (let i = 0; i <= retryClients; i++) await atPort(0);
    for (let i = 0; i <= retryClients; i++) await atPort(0, { greetsFirst: false });
  });

  it("the page's program in plain Node.js runs as it stands, 200 times", async () => {
    const lines = (await run(firstProgram("js", formatIpv4(address.ip)), "first.mjs")).trimEnd().split("\n");
    expect(lines).toHaveLength(rounds);
    // It frees nothing: each has a process of its own.
    for (const line of lines) expect(line).toMatch(/^process \d+, address 0x[0-9a-f]+, status 0: hello, far memory$/);
    expect(new Set(lines).size).toBe(rounds);
  });
});
