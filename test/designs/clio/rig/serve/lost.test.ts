import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import * as p from "../../../../support/packets.ts";
import { formatIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { clockPeriod } from "../../../../../designs/clio/config/index.ts";
import { totalsLine } from "../../../../../designs/shared/rig/index.ts";
import { ownAddress, servedNode, UdpClient } from "./served.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

describe("datagrams that never become frames", () => {
  it("are counted and printed: 60 KB, and what the system dropped while nothing took it", async () => {
    const served = await servedNode({ ip: ownAddress(3) }),
      { ip, nativePort } = served.settings.runtime,
      client = await UdpClient.open();
    client.send(ip, nativePort, new Uint8Array(60_000));
    client.send(ip, nativePort, new Uint8Array(9001));
    await client.ask(ip, nativePort, p.clioMessage({ opcode: p.opcode.PINGPONG }));
    // Another process sends while this one, with the node in it, does nothing else.
    const many = 12_000;
    execFileSync(process.execPath, [
      "-e",
      `const s = require("dgram").createSocket("udp4"); let left = ${many};
       const next = e => { if (e) throw e; if (left-- === 0) s.close(); else s.send(Buffer.alloc(1400), ${nativePort}, "${formatIpv4(ip)}", next); };
       next();`,
    ]);
    while ((await client.ask(ip, nativePort, p.clioMessage({ opcode: p.opcode.PINGPONG }))).header.status !== 0);
    const end = await served.stop();
    await client.close();
    expect(end.tooLong).toBe(2);
    expect(end.overflowed).toBeGreaterThan(0);
    // Nothing is lost without a count.
    expect(end.framesIn + end.overflowed).toBeGreaterThanOrEqual(many);
    expect(totalsLine(end, clockPeriod)).toMatch(
      new RegExp(`, ${end.overflowed} lost in the system's full sockets, 2 dropped, longer than a frame;`),
    );
  });
});
