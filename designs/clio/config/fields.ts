import * as z from "zod";
import { textOr } from "../../shared/settings/index.ts";
import { formatMac, parseIpv4, parseMac } from "../../shared/wire/index.ts";

export const ipv4Address = textOr(z.number().int().min(0).max(0xffffffff), parseIpv4);
export const macAddress = textOr(z.bigint(), parseMac).superRefine((mac, context) => {
  // Bit 0 of the first byte marks a group address, which no station may have.
  if ((mac >> 40n) & 1n)
    context.addIssue({
      code: "custom",
      message: `is a group address; a node's own has an even first byte, the nearest is ${formatMac(mac & ~(1n << 40n))}`,
    });
});
/** 64 bits; `random` draws them anew. */
export const hashKey = textOr(
  z
    .bigint()
    .min(0n)
    .max(2n ** 64n - 1n),
  text => {
    if (text === "random") return globalThis.crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
    if (/^(0x[0-9a-f]{1,16}|\d{1,19})$/i.test(text)) return BigInt(text);
    throw new TypeError(`must be random, or a number of 64 bits such as 0x243f6a8885a308d3`);
  },
);
