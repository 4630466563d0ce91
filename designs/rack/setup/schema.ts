/** A rack's setup file: its places, what stands at each, and the lines between them. docs/rack.md tells the fields. */
import * as z from "zod";
import { isDeviceName } from "../../shared/settings/index.ts";
import { parseIpv4, parseMac } from "../../shared/wire/index.ts";

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
const groupBit = 1n << 40n;
const mac = read(parseMac, "a MAC address such as 02:10:00:00:00:01").refine(m => m !== 0n && (m & groupBit) === 0n, {
  error: "must be the MAC of one station: the lowest bit of its first byte 0, and not all bytes 0",
});
const ipv4 = read(parseIpv4, "an IPv4 address such as 10.1.0.1");
const name = asText("a name of at most 40 letters, digits, minus and underscore").regex(
  /^[a-z0-9_-]{1,40}$/i,
  "must be a name of at most 40 letters, digits, minus and underscore",
);
const whole = (least: number, most: number, what: string) => {
  const error = `must be ${what} from ${least} to ${most}`;
  return z.number({ error }).refine(n => Number.isInteger(n) && n >= least && n <= most, { error });
};
const share = z
  .number({ error: "must be a probability from 0 to 1" })
  .min(0, "must be a probability from 0 to 1")
  .max(1, "must be a probability from 0 to 1");
const socketAddress = asText("an address and a UDP port such as 127.0.0.1:1200").transform((v, context) => {
  const [ip = "", port = "", more] = v.split(":");
  try {
    if (more !== undefined || !/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) throw new Error();
    return { ip: parseIpv4(ip), port: Number(port) };
  } catch {
    context.addIssue({ code: "custom", message: "must be an address and a UDP port such as 127.0.0.1:1200" });
    return z.NEVER;
  }
});
const fileName = asText("the name of a file").min(1, "must be the name of a file");
const list = <S extends z.ZodType>(element: S) => z.array(element, { error: "must be a list, in square brackets" });
/** Settings of a design, which checks them itself. */
const settings = z
  .record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean()], { error: "must be text, a number, true or false" }),
    {
      error: "must be an object of settings, in braces",
    },
  )
  .default({});

export const deviceSchema = z.strictObject({
  name,
  set: settings,
  setup: z.union([fileName, z.record(z.string(), z.unknown())], {
    error: "must be the setup of a sNIC, in braces, or the name of a file with one",
  }),
});
export const nodeSchema = z.strictObject({ name, mac, ip: ipv4, set: settings });
export const switchSchema = z.strictObject({
  name,
  ports: whole(2, 64, "a number of ports"),
  latencyNs: whole(0, 1_000_000, "a number of nanoseconds").default(500),
});

const captureSchema = z.strictObject({
  kind: z.literal("capture"),
  in: fileName.optional(),
  out: fileName.optional(),
});
/** What clients of CLib do: both kinds differ in the mixture of operations alone. */
const client = {
  node: name,
  operations: whole(1, 10_000_000, "a number of operations"),
  clients: whole(1, 16, "a number of clients").default(1),
  threads: whole(1, 16, "a number of threads").default(2),
  /** Until a request that a node's software answers goes out again; by default CLib's own. */
  softwareTimeoutNs: whole(1000, 1_000_000_000, "a number of nanoseconds").optional(),
  /** `gbn`: over Go-Back-N, which a sNIC before the node ends. */
  transport: z.enum(["none", "gbn"], { error: 'must be "none" or "gbn"' }).default("none"),
  out: fileName.optional(),
};
const clibSchema = z.strictObject({
  kind: z.literal("clib"),
  ...client,
  atomics: share.default(0.35),
  allocation: share.default(0.02),
  mostBytes: whole(1, 65_536, "a number of bytes").default(3000),
  pages: whole(1, 1024, "a number of pages").default(4),
  words: whole(1, 512, "a number of words").default(16),
});
const kvSchema = z.strictObject({
  kind: z.literal("kv"),
  ...client,
  keys: whole(1, 4096, "a number of keys").default(48),
});
/** Endpoints that are programs of this machine: `mnemo serve rack`. */
const servedSchemas = [
  z.strictObject({
    kind: z.literal("sockets"),
    listen: list(
      z.strictObject({ at: socketAddress, to: asText("a station and its UDP port, such as mem0:1200") }),
    ).min(1, "must have a socket or more"),
  }),
  z.strictObject({ kind: z.literal("frames"), at: socketAddress }),
  z.strictObject({
    kind: z.literal("tap"),
    device: asText("a device name of 1 to 15 characters, such as mnemo0").refine(isDeviceName, {
      error: "must be a device name of 1 to 15 characters, such as mnemo0",
    }),
    prefix: whole(1, 30, "a number of bits").default(24),
    mtu: whole(68, 9004, "a number of bytes").default(1522),
  }),
] as const;
const programSchema = z.discriminatedUnion("kind", [captureSchema, clibSchema, kvSchema, ...servedSchemas], {
  error: 'must be an object whose "kind" is "capture", "clib" or "kv"; of mnemo serve: "sockets", "frames" or "tap"',
});
export const endpointSchema = z.strictObject({
  name,
  mac,
  ip: ipv4,
  dag: asText("the name of a DAG").optional(),
  /** A hostile one: it sends although its class is paused. */
  ignoresPause: z.boolean({ error: "must be true or false" }).default(false),
  program: programSchema,
});
export const linkSchema = z.strictObject({
  between: z.tuple([asText("a place"), asText("a place")], {
    error: 'must be two places in square brackets, such as ["host0", "snic0:1"]',
  }),
  latencyNs: whole(4, 10_000_000, "a number of nanoseconds").default(100),
  gbps: z
    .number({ error: "must be a rate in Gbit/s above 0" })
    .positive("must be a rate in Gbit/s above 0")
    .default(100),
  queueBytes: whole(2048, 2 ** 30, "a number of bytes").default(262_144),
  loss: share.default(0),
  duplicate: share.default(0),
  reorder: share.default(0),
  reorderNs: whole(0, 10_000_000, "a number of nanoseconds").default(1500),
  corrupt: share.default(0),
});

export const rackSchema = z.strictObject({
  devices: list(deviceSchema).default([]),
  nodes: list(nodeSchema).default([]),
  switches: list(switchSchema).default([]),
  endpoints: list(endpointSchema).min(1, "must have an endpoint or more"),
  links: list(linkSchema).default([]),
});
export type RackFile = z.output<typeof rackSchema>;
export type ProgramFile = z.output<typeof programSchema>;
export type LinkFile = z.output<typeof linkSchema>;
export type ClientProgram = Extract<ProgramFile, { readonly node: string }>;
export type ServedProgram = Extract<ProgramFile, { readonly kind: "sockets" | "frames" | "tap" }>;

export const isClient = (p: ProgramFile): p is ClientProgram => p.kind === "clib" || p.kind === "kv";
export const isServed = (p: ProgramFile): p is ServedProgram =>
  p.kind === "sockets" || p.kind === "frames" || p.kind === "tap";
/** The capture of what comes to the endpoint. */
export const outOf = (p: ProgramFile): string | undefined => ("out" in p ? p.out : undefined);
