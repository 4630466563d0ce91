import { describe, expect, it } from "vitest";
import * as p from "../../../support/packets.ts";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { MappedMemory, type Outcome, ReferenceNode } from "../../../../designs/clio/model/index.ts";

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(/\s|\|/g, ""), "hex"));
const hex = (b: Uint8Array): string => Buffer.from(b).toString("hex");
const client: p.Endpoint = { mac: 0x020000000001n, ip: 0x0a0a0064, port: 5000 };

function start(given: Record<string, unknown> = {}, frames = 4) {
  const { config, runtime } = makeSettings(given),
    memory = new MappedMemory(frames),
    node = new ReferenceNode(config, runtime, memory);
  const to = (port: number): p.Endpoint => ({ mac: runtime.mac, ip: runtime.ip, port });
  const request = (
    opcode: number,
    body: Uint8Array,
    port = 1200,
    header: Partial<p.Decoded<typeof p.clioHeader>> = {},
  ) =>
    p.udpFrame(
      client,
      to(port),
      p.clioMessage(
        { pid: 1, tag: 0x11, seqId: 0x22, requestId: 0x33445566, retryOf: 0x778899aa, opcode, ...header },
        body,
      ),
    );
  const access = (
    opcode: number,
    va: bigint,
    length: number,
    data: Uint8Array = new Uint8Array(),
    port = 1200,
    pid = 1,
  ) => node.receive(request(opcode, p.concat(p.encode(p.accessBody, { va, length }), data), port, { pid }));
  return {
    config,
    runtime,
    memory,
    node,
    to,
    request,
    access,
    read: (va: bigint, n: number, pid = 1) => access(p.opcode.READ, va, n, undefined, 1200, pid),
    write: (va: bigint, d: Uint8Array) => access(p.opcode.WRITE, va, d.length, d),
  };
}
const reply = (o: Outcome): p.Dissected & { frame: Uint8Array } => {
  if (o.kind !== "reply") throw new Error(`no reply: ${JSON.stringify(o)}`);
  return { ...p.dissect(o.frame), frame: o.frame };
};
const statusOf = (o: Outcome): string => p.statusName(reply(o).clio?.status ?? -1);

describe("frames computed by hand", () => {
  const n = start();
  n.memory.map(1, 1n, { read: true, write: true });
  it("WRITE of 4 bytes on the native port", () => {
    // IPv4 checksum: 4500 + 003c + 4000 + 4011 + 0a0a + 0064 + 0a0a + 0001 = d9c6, inverted 2639; the reply is 4
    // bytes shorter: 263d.
    const out = n.node.receive(
      bytes(`02c110000001 020000000001 0800 | 4500003c00004000401126390a0a0064 0a0a0001 | 1388 04b0 0028 0000 |
      0100 11 50 40 22 2000 66554433 aa998877 | 0500400000000000 04000000 deadbeef`),
    );
    expect(hex(reply(out).frame)).toBe(
      hex(
        bytes(`020000000001 02c110000001 0800 | 45000038000040004011 263d 0a0a0001 0a0a0064 | 04b0 1388 0024 0000 |
      0100 11 51 40 22 1c00 66554433 aa998877 | 0500400000000000 04000000`),
      ),
    );
  });
  it("READ of it on a published client's port: flags 0, the rest echoed", () => {
    const out = n.node.receive(
      bytes(`02c110000001 020000000001 0800 | 45000038000040004011263d0a0a0064 0a0a0001 | 1388 04d2 0024 0000 |
      0100 fe 40 f0 22 1c00 66554433 aa998877 | 0400400000000000 06000000`),
    );
    expect(hex(reply(out).frame)).toBe(
      hex(
        bytes(`020000000001 02c110000001 0800 | 4500003e 0000 4000 4011 2637 0a0a0001 0a0a0064 | 04d2 1388 002a 0000 |
      0100 fe 41 00 22 2200 66554433 aa998877 | 0400400000000000 06000000 00deadbeef00`),
      ),
    );
  });
  it("a failed READ: va, length 0, no data, padded to nothing more than it is", () => {
    const out = n.node.receive(
      bytes(`02c110000001 020000000001 0800 | 45000038000040004011263d0a0a0064 0a0a0001 | 1388 04b0 0024 0000 |
      0100 00 40 00 00 1c00 00000000 00000000 | 0000800000000000 10000000`),
    );
    expect(hex(reply(out).frame)).toBe(
      hex(
        bytes(`020000000001 02c110000001 0800 | 45000038000040004011 263d 0a0a0001 0a0a0064 | 04b0 1388 0024 0000 |
      0100 00 41 01 00 1c00 00000000 00000000 | 0000800000000000 00000000`),
      ),
    );
  });
  it("ARP", () => {
    const out = n.node.receive(
      bytes("ffffffffffff 020000000001 0806 0001 0800 06 04 0001 020000000001 0a0a0064 000000000000 0a0a0001"),
    );
    expect(hex(reply(out).frame)).toBe(
      `02000000000102c1100000010806000108000604000202c1100000010a0a00010200000000010a0a0064${"00".repeat(18)}`,
    );
  });
  it("ICMP echo: turned round, checksum updated by 0x0800, the padding gone", () => {
    const out = n.node.receive(
      bytes(
        `02c110000001 020000000001 0800 | 45 10 001e 1234 0000 3f01 1521 0a0a0064 0a0a0001 | 08 00 f7fd 0001 0001 abcd | ${"ee".repeat(16)}`,
      ),
    );
    // The IPv4 checksum given is not the right one here, so the frame is dropped; with the right one it is answered.
    expect(out).toEqual({ kind: "drop", reason: "dropIpChecksum" });
    const good = bytes(
      `02c110000001 020000000001 0800 | 45 10 001e 1234 0000 3f01 0000 0a0a0064 0a0a0001 | 08 00 f7fd 0001 0001 abcd | ${"ee".repeat(16)}`,
    );
    p.encodeInto(p.ipv4Header, { checksum: p.internetChecksum(good, 14, 34) }, good, 14);
    const frame = reply(n.node.receive(good)).frame;
    expect(hex(frame.slice(26))).toBe(`0a0a00010a0a00640000fffd00010001abcd${"00".repeat(16)}`);
    expect(hex(frame.slice(14, 26))).toBe(hex(good.slice(14, 26)));
  });
});

describe("what is for the node", () => {
  const n = start();
  const good = () => n.request(p.opcode.PINGPONG, bytes("0102030405060708090a0b0c0d0e0f"));
  const reason = (change: (f: Uint8Array) => unknown, fcsBad = false): string => {
    const f = good(),
      changed = change(f),
      out = n.node.receive(changed instanceof Uint8Array ? changed : f, fcsBad);
    return out.kind === "drop" ? out.reason : out.kind;
  };
  const ip =
    (values: Partial<p.Decoded<typeof p.ipv4Header>>, fix = true) =>
    (f: Uint8Array): void => {
      p.encodeInto(p.ipv4Header, { ...values, checksum: 0 }, f, 14);
      if (fix) p.encodeInto(p.ipv4Header, { checksum: p.internetChecksum(f, 14, 34) }, f, 14);
    };
  it("one reason for each drop", () => {
    expect(reason(f => f)).toBe("reply");
    expect(reason(() => new Uint8Array(1537))).toBe("dropLong");
    expect(reason(f => f.slice(0, 13))).toBe("dropShort");
    expect(reason(f => f.slice(0, 33))).toBe("dropShort");
    expect(
      reason(f => {
        f[0] = 4;
      }),
    ).toBe("dropMac");
    expect(
      reason(f => {
        f.fill(0xff, 0, 6);
      }),
    ).toBe("dropMac");
    expect(
      reason(f => {
        f[12] = 0x86;
      }),
    ).toBe("dropEtherType");
    expect(
      reason(f => {
        f[13] = 6;
      }),
    ).toBe("dropArp");
    expect(reason(ip({ version: 6 }))).toBe("dropIpHeader");
    expect(reason(ip({ ihl: 4 }))).toBe("dropIpHeader");
    expect(reason(ip({ ihl: 6 }))).toBe("dropIpOptions");
    expect(reason(ip({ ttl: 3 }, false))).toBe("dropIpChecksum");
    expect(reason(ip({ moreFragments: 1 }))).toBe("dropFragment");
    expect(reason(ip({ fragmentOffset: 1 }))).toBe("dropFragment");
    expect(reason(ip({ dst: 1 }))).toBe("dropIp");
    expect(reason(ip({ totalLength: 19 }))).toBe("dropLength");
    expect(reason(f => f.slice(0, f.length - 1))).toBe("dropLength");
    expect(reason(ip({ protocol: 6 }))).toBe("dropProtocol");
    expect(reason(ip({ protocol: 1 }))).toBe("dropIcmp");
    expect(reason(ip({ totalLength: 27 }))).toBe("dropShort");
    expect(reason(ip({ protocol: 1, totalLength: 27 }))).toBe("dropShort");
    expect(
      reason(f => {
        f[36] = 0;
      }),
    ).toBe("dropPort");
    expect(
      reason(f => {
        f[39] = 30;
      }),
    ).toBe("dropLength");
    expect(
      reason(f => {
        ip({ totalLength: 43 })(f);
        f[39] = 23;
      }),
    ).toBe("dropShort");
    const { counters } = n.node,
      drops = Object.entries(counters)
        .filter(([c]) => c.startsWith("drop"))
        .reduce((s, [, v]) => s + v, 0);
    expect(counters.rxFrames).toBe(drops + counters.txFrames);
  });
  it("any MAC when told so", () => {
    const any = start({ acceptAnyMac: true }),
      f = any.request(p.opcode.PINGPONG, new Uint8Array());
    f[0] = 0xed;
    expect(reply(any.node.receive(f)).ethernet).toMatchObject({ dst: client.mac, src: any.runtime.mac });
  });
  it("corrupt frames: NACK for a request that could be read, otherwise dropped as dropFcs", () => {
    const out = n.node.receive(n.request(p.opcode.READ, new Uint8Array(12)), true);
    expect(reply(out).clio).toMatchObject({
      opcode: p.opcode.READ,
      status: p.status.NACK,
      size: 16,
      requestId: 0x33445566,
    });
    expect(reply(out).frame.length).toBe(60);
    expect(
      reason(f => {
        f[0] = 4;
      }, true),
    ).toBe("dropFcs");
    expect(reason(() => new Uint8Array(1537), true)).toBe("dropLong");
    expect(n.node.receive(n.request(p.opcode.WRITE_NOREPLY, new Uint8Array(12)), true)).toEqual({
      kind: "silent",
      why: "NACK",
    });
  });
});

describe("requests", () => {
  it("PINGPONG gives the same bytes", () => {
    const n = start(),
      body = Uint8Array.from({ length: 100 }, (_, i) => i);
    expect(reply(n.node.receive(n.request(p.opcode.PINGPONG, body)))).toMatchObject({
      clio: { opcode: 2, size: 116, tag: 0x11, seqId: 0x22, retryOf: 0x778899aa },
      body,
    });
  });
  it("MALFORMED, and no memory touched", () => {
    const n = start();
    n.memory.map(1, 1n, { read: true, write: true });
    const va = BigInt(n.config.pageSize),
      body = (length: number, data: number) =>
        p.concat(p.encode(p.accessBody, { va, length }), new Uint8Array(data).fill(7));
    const refused = (opcode: number, b: Uint8Array, header: Partial<p.Decoded<typeof p.clioHeader>> = {}): void => {
      const { clio } = reply(n.node.receive(n.request(opcode, b, 1200, header)));
      expect(clio).toMatchObject({ opcode, status: p.status.MALFORMED, size: 16 });
    };
    for (const code of [0x00, 0x45, 0x70, 0x1f, 0x30]) refused(code, body(8, 8));
    refused(p.opcode.READ, body(8, 0), { size: 29 });
    refused(p.opcode.READ, body(8, 0), { size: 27 });
    refused(p.opcode.READ, body(8, 0), { size: 15 });
    refused(p.opcode.READ, body(0, 0));
    refused(p.opcode.READ, body(n.config.maxData + 1, 0));
    refused(p.opcode.READ, body(0xffffffff, 0));
    refused(p.opcode.WRITE, body(9, 8));
    refused(p.opcode.WRITE, body(0, 8));
    refused(p.opcode.WRITE, body(8, 8), { size: 35 });
    // An atomic of other than 8 bytes, at an odd address, or without its operands. A pointer at an odd address; a write
    // behind a pointer without its data.
    refused(p.opcode.ATOMIC_TAS, body(4, 0));
    refused(p.opcode.ATOMIC_TAS, p.encode(p.accessBody, { va: va + 4n, length: 8 }));
    refused(p.opcode.ATOMIC_CAS, body(8, 15));
    refused(p.opcode.ATOMIC_FAA, body(8, 7));
    refused(p.opcode.ATOMIC_STORE, body(8, 7));
    refused(p.opcode.DEREF_READ, p.encode(p.accessBody, { va: va + 1n, length: 8 }));
    refused(p.opcode.DEREF_WRITE, body(9, 8));
    expect(n.memory.page(1, 1n)?.valid).toBe(false);
    expect(n.node.counters).toMatchObject({ malformed: 21, pageFaults: 0, reads: 0, writes: 0 });
    expect(n.node.receive(n.request(p.opcode.WRITE_NOREPLY, body(9, 8)))).toEqual({ kind: "silent", why: "MALFORMED" });
    expect(n.node.counters.unanswered).toBe(1);
  });
  it("a `size` smaller than what came ends the request; a shorter `length` writes that much", () => {
    const n = start();
    n.memory.map(1, 1n, { read: true, write: true });
    const va = BigInt(n.config.pageSize),
      data = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(
      statusOf(
        n.node.receive(
          n.request(p.opcode.WRITE, p.concat(p.encode(p.accessBody, { va, length: 4 }), data), 1200, { size: 32 }),
        ),
      ),
    ).toBe("OK");
    expect(
      statusOf(
        n.node.receive(n.request(p.opcode.WRITE, p.concat(p.encode(p.accessBody, { va: va + 8n, length: 3 }), data))),
      ),
    ).toBe("OK");
    expect(reply(n.read(va, 16)).body?.slice(12)).toEqual(
      Uint8Array.from([1, 2, 3, 4, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0]),
    );
  });
  it("go to the slow and extend paths as they came", () => {
    const n = start(),
      alloc = n.request(p.opcode.ALLOC, new Uint8Array(32));
    expect(n.node.receive(alloc)).toEqual({ kind: "forward", to: "slow", frame: alloc });
    expect(n.node.receive(n.request(p.opcode.KV_READ, new Uint8Array(1)))).toMatchObject({
      kind: "forward",
      to: "extend",
    });
  });
});

describe("accesses", () => {
  it("check permissions and mappings page by page, in address order, before any byte", () => {
    const n = start({}, 10),
      page = BigInt(n.config.pageSize),
      data = new Uint8Array(10).fill(1);
    n.memory.map(1, 1n, { read: true, write: true });
    n.memory.map(1, 2n, { read: true, write: false });
    n.memory.map(1, 4n, { read: false, write: true });
    expect(statusOf(n.write(page * 2n - 5n, data))).toBe("WRITE_PERM");
    expect(reply(n.read(page * 2n - 5n, 10)).body?.slice(12)).toEqual(new Uint8Array(10));
    expect(statusOf(n.write(page * 3n - 5n, data))).toBe("WRITE_PERM");
    expect(statusOf(n.read(page * 3n - 5n, 10))).toBe("INVALID");
    expect(statusOf(n.write(page * 4n - 5n, data))).toBe("INVALID");
    // `write` alone: the page is being copied.
    expect(statusOf(n.write(page * 4n, data))).toBe("MIGRATING");
    expect(statusOf(n.read(page * 4n, 1))).toBe("OK");
    expect(statusOf(n.read(page, 1, 2))).toBe("INVALID");
    expect(n.node.counters).toMatchObject({ writePermission: 2, readPermission: 0, invalid: 4 });
  });
  it("cross pages", () => {
    const n = start(),
      page = BigInt(n.config.pageSize),
      data = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
    n.memory.map(1, 7n, { read: true, write: true });
    n.memory.map(1, 8n, { read: true, write: true });
    expect(statusOf(n.write(page * 8n - 300n, data))).toBe("OK");
    expect(reply(n.read(page * 8n - 301n, 1002)).body?.slice(12)).toEqual(
      p.concat(new Uint8Array(1), data, new Uint8Array(1)),
    );
    expect(n.node.counters.pageFaults).toBe(2);
  });
  it("end at 2^50, without wrapping", () => {
    const n = start(),
      top = 2n ** 50n,
      page = BigInt(n.config.pageSize);
    n.memory.map(1, top / page - 1n, { read: true, write: true });
    n.memory.map(1, 0n, { read: true, write: true });
    expect(statusOf(n.read(top - 8n, 8))).toBe("OK");
    expect(statusOf(n.read(top - 8n, 9))).toBe("INVALID");
    expect(statusOf(n.read(top, 1))).toBe("INVALID");
    expect(statusOf(n.read(2n ** 64n - 1n, 2))).toBe("INVALID");
    expect(statusOf(n.read(top + 5n, 1))).toBe("INVALID");
  });
  it("fault a zeroed page in, and say OUT_OF_MEMORY when there is none", () => {
    const n = start({}, 1),
      page = BigInt(n.config.pageSize);
    for (const v of [1n, 2n]) n.memory.map(1, v, { read: true, write: true });
    expect(reply(n.read(page, 4)).body?.slice(12)).toEqual(new Uint8Array(4));
    expect(statusOf(n.write(page * 2n, new Uint8Array(1)))).toBe("OUT_OF_MEMORY");
    expect(statusOf(n.write(page, new Uint8Array(1)))).toBe("OK");
    n.memory.unmap(1, 1n);
    expect(statusOf(n.write(page * 2n, new Uint8Array(1)))).toBe("OK");
  });
});

describe("atomics, pointers, fences", () => {
  const word = (body: Uint8Array | undefined): bigint =>
    new DataView((body ?? new Uint8Array(20)).slice(12).buffer).getBigUint64(0, true);
  const begin = () => {
    const n = start(),
      page = BigInt(n.config.pageSize);
    n.memory.map(1, 1n, { read: true, write: true });
    n.memory.map(1, 2n, { read: true, write: false });
    const ask = (code: number, body: Uint8Array) => reply(n.node.receive(n.request(code, body)));
    return { ...n, page, ask, at: (va: bigint) => ({ va, length: 8 }) };
  };
  it("TAS, CAS, FAA and STORE give the number before and leave the one after", () => {
    const { ask, at, page, node } = begin(),
      a = at(page + 8n);
    const taken = ask(p.opcode.ATOMIC_TAS, p.encode(p.accessBody, a));
    expect(taken.clio).toMatchObject({ opcode: 0x41, status: 0, size: 36 });
    expect(word(taken.body)).toBe(0n);
    expect(word(ask(p.opcode.ATOMIC_TAS, p.encode(p.accessBody, a)).body)).toBe(1n);
    expect(word(ask(p.opcode.ATOMIC_CAS, p.encode(p.casBody, { ...a, compare: 0n, swap: 9n })).body)).toBe(1n);
    expect(word(ask(p.opcode.ATOMIC_CAS, p.encode(p.casBody, { ...a, compare: 1n, swap: 2n ** 64n - 1n })).body)).toBe(
      1n,
    );
    expect(word(ask(p.opcode.ATOMIC_FAA, p.encode(p.faaBody, { ...a, addend: 5n })).body)).toBe(2n ** 64n - 1n);
    expect(word(ask(p.opcode.ATOMIC_TAS, p.encode(p.accessBody, a)).body)).toBe(4n);
    expect(ask(p.opcode.ATOMIC_STORE, p.encode(p.storeBody, { ...a, value: 0n }))).toMatchObject({
      clio: { opcode: 0x51, status: 0, size: 28 },
    });
    expect(word(ask(p.opcode.ATOMIC_FAA, p.encode(p.faaBody, { ...a, addend: 0n })).body)).toBe(0n);
    expect(node.counters.atomics).toBe(8);
  });
  it("need both rights, and fail with length 0", () => {
    const { ask, at, page } = begin();
    expect(ask(p.opcode.ATOMIC_FAA, p.encode(p.faaBody, { ...at(2n * page), addend: 1n }))).toMatchObject({
      clio: { opcode: 0x41, status: p.status.WRITE_PERM, size: 28 },
    });
    expect(ask(p.opcode.ATOMIC_STORE, p.encode(p.storeBody, { ...at(9n * page), value: 1n }))).toMatchObject({
      clio: { opcode: 0x51, status: p.status.INVALID, size: 28 },
    });
  });
  it("follow a pointer, whose target's address comes back", () => {
    const { ask, write, page, node } = begin(),
      target = page + 100n,
      lost = 9n * page;
    const pointer = (to: bigint): Uint8Array => {
      const b = new Uint8Array(8);
      new DataView(b.buffer).setBigUint64(0, to, true);
      return b;
    };
    write(page, pointer(target));
    write(page + 8n, pointer(lost));
    write(page + 16n, pointer(2n * page));
    const through = (code: number, va: bigint, data = new Uint8Array()) =>
      ask(code, p.concat(p.encode(p.accessBody, { va, length: 3 }), data));
    const vaOf = (d: p.Dissected): bigint => p.decode(p.accessBody, d.body as Uint8Array).va;
    const written = through(p.opcode.DEREF_WRITE, page, Uint8Array.of(7, 8, 9));
    expect([written.clio?.opcode, written.clio?.status, vaOf(written)]).toEqual([0x51, 0, target]);
    const found = through(p.opcode.DEREF_READ, page);
    expect([found.clio?.opcode, vaOf(found), [...(found.body ?? []).slice(12)]]).toEqual([0x41, target, [7, 8, 9]]);
    // A fault behind the pointer is reported of the target; a fault of the pointer's own page, of the pointer.
    const beyond = through(p.opcode.DEREF_READ, page + 8n),
      readOnly = through(p.opcode.DEREF_WRITE, page + 16n, new Uint8Array(3)),
      nowhere = through(p.opcode.DEREF_READ, 8n * page);
    expect([beyond, readOnly, nowhere].map(d => [d.clio?.status, vaOf(d)])).toEqual([
      [p.status.INVALID, lost],
      [p.status.WRITE_PERM, 2n * page],
      [p.status.INVALID, 8n * page],
    ]);
    expect(node.counters.dereferences).toBe(4);
  });
  it("a FENCE is answered with its header", () => {
    expect(begin().ask(p.opcode.FENCE, new Uint8Array(5)).clio).toMatchObject({ opcode: 0x4b, status: 0, size: 16 });
  });
});

describe("retries", () => {
  const faa = (n: ReturnType<typeof start>, requestId: number, retryOf?: number, port = 1200) => {
    const header = { flagTracked: 1, requestId, ...(retryOf === undefined ? {} : { flagRetry: 1, retryOf }) };
    const d = reply(
      n.node.receive(
        n.request(
          p.opcode.ATOMIC_FAA,
          p.encode(p.faaBody, { va: BigInt(n.config.pageSize), length: 8, addend: 1n }),
          port,
          header,
        ),
      ),
    );
    return [
      p.statusName(d.clio?.status ?? -1),
      d.clio?.status === 0
        ? Number(new DataView((d.body as Uint8Array).slice(12).buffer).getBigUint64(0, true))
        : undefined,
    ];
  };
  const begin = () => {
    const n = start();
    n.memory.map(1, 1n, { read: true, write: true });
    return n;
  };
  it("are answered as the first was, whatever number they have", () => {
    const n = begin();
    expect([faa(n, 100), faa(n, 101), faa(n, 102, 100), faa(n, 100), faa(n, 103, 100), faa(n, 104)]).toEqual([
      ["OK", 0],
      ["OK", 1],
      ["OK", 0],
      ["OK", 0],
      ["OK", 0],
      ["OK", 2],
    ]);
    expect(n.node.counters.retriesAnswered).toBe(3);
  });
  it("are done when the first never came", () => {
    const n = begin();
    expect([faa(n, 1), faa(n, 3, 2), faa(n, 2), faa(n, 4)]).toEqual([
      ["OK", 0],
      ["OK", 1],
      ["OK", 1],
      ["OK", 2],
    ]);
  });
  it("are EXPIRED when the client is not known, or the operation has been forgotten", () => {
    const n = begin();
    expect(faa(n, 8, 7)).toEqual(["EXPIRED", undefined]);
    expect(faa(n, 9)).toEqual(["OK", 0]);
    for (let i = 10; i < 10 + 2 * n.config.retryEntries; i++) faa(n, i);
    expect(faa(n, 100_000, 9)).toEqual(["EXPIRED", undefined]);
    expect(n.node.counters.atomics).toBe(2 * n.config.retryEntries + 1);
  });
  it("mean nothing on the published client's ports", () => {
    const n = begin();
    expect([faa(n, 5, undefined, 1234), faa(n, 5, undefined, 1234), faa(n, 6, 5, 1234)]).toEqual([
      ["OK", 0],
      ["OK", 1],
      ["OK", 2],
    ]);
  });
});
