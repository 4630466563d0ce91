/** Rows of keys, packets that the two tasks take, and some that they do not. */
import { decryptModel, encryptModel, type TaskPacketModel } from "../../../../../../../designs/supernic/model/index.ts";
import { decrypt, encrypt } from "../../../../../../../designs/supernic/rtl/tasks/index.ts";
import {
  aesFrontBytes,
  aesLaunchWord,
  type AesRow,
  aesRowWords,
  tunnelPort,
} from "../../../../../../../designs/supernic/wire/index.ts";
import type { Random } from "../../../../../../../sim/index.ts";
import type { PayloadRig } from "../../../region/support/payload-rig.ts";
import type { Tried } from "../../../region/support/test-tasks.ts";

export const encrypts: Tried = { ...encrypt, model: encryptModel },
  decrypts: Tried = { ...decrypt, model: decryptModel };
export const rowCount = 5;
/** Cycles in which a key has been expanded. */
const expansion = 70,
  lengths = [0, 1, 15, 16, 17, 64, 65, 200, 256, 700, 1472],
  firstNumber = 0xa0b0_0000;

export const rowOf = (r: Random, i: number): AesRow => ({
  valid: true,
  number: firstNumber + i,
  user: i % 3,
  key: Uint8Array.from({ length: i % 2 === 0 ? 32 : 16 }, () => r.between(0, 255)),
  template: 7 + i,
  frontBytes: aesFrontBytes,
  destination: r.bits(48),
  source: r.bits(48),
});
export const someRows = (r: Random): AesRow[] => Array.from({ length: rowCount }, (_, i) => rowOf(r, i));

/** Gives the task of slot 0 these rows, and begins a launch. */
export async function configureKeys(
  rig: PayloadRig,
  rows: readonly AesRow[],
  launch: number | undefined,
  /** Cycles until a row is live. */
  prepared = expansion,
): Promise<void> {
  for (const [i, row] of rows.entries()) {
    for (const { at, data } of aesRowWords(i, row)) await rig.configure(0, at, data);
    await rig.b.cycles(prepared);
  }
  if (launch === undefined) return;
  const { at, data } = aesLaunchWord(9, launch);
  await rig.configure(0, at, data);
}
/** A packet of a row that its task takes. */
export function goodPacket(r: Random, task: Tried | "encrypt" | "decrypt", arg: number): TaskPacketModel {
  const header = Uint8Array.from({ length: 64 }, () => r.between(0, 255));
  header.set([0x08, 0x00, 0x45], 12);
  if (task === decrypts || task === "decrypt") {
    header[23] = 17;
    header.set([tunnelPort >> 8, tunnelPort & 255], 36);
    new DataView(header.buffer).setUint32(aesFrontBytes, firstNumber + arg);
  }
  const told = { uid: 1, ingress: 2, flowHash: 3, payloadBytes: 0 };
  return { ...told, header, arg, user: arg % 3, noL4: false, headBytes: 64 };
}
/** One in eight is one that the task must drop. */
export function packetFor(r: Random, task: Tried): TaskPacketModel {
  const packet = goodPacket(r, task, r.between(0, rowCount - 1)),
    { arg, header } = packet;
  if (r.chance(0.88)) return packet;
  return r.pick([
    { ...packet, user: (arg + 1) % 3 },
    { ...packet, arg: arg + 64 },
    { ...packet, arg: rowCount + 1 },
    { ...packet, header: header.with(13, 6) },
    ...(task === decrypts
      ? [
          { ...packet, headBytes: 63 },
          { ...packet, header: header.with(aesFrontBytes + 3, 99) },
          { ...packet, noL4: true },
        ]
      : []),
  ]);
}
/** Packets of every kind for some cycles, one in ten past the task. */
export async function cipherTraffic(rig: PayloadRig, task: Tried, cycles: number): Promise<void> {
  const { random } = rig.b;
  for (let i = 0; i < cycles; i++) {
    if (rig.canSend() && rig.write.pending < 30) {
      const { payloadBytes: _, ...packet } = packetFor(random, task);
      rig.send(random.chance(0.9) ? [0] : [], packet.headBytes === 64 ? random.pick(lengths) : 0, packet);
    }
    await rig.b.cycles(1);
  }
}
