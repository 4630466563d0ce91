/** A port as a UDP port: programs behind it get the frames that are theirs. */
import { createSocket, type Socket } from "node:dgram";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FrameLog, FramePort } from "../../../../../designs/shared/rig/index.ts";
import { encode, ethernetHeader, formatIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { readCapture } from "../../../../../sim/index.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const ip = 0x7f5e_0001 + (process.pid & 0xff) * 256,
  broadcast = 2n ** 48n - 1n;
const frame = (dst: bigint, src: bigint): Uint8Array => encode(ethernetHeader, { dst, src, etherType: 0x0800 });

/** A program, and how many frames it got. */
class Program {
  readonly socket: Socket;
  got = 0;
  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("message", () => this.got++);
  }
  static async open(): Promise<Program> {
    const socket = createSocket("udp4");
    await new Promise<void>(resolve => {
      socket.bind(0, "127.0.0.1", resolve);
    });
    return new Program(socket);
  }
  send(data: Uint8Array): void {
    this.socket.send(data, 7000, formatIpv4(ip));
  }
}

describe("a port as a UDP port", () => {
  let port: FramePort, a: Program, b: Program, arrived: Uint8Array[], wake: () => void;
  beforeEach(async () => {
    port = await FramePort.open({ ip, port: 7000 }, { port: "" });
    [a, b, arrived, wake] = [await Program.open(), await Program.open(), [], () => undefined];
    port.attach(f => {
      arrived.push(f);
      wake();
    });
  });
  afterEach(async () => {
    await port.close();
    a.socket.close();
    b.socket.close();
  });
  /** Until so many frames have come in. */
  const came = async (n: number): Promise<void> => {
    while (arrived.length < n)
      await new Promise<void>(resolve => {
        wake = resolve;
      });
  };
  const got = async (p: Program, n: number): Promise<void> => {
    while (p.got < n) await new Promise(resolve => p.socket.once("message", resolve));
  };

  it("a frame leaves for the program that has sent from its destination, else for all", async () => {
    port.send(frame(1n, 9n));
    expect(port.lost).toBe(1);
    a.send(frame(9n, 2n));
    b.send(frame(9n, 4n));
    await came(2);
    port.send(frame(2n, 9n));
    port.send(frame(4n, 9n));
    port.send(frame(broadcast, 9n));
    port.send(frame(6n, 9n));
    await Promise.all([got(a, 3), got(b, 3)]);
    // What has moved is where it was seen last; a group is nobody's.
    b.send(frame(9n, 2n));
    b.send(frame(9n, broadcast));
    await came(4);
    port.send(frame(2n, 9n));
    port.send(frame(broadcast, 9n));
    await Promise.all([got(a, 4), got(b, 5)]);
    expect([a.got, b.got, port.lost]).toEqual([4, 5, 1]);
  });
  it("takes garbage of every length, and counts what no frame holds", async () => {
    a.send(new Uint8Array(9019));
    a.send(new Uint8Array(60_000));
    for (let n = 0; n <= 20; n++) a.send(new Uint8Array(n));
    await came(21);
    expect(arrived.map(f => f.length).toSorted((x, y) => x - y)).toEqual(Array.from({ length: 21 }, (_, n) => n));
    expect([port.tooLong, port.lost]).toEqual([2, 0]);
  });
  it("forgets the program that was silent longest for the 65th", async () => {
    a.send(frame(9n, 2n));
    b.send(frame(9n, 4n));
    await came(2);
    const more = await Promise.all(Array.from({ length: 63 }, () => Program.open()));
    for (const [i, p] of more.entries()) {
      p.send(new Uint8Array(5));
      await came(3 + i);
    }
    port.send(frame(broadcast, 9n));
    await Promise.all([b, ...more].map(p => got(p, 1)));
    expect(a.got).toBe(0);
    for (const p of more) p.socket.close();
  });
});

it("a capture can be read beside the service, frame by frame", () => {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-log-")),
    path = join(folder, "log.pcapng"),
    log = new FrameLog(path, ["port 0", "port 1"]);
  try {
    const read = () => readCapture(readFileSync(path), path);
    expect(read()).toEqual([]);
    log.add(1, 1000, frame(2n, 4n));
    const [first] = read();
    log.add(0, 1504, new Uint8Array(61));
    const both = read();
    expect(both.map(f => [f.interface, f.bytes.length])).toEqual([
      [1, 14],
      [0, 61],
    ]);
    expect((both[1]?.timeNs ?? 0n) - (first?.timeNs ?? 0n)).toBe(504n);
  } finally {
    log.close();
    rmSync(folder, { recursive: true });
  }
});
