import type { Layout } from "../../shared/wire/index.ts";
import { clioHeader, keyTrailer } from "./headers.ts";
import { operations } from "./opcodes.ts";

/** Every layout of the native port's messages, each once: the header, the trailer of a key, the bodies. */
export const nativeLayouts: readonly Layout[] = [
  ...new Set<Layout | undefined>([clioHeader, keyTrailer, ...operations.flatMap(o => [o.body, o.reply?.body])]),
].filter(l => l !== undefined);
