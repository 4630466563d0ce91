import { describe, expect, it } from "vitest";
import {
  ctrlHeader,
  ctrlMessage,
  ctrlOpcode,
  ctrlTailBytes,
  openCtrl,
  readCtrl,
} from "../../../../designs/supernic/wire/index.ts";
import { PacketError } from "../../../../designs/shared/wire/index.ts";
import * as v from "./vectors.ts";

const user = 0x203,
  body = new Uint8Array([1, 2, 3]),
  header = { opcode: ctrlOpcode.ADD_DAG, user, requestId: 0xdeadbeef };
const keys = new Map([
  [user, v.ctrlKey],
  [4, new Uint8Array(32)],
]);
const keyOf = (u: number): Uint8Array | undefined => keys.get(u);

describe("CTRL messages", () => {
  it("one written by hand, its tail by openssl", () => {
    expect(ctrlMessage(v.ctrlKey, v.ctrlEnds, header, body)).toEqual(v.ctrl);
    const read = readCtrl(v.ctrl, v.ctrlEnds, keyOf);
    expect(read.header).toEqual({ ...header, status: 0, size: 19, reply: 0, unused: 0, retryOf: 0 });
    expect(read.body).toEqual(body);
  });
  it("a body of any size comes back, none too", () => {
    for (const n of [0, 1, 63, 1430]) {
      const sent = new Uint8Array(n).map((_, i) => i * 7);
      expect(readCtrl(ctrlMessage(v.ctrlKey, v.ctrlEnds, header, sent), v.ctrlEnds, keyOf).body).toEqual(sent);
    }
  });
  it("a change of any bit of header, body or tail is found", () => {
    for (let i = 0; i < v.ctrl.length * 8; i++) {
      const changed = v.ctrl.slice();
      changed[i >> 3] = (changed[i >> 3] ?? 0) ^ (1 << (i & 7));
      expect(() => readCtrl(changed, v.ctrlEnds, keyOf), `bit ${i}`).toThrow(PacketError);
    }
  });
  it("a request sent back is no reply, and another user's key opens nothing", () => {
    const reflected = v.ctrl.slice();
    reflected[ctrlHeader.at.reply.byteOffset] = 1;
    expect(() => readCtrl(reflected, v.ctrlEnds, keyOf)).toThrow("the tail is not made with the key of user 515");
    const forged = ctrlMessage(keys.get(4) as Uint8Array, v.ctrlEnds, header, body);
    expect(() => readCtrl(forged, v.ctrlEnds, keyOf)).toThrow("the tail is not made with the key of user 515");
  });
  it.each(Object.keys(v.ctrlEnds))("with another %s the tail is wrong", end => {
    const others = { ...v.ctrlEnds, [end]: 7 };
    expect(openCtrl(v.ctrl, v.ctrlEnds, keyOf)?.body).toEqual(body);
    expect(openCtrl(v.ctrl, others, keyOf)).toBe(undefined);
    expect(() => readCtrl(v.ctrl, others, keyOf)).toThrow("the tail is not made");
  });
  it.each([
    ["ctrl: the message has 31 bytes; it must have 32 or more", v.ctrl.slice(0, 31)],
    ["ctrl: size is 19; it must be 18, the message's 34 bytes without the tail", v.ctrl.slice(0, 34)],
    [
      `ctrl: opcode is 0xa; it must be one of ${Object.keys(ctrlOpcode).join(", ")}`,
      ctrlMessage(v.ctrlKey, v.ctrlEnds, { ...header, opcode: 10 }),
    ],
    ["ctrl: status is 1 in a request; it must be 0", ctrlMessage(v.ctrlKey, v.ctrlEnds, { ...header, status: 1 })],
    ["ctrl: unused is 0x4000; it must be 0", ctrlMessage(v.ctrlKey, v.ctrlEnds, { ...header, unused: 0x4000 })],
    ["ctrl: user is 5; there is no such user", ctrlMessage(v.ctrlKey, v.ctrlEnds, { ...header, user: 5 })],
    [
      "ctrl: the tail is not made with the key of user 515 for these ends; send it with that key from the address in it",
      ctrlMessage(v.ctrlKey, v.ctrlEnds, header).fill(0, ctrlHeader.bytes, ctrlHeader.bytes + ctrlTailBytes),
    ],
  ] as const)("%s", (sentence, message) => {
    expect(() => readCtrl(message, v.ctrlEnds, keyOf)).toThrow(new PacketError(sentence));
  });
});
