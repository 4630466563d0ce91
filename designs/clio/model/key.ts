import { decode } from "../../shared/wire/index.ts";
import { frameOffsets, keyTrailer } from "../wire/index.ts";
import type { Request } from "./classify.ts";

/**
 * Whether a request ends with its process's key: in the frame's last bytes, right behind the message (rules.md, section
 * 4). So does any request when the process has none.
 */
export function hasKey(key: bigint | undefined, { clio, ipv4, came }: Request, frame: Uint8Array): boolean {
  if (key === undefined) return true;
  const ends = frame.length === frameOffsets.network + ipv4.totalLength && came === clio.size + keyTrailer.bytes;
  return ends && decode(keyTrailer, frame, frame.length - keyTrailer.bytes).key === key;
}
