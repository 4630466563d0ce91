/** The C client against the cycle-accurate node, as its users run it. */
import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstOffloadPid } from "../../../../../designs/clio/config/index.ts";
import { clioHeader, nativeLayouts, replyCode } from "../../../../../designs/clio/wire/index.ts";
import { decode, encode, formatIpv4, placementsOf } from "../../../../../designs/shared/wire/index.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";
import { projectFolder } from "../../../../../sim/index.ts";
import { ownAddress, servedNode, type ServedNode } from "../../rig/serve/served.ts";
import { codecCases, snake } from "../bindings/codec.ts";
import { cFolder, firstProgram, has, output, planted, withFolder } from "../bindings/programs.ts";
import { median } from "../../../../support/median.ts";
import { type Losses, lossyRelay } from "../bindings/relay.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const ownFolder = join(projectFolder(), "test/designs/clio/client/c"),
  toldNs = 100e6,
  losses: Losses = { drop: 0.05, duplicate: 0.05, delay: 0.2, busy: 0.03, tells: toldNs, yields: 0.1 },
  strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"];

/** What the tests need of the machine; programs run with sanitizers where the compiler has them. */
const sanitizers = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
  compilers = ["gcc", "clang", "cc"].filter(c => has(c, "--version"));
function hasSanitizers(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-client-")),
    source = join(folder, "nothing.c");
  writeFileSync(source, "int main(void) { return 0; }\n");
  const found = has("cc", ...sanitizers, source, "-o", join(folder, "nothing")) && has(join(folder, "nothing"));
  rmSync(folder, { recursive: true });
  return found;
}

describe.skipIf(!compilers.includes("cc"))("the C client", () => {
  let served: ServedNode, node: string, port: number;
  const checks = hasSanitizers() ? sanitizers : ["-O2"];
  /** A program of this folder, or of a path, with the client of `client`, compiled into `folder`. */
  const compiled = async (program: string, folder: string, client = cFolder): Promise<string> => {
    const source = program.startsWith("/") ? program : join(ownFolder, program),
      out = join(folder, "program");
    await output("cc", [...strict, ...checks, "-I", client, source, join(client, "mnemosyne_clio.c"), "-o", out]);
    return out;
  };
  beforeAll(async () => {
    served = await servedNode({ ip: ownAddress(9), offloads: "all" }, { sessions: 0 });
    const { ip, nativePort } = served.settings.runtime;
    [node, port] = [formatIpv4(ip), nativePort];
  });
  afterAll(async () => {
    await served.node.settled();
    await served.stop();
  });

  it.each(compilers)("%s has no warning about it, optimised or not; the header serves C++", compiler =>
    withFolder(async folder => {
      const source = join(cFolder, "mnemosyne_clio.c");
      for (const level of ["-O0", "-O2"])
        expect(await output(compiler, [...strict, level, "-c", source, "-o", join(folder, "client.o")])).toBe("");
      const use = join(folder, "use.cc");
      writeFileSync(use, "#include <mnemosyne_clio.h>\n");
      await output(compiler, [
        "-x",
        "c++",
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        "-I",
        cFolder,
        use,
      ]);
    }),
  );

  it("every call does what it says", () =>
    withFolder(async folder => {
      const program = await compiled("calls.c", folder);
      expect(await output(program, [node, String(port)])).toBe("done\n");
    }));

  /** What lossy.c found: the sum of 200 additions, wrong reads, repetitions. */
  const overLossyNetwork = (client = cFolder): Promise<readonly number[]> =>
    withFolder(async folder => {
      const relay = await lossyRelay(node, port, losses, 1);
      try {
        const program = await compiled("lossy.c", folder, client),
          found = (await output(program, ["127.0.0.1", String(relay.port)])).trim();
        console.log(`lossy network: ${JSON.stringify(relay.counts)}; sum, wrong, repeated: ${found}`);
        expect(Math.min(...Object.values(relay.counts))).toBeGreaterThan(0);
        // An earlier try may be answered meanwhile, so not each of them. A slow machine only makes pauses longer; the
        // client's own are a quarter of the time told, 25 ms at most.
        if (relay.pauses.length > 0)
          expect(median(relay.pauses), "the time to wait is waited for").toBeGreaterThan(0.95e-6 * toldNs);
        expect(relay.yielded.size).toBeGreaterThan(0);
        return [...found.split(" ").map(Number), relay.pauses.length];
      } finally {
        relay.close();
      }
    });
  it("over a network that drops, doubles, reorders and says BUSY, every addition is done once", async () => {
    const [sum, wrong, repeated, paused] = await overLossyNetwork();
    expect([sum, wrong]).toEqual([200, 0]);
    expect(Math.min(repeated!, paused!)).toBeGreaterThan(0);
  });

  it("its codec reads and writes what the TypeScript codec does", () =>
    withFolder(async folder => {
      const upper = (name: string): string => snake(name).toUpperCase(),
        tables = nativeLayouts.map(l => {
          const fields = placementsOf(l).map(p => {
            const raw = l.fields[p.name]?.kind === "raw" ? 1 : 0;
            return `{ "${snake(p.name)}", ${upper(l.name)}_${upper(p.name)}, ${raw} },`;
          });
          return `{ "${l.name}", ${upper(l.name)}_BYTES, { ${fields.join(" ")} { 0, 0, 0, 0 } } },\n`;
        });
      writeFileSync(join(folder, "layouts.h"), tables.join(""));
      const program = join(folder, "program"),
        { input, expected } = codecCases(l => l.name);
      await output("cc", [
        ...strict,
        ...checks,
        "-I",
        cFolder,
        "-I",
        folder,
        join(ownFolder, "codec.c"),
        "-o",
        program,
      ]);
      expect((await output(program, [], { input })).trimEnd().split("\n")).toEqual(expected);
    }));

  it("whatever answers: every call ends and writes within its bounds", () =>
    withFolder(async folder => {
      const r = new Random(7),
        anything = createSocket("udp4");
      let sent = 0;
      anything.on("message", (data, from) => {
        const asked = decode(clioHeader, data.subarray(0, clioHeader.bytes)),
          body = r.bytes(r.chance(0.5) ? r.between(0, 64) : r.between(0, 1400)),
          honest = clioHeader.bytes + body.length,
          header = {
            ...asked,
            opcode: r.chance(0.8) ? replyCode(asked.opcode) : r.between(0, 255),
            status: r.chance(0.7) ? 0 : r.between(0, 15),
            size: r.chance(0.6) ? honest : r.between(0, 65535),
            requestId: r.chance(0.9) ? asked.requestId : r.between(0, 2 ** 31),
          };
        // The request's own first bytes make some replies fit.
        if (r.chance(0.5)) body.set(data.subarray(16, 16 + Math.min(12, body.length, data.length - 16)));
        sent++;
        anything.send(
          Buffer.concat([encode(clioHeader, header), body]).subarray(0, r.chance(0.1) ? r.between(0, 40) : undefined),
          from.port,
          from.address,
        );
      });
      await new Promise<void>(resolve => {
        anything.bind(0, "127.0.0.1", resolve);
      });
      try {
        const program = await compiled("hostile.c", folder),
          failures = Number(await output(program, ["127.0.0.1", String(anything.address().port)]));
        // Both happen: calls that believe a reply, and calls that refuse all of them.
        expect(failures).toBeGreaterThan(20);
        expect(failures).toBeLessThan(300);
        expect(sent).toBeGreaterThan(300);
      } finally {
        anything.close();
      }
    }));

  it("the page's program runs as it stands, 200 times", () =>
    withFolder(async folder => {
      const source = join(folder, "first.c");
      writeFileSync(source, firstProgram("c", node));
      const program = join(folder, "first");
      await output("cc", ["-I", cFolder, source, join(cFolder, "mnemosyne_clio.c"), "-o", program]);
      for (let i = 0; i < 200; i++) expect(await output(program, [])).toBe("hello, far memory\n");
    }));

  it("at the end no process of a client is left", async () => {
    await served.node.settled();
    const { memory } = served.node.slowPath;
    expect(Array.from({ length: firstOffloadPid }, (_, pid) => pid).filter(pid => memory.hasProcess(pid))).toEqual([]);
  });

  /** What comes of a client in which one place has another text. */
  const withFault = (from: string, to: string): Promise<string> =>
    withFolder(folder => {
      const client = planted(cFolder, join(folder, "client"), "mnemosyne_clio.c", from, to);
      return overLossyNetwork(client).then(([sum = 0]) => (sum > 200 ? "added twice" : "nothing"), String);
    });
  it("planted fault: the time to wait that BUSY says is not waited for", async () => {
    const from = "receive(c, r, tries, told + pause / 2";
    expect(await withFault(from, "receive(c, r, tries, 0 * told + pause / 2")).toContain("the time to wait");
  });
  it("planted fault: YIELD is an error to the program", async () => {
    const from = "status == CLIO_MIGRATING || status == CLIO_YIELD; }";
    expect(await withFault(from, "status == CLIO_MIGRATING; }")).toContain("YIELD");
  });
  it("planted fault: BUSY is not waited out", async () => {
    const from = "if (!later(status)) return status;";
    expect(await withFault(from, "return status;")).toContain("BUSY");
  });
  // Last: it leaves what its repetitions have made. The slow path may tell first: a repeated FREE_PROC finds nothing.
  it("planted fault: a repetition that does not name the first request adds twice", async () => {
    const from = "put(c->sent, CLIO_RETRY_OF, c->tries[0]);";
    expect(await withFault(from, "put(c->sent, CLIO_RETRY_OF, id);")).toMatch(/added twice|FREE_PROC/);
  });
});
