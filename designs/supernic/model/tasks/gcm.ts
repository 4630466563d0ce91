/** Models of the tasks that seal and open, by Node's AES-GCM: docs/supernic/gcm.md. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { concat } from "../../../shared/wire/index.ts";
import { taskHeaderBytes, trailerBytes } from "../../wire/index.ts";
import { type Cipher, intoTunnel, outOfTunnel } from "./aes.ts";
import type { TaskModel, TaskPacketModel } from "./task.ts";

const algorithm = (key: Uint8Array) => (key.length === 16 ? "aes-128-gcm" : "aes-256-gcm");
const payloadOf = ({ payload = new Uint8Array() }: TaskPacketModel): Uint8Array => payload;
/** Bytes of a header from `from` on, and the rest of it, which is no part of the frame. */
function partsOf(p: TaskPacketModel, from: number) {
  const end = Math.max(from, p.headBytes);
  return { text: p.header.slice(from, end), rest: taskHeaderBytes - end };
}

/** What is authenticated beside is the nonce. */
const seals: Cipher = (p, from, { key }, nonce) => {
  const { text, rest } = partsOf(p, from),
    cipher = createCipheriv(algorithm(key), key, nonce, { authTagLength: trailerBytes }).setAAD(nonce),
    out = concat(cipher.update(concat(text, payloadOf(p))), cipher.final());
  // Bytes of the header behind the frame's end are 0.
  return {
    header: [...out.slice(0, text.length), ...new Array<number>(rest).fill(0)],
    payload: out.slice(text.length),
    trailer: cipher.getAuthTag(),
  };
};
function opens(...[p, from, { key }, nonce]: Parameters<Cipher>): ReturnType<Cipher> | undefined {
  const payload = payloadOf(p),
    end = payload.length - trailerBytes,
    [text, tag] = [partsOf(p, from).text, payload.subarray(end)];
  if (end < 1) return undefined;
  const decipher = createDecipheriv(algorithm(key), key, nonce, { authTagLength: trailerBytes })
      .setAAD(nonce)
      .setAuthTag(tag),
    out = decipher.update(concat(text, payload.subarray(0, end)));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  // The place of the tag is 0 in the store.
  const opened = new Uint8Array(payload.length);
  opened.set(out.subarray(text.length));
  return { header: [...out.subarray(0, text.length)], payload: opened, trailer: "cut" };
}
export const sealModel = (seen?: () => bigint): TaskModel => intoTunnel(seals, seen);
export const openModel = (): TaskModel => outOfTunnel(opens);
