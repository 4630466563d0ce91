import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  enclosedFrame,
  encloseFrame,
  linkAnswer,
  linkKind,
  pfcFrame,
  putShims,
  readPfc,
  type Shims,
  snicKind,
  takeApart,
} from "../../../../designs/supernic/wire/index.ts";
import { concat, PacketError } from "../../../../designs/shared/wire/index.ts";
import * as v from "./vectors.ts";

const link = { kind: linkKind.data, class: 5, flags: 0, sequence: 0x1234, ack: 0xfffe },
  vlan = { priority: 6, dropEligible: 0, id: 0x123 },
  snic = {
    version: 1,
    kind: snicKind.data,
    ttl: 9,
    stage: 2,
    uid: 0x1701,
    origin: 7,
    ingress: 3,
    unused: 0,
    unprocessed: 1,
  },
  redirected = { ...snic, kind: snicKind.redirect, ttl: 8, stage: 0, unprocessed: 0 };
const macs = { dst: v.dst, src: v.src };
const hex = (b: Uint8Array): string => Buffer.from(b).toString("hex");

describe("frames written by hand", () => {
  /** Name, shims, bytes by hand, zeros behind the frame once the shims are off. */
  const cases: readonly (readonly [string, Shims, Uint8Array, number])[] = [
    ["without any", {}, v.plainPadded, 16],
    ["a link shim", { link }, v.linkData, 8],
    ["a sNIC shim", { snic }, v.shimData, 8],
    ["a tag in front of the sNIC shim", { vlan, snic }, v.tagged, 4],
    ["all three", { link, vlan, snic }, v.all, 0],
  ];
  it.each(cases)("%s: the codec writes them and takes them apart", (_name, shims, bytes, padding) => {
    expect(hex(putShims(v.plain, shims))).toBe(hex(bytes));
    const { frame, ...taken } = takeApart(bytes);
    expect(taken).toEqual(shims);
    expect(hex(frame)).toBe(hex(concat(v.plain, new Uint8Array(padding))));
  });
  it("a NACK: nothing follows", () => {
    expect(hex(linkAnswer(macs, "nack", { class: 0, ack: 0x102 }))).toBe(hex(v.linkNack));
    const { frame, link: answer } = takeApart(v.linkNack);
    expect(answer).toEqual({ kind: linkKind.nack, class: 0, flags: 0, sequence: 0, ack: 0x102 });
    expect(frame.length).toBe(14);
  });
  it("a redirect: 22 bytes more, and the frame inside as it was", () => {
    const inner = v.shimData.slice(0, 52),
      out = encloseFrame(macs, redirected, inner);
    expect(hex(out)).toBe(hex(v.redirect));
    expect(out.length).toBe(inner.length + 22);
    expect(hex(enclosedFrame(takeApart(v.redirect)))).toBe(hex(inner));
  });
  it("a frame grows by 38 bytes at most", () => {
    const inner = putShims(concat(v.plain, new Uint8Array(40)), { snic });
    expect(putShims(encloseFrame(macs, redirected, inner), { link }).length).toBe(v.plain.length + 40 + 38);
  });
  it("PFC", () => {
    expect(hex(pfcFrame(v.src, { 1: 0x1111, 2: 0, 6: 0xffff }))).toBe(hex(v.pfc));
    expect(readPfc(v.pfc)).toEqual({ 1: 0x1111, 2: 0, 6: 0xffff });
  });
});

describe("random frames", () => {
  const number = (bits: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: 2 ** bits - 1 });
  const anyLink = fc.record({
      kind: fc.constant(linkKind.data),
      class: number(3),
      flags: number(8),
      sequence: number(16),
      ack: number(16),
    }),
    anyVlan = fc.record({ priority: number(3), dropEligible: number(1), id: number(12) }),
    anySnic = fc.record({
      version: fc.constant(1),
      kind: fc.constant(snicKind.data),
      ttl: fc.integer({ min: 1, max: 15 }),
      stage: number(4),
      uid: number(16),
      origin: number(8),
      ingress: number(4),
      unused: fc.constant(0),
      unprocessed: number(1),
    });
  const anyShims = fc.record({ link: anyLink, vlan: anyVlan, snic: anySnic }, { requiredKeys: [] });
  const frameOf = (body: Uint8Array): Uint8Array => concat(v.plain.slice(0, 14), body);

  it("come apart as they were put together, with any shims, and inside a redirect", () => {
    fc.assert(
      fc.property(anyShims, anySnic, fc.uint8Array({ minLength: 46, maxLength: 9004 }), (shims, outer, body) => {
        const frame = frameOf(body),
          out = putShims(frame, shims);
        expect(takeApart(out)).toEqual({ ...shims, frame });
        const { link: _link, ...inner } = shims,
          enclosed = encloseFrame(macs, { ...outer, kind: snicKind.onward }, putShims(frame, inner));
        expect(takeApart(enclosedFrame(takeApart(enclosed)))).toEqual({ ...inner, frame });
      }),
      { numRuns: 200 },
    );
  });
  it("of arbitrary bytes are taken apart or refused in one sentence, never anything else", () => {
    const types = fc.constantFrom("88b6", "88b5", "8100", "0800");
    fc.assert(
      fc.property(types, fc.uint8Array({ maxLength: 80 }), (type, rest) => {
        const frame = concat(v.plain.slice(0, 12), new Uint8Array(Buffer.from(type, "hex")), rest);
        try {
          takeApart(frame);
        } catch (e) {
          expect(e).toBeInstanceOf(PacketError);
          expect((e as Error).message).toMatch(/^[a-z]+: [^\n]+$/);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("malformed frames", () => {
  /** The frame with other bytes from `at`. */
  const changed = (frame: Uint8Array, at: number, text: string): Uint8Array => {
    const out = frame.slice();
    out.set(new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex")), at);
    return out;
  };
  const refused: readonly (readonly [string, Uint8Array])[] = [
    ["ethernet: needs 14 bytes at offset 0, got 13", v.plain.slice(0, 13)],
    ["link: needs 8 bytes at offset 14, got 7", v.linkData.slice(0, 21)],
    ["link: kind is 0; it must be 1 (data), 2 (ACK) or 3 (NACK)", changed(v.linkData, 14, "05")],
    ["link: kind is 4; it must be 1 (data), 2 (ACK) or 3 (NACK)", changed(v.linkData, 14, "45")],
    ["link: class is 8; it must be 0 to 7", changed(v.linkData, 14, "18")],
    ["link: next is 0 in a data frame; it must be an EtherType", changed(v.linkData, 20, "0000")],
    ["link: next is 0x0800 in an ACK or NACK; it must be 0", changed(v.linkNack, 20, "0800")],
    ["link: next is 0x8808; PFC must come without a link shim", changed(v.linkData, 20, "8808")],
    ["order: a link shim must be the first behind the MACs, and the only one", changed(v.linkData, 20, "88b6")],
    ["order: a link shim must be the first behind the MACs, and the only one", changed(v.shimData, 20, "88b6")],
    ["vlan: needs 4 bytes at offset 14, got 3", v.tagged.slice(0, 17)],
    ["snic: needs 8 bytes at offset 14, got 0", v.shimData.slice(0, 14)],
    ["snic: version is 0; it must be 1", changed(v.shimData, 14, "01")],
    ["snic: version is 2; it must be 1", changed(v.shimData, 14, "21")],
    ["snic: kind is 0; it must be 1 (data), 2 (redirect) or 3 (onward)", changed(v.shimData, 14, "10")],
    ["snic: ttl is 0; it must be 1 or more", changed(v.shimData, 15, "02")],
    ["snic: unused is 4; it must be 0", changed(v.shimData, 19, "39")],
    ["order: MAC control must come without a tag or shim", changed(v.shimData, 20, "8808")],
    ["order: MAC control must come without a tag or shim", changed(v.tagged, 24, "8808")],
    ["snic: the frame inside is MAC control; it must not leave its link", encloseFrame(macs, redirected, v.pfc)],
    ["order: a sNIC shim must come once", changed(v.shimData, 20, "88b5")],
    ["snic: next is 0x6558 in a data frame; only a redirect holds a frame", changed(v.shimData, 20, "6558")],
    ["snic: next is 0x0800 in a redirect; it must be 0x6558", changed(v.redirect, 20, "0800")],
    ["snic: the frame inside has 13 bytes; it must have 14 or more", v.redirect.slice(0, 35)],
    ["snic: needs 8 bytes at offset 14, got 4", v.redirect.slice(0, 40)],
    ["snic: the frame inside is a redirect itself; it must not be", encloseAgain()],
    ["snic: the frame inside has a link shim; it must be taken off first", encloseFrame(macs, redirected, v.linkData)],
  ];
  function encloseAgain(): Uint8Array {
    return encloseFrame(macs, redirected, v.redirect);
  }
  it.each(refused)("%s", (sentence, frame) => {
    expect(() => takeApart(frame)).toThrow(new PacketError(sentence));
  });
  it("a second tag, or one behind the shim, is part of the frame", () => {
    expect(takeApart(changed(v.tagged, 16, "8100")).frame[12]).toBe(0x81);
    expect(takeApart(changed(v.shimData, 20, "8100")).frame.slice(12, 14)).toEqual(new Uint8Array([0x81, 0]));
  });
  it.each([
    ["pfc: EtherType is 0x0800; it must be 0x8808", v.plainPadded],
    ["pfc: destination must be 01:80:c2:00:00:01", changed(v.pfc, 5, "02")],
    ["pfc: opcode is 0x0001; it must be 0x0101", changed(v.pfc, 14, "00")],
    ["pfc: reserved is 0x0001; it must be 0", changed(v.pfc, 16, "01")],
    ["pfc: needs 20 bytes at offset 14, got 19", v.pfc.slice(0, 33)],
  ] as const)("%s", (sentence, frame) => {
    expect(() => readPfc(frame)).toThrow(new PacketError(sentence));
  });
  it("a class that there is not", () => {
    expect(() => pfcFrame(v.src, { 8: 1 })).toThrow("pfc: class is 8; it must be 0 to 7");
    expect(() => pfcFrame(v.src, { 0: 65536 })).toThrow("pfc: time0 holds 16 bits, 65536 does not fit");
  });
});
