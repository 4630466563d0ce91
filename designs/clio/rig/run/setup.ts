import * as z from "zod";
import type { Settings } from "../../config/index.ts";
import { type Endpoint, formatIpv4, parseIpv4, parseMac } from "../../../shared/wire/index.ts";
import { udpPorts } from "../../wire/index.ts";
import type { Preparation } from "../node/index.ts";
import { UsageError } from "../../../shared/command-line/index.ts";
import { readNamed } from "../../../shared/rig/index.ts";
import { checkFile } from "../../../shared/settings/index.ts";

/** Content of a setup file. */
export interface Setup {
  readonly preparation: Preparation;
  /** Physical pages that may be given out. */
  readonly freePages: number | undefined;
  /** Settings that the models' latencies of the file stand for. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly monitor: Endpoint | undefined;
}

const wholeNumber = "a whole number, or text in decimal or 0x hexadecimal";
/** Numbers above 2^53 have to be text in JSON. */
const big = (most: bigint) =>
  z
    .union(
      [
        z.number().int().transform(BigInt),
        z
          .string()
          .regex(/^(0x[0-9a-f]+|\d+)$/i)
          .transform(BigInt),
      ],
      { error: `must be ${wholeNumber}` },
    )
    .refine(v => v >= 0n && v <= most, { error: `must be from 0 to 0x${most.toString(16)}` });
const pid = z
  .number({ error: "must be a PID from 1 to 65535" })
  .int()
  .min(1, "must be a PID from 1 to 65535")
  .max(65535, "must be a PID from 1 to 65535");
const lastVa = 2n ** 50n - 1n;
const flag = z.boolean({ error: "must be true or false" });
const asText = (what: string) => z.string({ error: `must be ${what}` });
const address = <T>(parse: (text: string) => T, what: string) =>
  asText(what).transform((v, context): T => {
    try {
      return parse(v);
    } catch (e) {
      context.addIssue({ code: "custom", message: (e as Error).message });
      return z.NEVER;
    }
  });

const parts = {
  processes: z.strictObject({ pid }),
  mappings: z.strictObject({
    pid,
    address: big(lastVa),
    length: big(lastVa + 1n).refine(n => n > 0n, { error: "must be 1 byte or more" }),
    write: flag.default(true),
    populate: flag.default(false),
  }),
  memory: z.strictObject({
    pid,
    address: big(lastVa),
    text: asText("text").optional(),
    hex: asText("hexadecimal digits")
      .regex(/^([0-9a-f]{2}\s*)*$/i, "must be hexadecimal digits, two for each byte")
      .optional(),
  }),
  monitor: z.strictObject({
    ip: address(parseIpv4, "an IPv4 address such as 10.77.0.9"),
    mac: address(parseMac, "a MAC address such as 02:00:00:00:00:09"),
    port: z
      .number({ error: "must be a UDP port" })
      .int("must be a UDP port")
      .min(1, "must be 1 or more")
      .max(65535, "must be 65535 or less")
      .default(udpPorts.monitor),
  }),
};
const contents = parts.memory.superRefine((m, context) => {
  if ((m.hex === undefined) === (m.text === undefined))
    context.addIssue({ code: "custom", message: 'needs one of "hex" and "text"' });
});
const list = "must be a list, in square brackets";
const schema = z.strictObject({
  processes: z.array(parts.processes, { error: list }).default([]),
  mappings: z.array(parts.mappings, { error: list }).default([]),
  memory: z.array(contents, { error: list }).default([]),
  freePages: z
    .number({ error: "must be a whole number of pages" })
    .int("must be a whole number of pages")
    .min(0, "must be 0 or more")
    .optional(),
  dramLatency: z.union([z.number(), z.string()], { error: "must be a number of cycles" }).optional(),
  slowPathLatency: z
    .union([z.number(), z.string()], { error: 'must be a time, such as 2000 (ns) or "2us"' })
    .optional(),
  monitor: parts.monitor.optional(),
});

/**
 * Reads and checks a setup file.
 * @throws UsageError in one sentence naming file, field, value and remedy
 */
export function readSetup(path: string | undefined): Setup {
  if (path === undefined)
    return {
      preparation: { processes: [], mappings: [], memory: [] },
      freePages: undefined,
      settings: {},
      monitor: undefined,
    };
  const { processes, mappings, memory, freePages, dramLatency, slowPathLatency, monitor } = checkFile(
    schema,
    path,
    readNamed(path).toString(),
    UsageError,
  );
  return {
    preparation: {
      processes: processes.map(p => p.pid),
      mappings,
      memory: memory.map(m => ({
        pid: m.pid,
        address: m.address,
        bytes: new Uint8Array(
          m.text === undefined ? Buffer.from((m.hex ?? "").replace(/\s/g, ""), "hex") : Buffer.from(m.text),
        ),
      })),
    },
    freePages,
    monitor,
    settings: {
      ...(dramLatency === undefined ? {} : { dramLatency }),
      ...(slowPathLatency === undefined ? {} : { slowPathLatency }),
    },
  };
}

/** Checks what a setup and the settings say together. @throws UsageError */
export function checkSetup({ freePages, monitor }: Setup, { config, runtime }: Settings): void {
  if (freePages !== undefined && freePages > config.usablePages) {
    throw new UsageError(
      `freePages = ${freePages} is more than the ${config.usablePages} pages that physicalMemory and pageSize leave; the nearest is ${config.usablePages}`,
    );
  }
  if (monitor?.ip === runtime.ip)
    throw new UsageError(
      `monitor.ip = ${formatIpv4(monitor.ip)} is the node's own address; give one of the two another`,
    );
}
