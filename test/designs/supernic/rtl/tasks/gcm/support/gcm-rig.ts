/** Packets that are sealed and opened, and some that were changed on their way. */
import { createCipheriv } from "node:crypto";
import { openModel, sealModel, type TaskPacketModel } from "../../../../../../../designs/supernic/model/index.ts";
import { gcmOpen, gcmSeal } from "../../../../../../../designs/supernic/rtl/tasks/index.ts";
import { aesFrontBytes, aesNonceBytes, type AesRow } from "../../../../../../../designs/supernic/wire/index.ts";
import type { Random } from "../../../../../../../sim/index.ts";
import { type B, PayloadRig } from "../../../region/support/payload-rig.ts";
import type { Tried } from "../../../region/support/test-tasks.ts";
import { configureKeys, goodPacket, rowCount, someRows } from "../../aes/support/tunnel-rig.ts";

export const seals: Tried = { ...gcmSeal, model: sealModel },
  opens: Tried = { ...gcmOpen, model: openModel };
const tagBytes = 16,
  bodyAt = aesFrontBytes + aesNonceBytes,
  inHeader = 64 - bodyAt;
/** Bytes of payload at blocks, beats and cells, and between them. */
export const lengths = [
  ...[0, 1, 13, 14, 15, 16, 29, 30, 31, 45, 46, 47, 48, 49, 61, 62, 63, 64, 65, 77, 78, 79, 80, 81],
  ...[127, 128, 129, 191, 192, 240, 255, 256, 257, 319, 320, 512, 700, 1_472],
];

type Given = Partial<TaskPacketModel> & { readonly payload: Uint8Array };
/** A packet that was sealed under this row, of so many bytes of text; at least 3. */
export function sealedPacket(r: Random, arg: number, row: AesRow, textBytes: number): Given {
  const { payloadBytes: _, ...packet } = goodPacket(r, "decrypt", arg),
    nonce = packet.header.slice(aesFrontBytes, bodyAt),
    text = Uint8Array.from({ length: textBytes }, () => r.between(0, 255)),
    cipher = createCipheriv(row.key.length === 16 ? "aes-128-gcm" : "aes-256-gcm", row.key, nonce).setAAD(nonce),
    sealed = Uint8Array.from([...cipher.update(text), ...cipher.final(), ...cipher.getAuthTag()]);
  packet.header.set(sealed.slice(0, inHeader), bodyAt);
  return { ...packet, payload: sealed.slice(inHeader) };
}
/** The same with a bit changed: of nonce, text or tag. */
export function changed(r: Random, packet: Given): Given {
  const header = packet.header?.slice() ?? new Uint8Array(64),
    payload = packet.payload.slice(),
    // The number of the key stays, and all that says that it is a tunnel.
    places = 64 - aesFrontBytes - 4 + payload.length;
  // Every eighth in the tag, every sixteenth in its last four bytes.
  const at = r.pick([
    r.between(0, places - 1),
    r.between(0, places - 1),
    places - r.between(1, tagBytes),
    places - r.between(1, 4),
  ]);
  const [bytes, i] =
    at < places - payload.length ? [header, aesFrontBytes + 4 + at] : [payload, at - (places - payload.length)];
  bytes[i] = (bytes[i] ?? 0) ^ (1 << r.between(0, 7));
  return { ...packet, header, payload };
}

/** Cycles in which a row becomes live. */
export const preparation = 520;
type Options = ConstructorParameters<typeof PayloadRig>[2];
/** Rows, and packets of every kind for some cycles. */
export async function run(b: B, task: Tried, cycles: number, o: Options = {}): Promise<PayloadRig> {
  const rig = new PayloadRig(b, [task], o),
    rows = someRows(b.random);
  await configureKeys(rig, rows, 1, preparation);
  await gcmTraffic(rig, task, rows, cycles);
  await rig.end();
  return rig;
}
/** Packets of every kind for some cycles, one in ten past the task. */
export async function gcmTraffic(
  rig: PayloadRig,
  task: Tried,
  rows: readonly AesRow[],
  cycles: number,
  sizes: readonly number[] = lengths,
): Promise<void> {
  const { random: r } = rig.b;
  for (let i = 0; i < cycles; i++) {
    if (rig.canSend() && rig.write.pending < 30) sendOne(rig, task, rows, r.pick(sizes));
    await rig.b.cycles(1);
  }
}
/** A packet of so many bytes of payload or text; `mixed`: some go past the task, and some must be dropped. */
export function sendOne(
  rig: PayloadRig,
  task: Tried,
  rows: readonly AesRow[],
  bytes: number,
  { mixed = true }: { readonly mixed?: boolean } = {},
): void {
  const { random: r } = rig.b,
    arg = r.between(0, rows.length - 1),
    row = rows[arg],
    chance = (p: number): boolean => mixed && r.chance(p),
    run = chance(0.1) ? [] : [0];
  if (row === undefined) throw new RangeError(`there is no row ${arg}`);
  const others = (user: number): object => r.pick([{ user: (user + 1) % 3 }, { arg: arg + 64 }, { arg: rowCount + 1 }]);
  if (task === seals) {
    const { payloadBytes: _, ...packet } = goodPacket(r, "encrypt", arg),
      headBytes = bytes === 0 && mixed ? r.between(14, 64) : 64;
    // Bytes behind the end of a header are 0.
    const header = packet.header.map((b, i) => (i < headBytes ? b : 0));
    rig.send(run, bytes, { ...packet, headBytes, header, ...(chance(0.1) ? others(arg % 3) : {}) });
    return;
  }
  const packet = sealedPacket(r, arg, row, Math.max(3, bytes)),
    kind = chance(0.25) ? changed(r, packet) : packet;
  rig.send(run, kind.payload.length, { ...kind, ...(chance(0.05) ? others(arg % 3) : {}) });
}
