import { describe, expect, it } from "vitest";
import fc from "fast-check";
import * as p from "../../../support/packets.ts";
import { publishedCapture } from "../../../support/captures.ts";

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const layouts: readonly p.Layout[] = [
  ...new Set([
    p.ethernetHeader,
    p.arpPacket,
    p.ipv4Header,
    p.icmpHeader,
    p.udpHeader,
    p.gbnHeader,
    p.clioHeader,
    ...p.operations.flatMap(o => [o.body, o.reply?.body]),
  ] as (p.Layout | undefined)[]),
].filter(l => l !== undefined);

describe("layouts", () => {
  it("have the sizes of the published format", () => {
    const sizes = Object.fromEntries(layouts.map(l => [l.name, l.bytes]));
    expect(sizes).toMatchObject({
      ethernet: 14,
      arp: 28,
      ipv4: 20,
      udp: 8,
      gbn: 8,
      clio: 16,
      access: 12,
      kv: 12,
      kvReply: 4,
      alloc: 32,
      allocReply: 24,
      createProc: 64,
      createProcReply: 8,
      ret: 4,
      session: 4,
      migration: 20,
      join: 44,
      newNode: 108,
      pointerChase: 24,
    });
  });
  it("refuse fields that end in the middle of a byte", () => {
    expect(() => p.layout("x", "x", "le", { a: p.num(3, "") })).toThrow("layout x: 3 bits do not fill whole bytes");
    expect(() => p.layout("x", "x", "le", { a: p.num(4, ""), b: p.raw(8, ""), c: p.num(4, "") })).toThrow(
      "layout x: the bytes of b start in the middle of a byte (bit 4)",
    );
  });
});

describe("codec", () => {
  it("decodes a frame that the published client sent", () => {
    const frame = publishedCapture("kv")[2]?.bytes ?? new Uint8Array();
    const d = p.dissect(frame);
    expect(d.ethernet).toEqual({ dst: 0xed41fd7f0000n, src: 0x020000000001n, etherType: 0x0800 });
    expect(d.ipv4).toMatchObject({
      version: 4,
      ihl: 5,
      totalLength: 1080,
      dontFragment: 1,
      ttl: 64,
      protocol: 17,
      checksum: 0x2219,
      src: 0x0a4d0001,
      dst: 0x0a4d0002,
    });
    expect(d.udp).toEqual({ srcPort: 10004, dstPort: 1234, length: 1060, checksum: 0 });
    expect(d.clio).toMatchObject({ pid: 1, opcode: p.opcode.KV_CREATE, size: 1052, requestId: 0x00046789, retryOf: 2 });
    expect(d.body?.length).toBe(1036);
    expect(p.decode(p.kvBody, d.body ?? frame)).toEqual({ user: 0, keySize: 8, valueSize: 1024, key: 0x223456789n });
  });
  it("places the status and the flags in byte 4 as the format says", () => {
    const h = p.encode(p.clioHeader, {
      pid: 0x0201,
      tag: 3,
      opcode: 0x40,
      status: 9,
      flagTracked: 1,
      seqId: 5,
      size: 0x0706,
      requestId: 0x0b0a0908,
      retryOf: 0x0f0e0d0c,
    });
    expect(Buffer.from(h).toString("hex")).toBe("01020340" + "49" + "05" + "0607" + "08090a0b" + "0c0d0e0f");
    expect(p.encode(p.clioHeader, { flagRoute: 1 })[4]).toBe(0x10);
    expect(p.encode(p.clioHeader, { flagRepl: 1 })[4]).toBe(0x20);
    expect(p.encode(p.clioHeader, { flagRetry: 1 })[4]).toBe(0x80);
  });
  it("packs network-order fields most significant bit first and Go-Back-N slots bit 0 first", () => {
    expect([
      ...p.encode(p.ipv4Header, { version: 4, ihl: 5, dontFragment: 1, fragmentOffset: 0x1001 }).slice(0, 8),
    ]).toEqual([0x45, 0, 0, 0, 0, 0, 0x50, 0x01]);
    expect([...p.encode(p.gbnHeader, { type: 3, sequence: 1, srcSlot: 0x3ff, dstSlot: 1 })]).toEqual([
      3, 1, 0, 0, 0, 0xff, 0x07, 0,
    ]);
  });
  it("names the field whose value does not fit", () => {
    expect(() => p.encode(p.clioHeader, { pid: 65536 })).toThrow("clio: pid holds 16 bits, 65536 does not fit");
    expect(() => p.encode(p.accessBody, { va: -1n })).toThrow("access: va holds 64 bits, -1 does not fit");
    expect(() => p.decode(p.accessBody, new Uint8Array(11))).toThrow("access: needs 12 bytes at offset 0, got 11");
    expect(() => p.encode(p.createProcBody, { processName: new Uint8Array(65) })).toThrow(
      "createProc: processName holds 64 bytes, got 65",
    );
  });
  it("encodes what it decodes, for every layout and any bytes; hardware slices cut the same values", () => {
    for (const l of layouts) {
      fc.assert(
        fc.property(fc.uint8Array({ minLength: l.bytes, maxLength: l.bytes }), data => {
          const values = p.decode(l, data);
          expect(p.encode(l, values)).toEqual(data);
          const vector = data.reduceRight((n, b) => (n << 8n) | BigInt(b), 0n);
          for (const [name, slice] of Object.entries(p.slicesOf(l))) {
            const cut = slice.runs.reduce(
              (v, r) => v | (((vector >> BigInt(r.lsb)) & ((1n << BigInt(r.width)) - 1n)) << BigInt(r.to)),
              0n,
            );
            const value: unknown = values[name];
            const expected =
              value instanceof Uint8Array
                ? value.reduceRight((n, b) => (n << 8n) | BigInt(b), 0n)
                : BigInt(value as number | bigint);
            expect(cut, `${l.name}.${name}`).toBe(expected);
          }
        }),
        { numRuns: 20, seed: 1 },
      );
    }
  });
  it("gives the struct shape in wire order", () => {
    expect(p.shapeOf(p.accessBody)).toEqual({
      kind: "struct",
      fields: { va: { kind: "uint", width: 64 }, length: { kind: "uint", width: 32 } },
    });
  });
});

describe("opcodes", () => {
  it("have unique codes and the reply codes of the published format", () => {
    expect(new Set(p.operations.map(o => o.code)).size).toBe(p.operations.length);
    expect([p.replyCode(0x40), p.replyCode(0x50), p.replyCode(0x62), p.replyCode(0x80), p.replyCode(0x9f)]).toEqual([
      0x41, 0x51, 0x63, 0x81, 0xa0,
    ]);
    expect(p.opcodeName(0x81)).toBe("ALLOC_REPLY");
  });
  it("go where the match-and-action table says", () => {
    const at = (a: p.Action): number[] =>
      Array.from({ length: 256 }, (_, c) => c).filter(c => p.defaultAction(c) === a);
    expect(at("fast")).toEqual([0x02, 0x40, 0x42, 0x43, 0x44, 0x48, 0x49, 0x4a, 0x4b, 0x50, 0x52]);
    expect(at("slow")).toEqual(Array.from({ length: 128 }, (_, i) => 0x80 + i));
    expect(at("extend")).toEqual([
      ...Array.from({ length: 16 }, (_, i) => 0x20 + i),
      ...Array.from({ length: 32 }, (_, i) => 0x60 + i).filter(c => c !== 0x70),
    ]);
    expect(p.defaultAction(p.opcode.TLB_SHOOTDOWN)).toBe("malformed");
  });
});

describe("checksums", () => {
  it("agree with the published client's own", () => {
    for (const { bytes: frame } of publishedCapture("read-write")) {
      const d = p.dissect(frame);
      if (d.ipv4) expect(p.internetChecksum(frame, 14, 34)).toBe(0);
    }
  });
  it("update incrementally to the same value as computing afresh", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 8, maxLength: 64 }),
        fc.integer({ min: 0, max: 0xffff }),
        (data, after) => {
          const even = data.slice(0, data.length & ~1),
            before = (even[0] ?? 0) * 256 + (even[1] ?? 0);
          const changed = Uint8Array.from(even);
          changed[0] = after >> 8;
          changed[1] = after & 0xff;
          const updated = p.updateChecksum(p.internetChecksum(even), before, after),
            fresh = p.internetChecksum(changed);
          // 0x0000 and 0xffff are the same number in ones' complement.
          expect(updated % 0xffff).toBe(fresh % 0xffff);
        },
      ),
      { seed: 2 },
    );
    expect(p.updateChecksum(0x75c8, 0x0800, 0x0000)).toBe(0x7dc8);
  });
});

describe("addresses and user data", () => {
  it("parse and print", () => {
    expect(p.formatMac(p.parseMac("02:c1:10:00:00:01"))).toBe("02:c1:10:00:00:01");
    expect(p.formatIpv4(p.parseIpv4("10.77.0.2"))).toBe("10.77.0.2");
    expect(() => p.parseIpv4("10.77.0.256")).toThrow(
      'an IPv4 address is four numbers of 0 to 255 with dots, such as 10.10.0.1, got "10.77.0.256"',
    );
  });
  it("are checked against field widths", () => {
    const schema = p.valuesSchema(p.allocBody);
    expect(schema.parse({ addr: "0x1000", len: 4096 })).toEqual({ addr: 0x1000n, len: 4096n });
    expect(schema.safeParse({ addr: "1".repeat(30) }).error?.issues[0]?.message).toBe("addr holds 64 bits");
    expect(schema.safeParse({ address: 1 }).success).toBe(false);
  });
  it("build a frame that dissects to the same", () => {
    const from = { mac: 0x020000000001n, ip: 0x0a4d0001, port: 10004 },
      to = { mac: 0x020000000002n, ip: 0x0a4d0002, port: 1200 };
    const frame = p.udpFrame(from, to, p.clioMessage({ pid: 7, opcode: p.opcode.PINGPONG }, bytes("010203")));
    expect(frame.length).toBe(61);
    expect(p.dissect(frame)).toMatchObject({
      clio: { pid: 7, opcode: 2, size: 19 },
      body: bytes("010203"),
      udp: { length: 27 },
    });
  });
});

/** Layouts of both byte orders, with fields across bytes and wider than a number. */
const parameterSets: readonly p.Layout[] = [
  p.layout("network", "Network order", "be", { a: p.num(4, ""), b: p.big(50, ""), c: p.num(2, ""), d: p.raw(24, "") }),
  p.layout("little", "Little-endian", "le", { a: p.num(13, ""), b: p.num(3, ""), c: p.big(64, ""), d: p.num(32, "") }),
];
describe.each(parameterSets)("the codec, $order", l => {
  /** Bit by bit from the layout's own words: names and widths in wire order. */
  const slowly = (values: Readonly<Record<string, number | bigint | Uint8Array>>): Uint8Array => {
    const out = new Uint8Array(l.bytes);
    let at = 0;
    for (const [name, f] of Object.entries(l.fields)) {
      const v = values[name] as number | bigint | Uint8Array;
      for (let i = 0; i < f.bits; i++, at++) {
        const inByte = at % 8,
          isRaw = v instanceof Uint8Array,
          bit = isRaw
            ? ((v[i >> 3] ?? 0) >> (i & 7)) & 1
            : Number((BigInt(v) >> BigInt(l.order === "be" ? f.bits - 1 - i : i)) & 1n);
        out[at >> 3] = (out[at >> 3] ?? 0) | (bit << (l.order === "be" && !isRaw ? 7 - inByte : inByte));
      }
    }
    return out;
  };
  const check = (encode: typeof p.encode): void => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: l.bytes, maxLength: l.bytes }), given => {
        const values = p.decode(l, given);
        expect(encode(l, values)).toEqual(given);
        expect(slowly(values)).toEqual(given);
      }),
      { numRuns: 200, seed: 2 },
    );
  };
  it("agrees with a reference that goes bit by bit", () => {
    check(p.encode);
  });
  it("a planted fault is found: a bit is lost", () => {
    expect(() => {
      check((of, values) => p.encode(of, values).map((v, i) => (i === 1 ? v & 0x7f : v)));
    }).toThrow();
  });
});
