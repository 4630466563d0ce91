/** Kinds of fields of a setup file. */
import * as z from "zod";
import { parseIpv4, parseMac } from "../../../shared/wire/index.ts";

/** Of a MAC as a number. */
const groupBit = 1n << 40n;
const asText = (what: string) => z.string({ error: `must be ${what}` });
const read = <T>(parse: (text: string) => T, what: string) =>
  asText(what).transform((v, context): T => {
    try {
      return parse(v);
    } catch (e) {
      context.addIssue({ code: "custom", message: (e as Error).message });
      return z.NEVER;
    }
  });

export const mac = read(parseMac, "a MAC address such as 02:5c:00:00:00:01");
/** The MAC of one station: groups send nothing. */
export const ownMac = mac.refine(m => m !== 0n && (m & groupBit) === 0n, {
  error: "must be the MAC of one station: the lowest bit of its first byte 0, and not all bytes 0",
});
export const ipv4 = read(parseIpv4, "an IPv4 address such as 10.20.0.1");

/** An address and how many of its bits count. */
export interface Prefix {
  readonly address: number;
  readonly bits: number;
}
/** `10.20.0.0/16`, or an address alone. @throws Error in one sentence */
function parsePrefix(text: string): Prefix {
  const [address = "", bits = "32", more] = text.split("/"),
    n = /^\d+$/.test(bits) ? Number(bits) : 33;
  if (more !== undefined || n > 32)
    throw new Error(`must be an IPv4 address with the number of bits that count, 0 to 32, such as 10.20.0.0/16`);
  return { address: parseIpv4(address), bits: n };
}
export const prefix = read(parsePrefix, "an IPv4 address or prefix such as 10.20.0.0/16");

/** A whole number; text may be hexadecimal. */
export function whole(least: number, most: number, what = "a whole number") {
  const error = `must be ${what} from ${least} to ${most}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^0x[0-9a-f]+$/i)
          .transform(Number),
      ],
      { error },
    )
    .refine(n => Number.isInteger(n) && n >= least && n <= most, { error });
}
export const flag = z.boolean({ error: "must be true or false" });
const nameText = "a name of at most 60 letters, digits, dots, plus and minus";
export const name = asText(nameText).regex(/^[a-z0-9.+_-]{1,60}$/i, `must be ${nameText}`);
/** A task: its name, and what it is made with. */
export const task = asText('the name of a task, such as "firewall" or "delay(6,1)"').regex(
  /^[a-z_]{1,60}(\(\d{1,9}(,\d{1,9}){0,3}\))?$/,
  'must be the name of a task, such as "firewall" or "delay(6,1)"',
);
export const hexBytes = asText("hexadecimal digits, two for each byte")
  .regex(/^([0-9a-f]{2}\s*)*$/i, "must be hexadecimal digits, two for each byte")
  .transform(t => new Uint8Array(Buffer.from(t.replace(/\s/g, ""), "hex")));
/** Bytes of a key, at least: a shorter one is soon guessed. */
const leastKey = 8;
export const key = hexBytes.refine(k => k.length >= leastKey, {
  error: `must be a key of ${leastKey} bytes or more, in hexadecimal digits`,
});
/** A key of AES. */
export const cipherKey = hexBytes.refine(k => k.length === 16 || k.length === 32, {
  error: "must be a key of 16 bytes (AES-128) or 32 (AES-256), in hexadecimal digits",
});
export const list = <S extends z.ZodType>(element: S) =>
  z.array(element, { error: "must be a list, in square brackets" });
export const one = <const W extends readonly [string, ...string[]]>(words: W) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });
