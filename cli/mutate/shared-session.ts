/** The session of this process: the setup file makes it, the runner asks for it. Their modules are not the same. */
import type { Session } from "./session.ts";

const place = "mnemoMutateSession";

export function share(s: Session): void {
  Object.assign(globalThis, { [place]: s });
}
export function sessionOf(): Session {
  const found: unknown = Reflect.get(globalThis, place);
  if (found === undefined) throw new Error("the setup file has made no session");
  return found as Session;
}
