import { decode } from "../../shared/wire/index.ts";
import { commitHead, headBytes, kinds, type Message, nameIn } from "../wire/index.ts";

/** A message to a node, from its bytes. @throws RangeError for a kind that there is not */
export function commitMessageOf(body: Uint8Array): Message {
  const { spare: _, length, kind, ...head } = decode(commitHead, body.subarray(0, headBytes)),
    name = nameIn(kinds, kind);
  return { kind: name, ...head, ...(length > 0 && { data: body.slice(headBytes, headBytes + length) }) };
}
