import { status, statusNames } from "../../packets/index.ts";
import { OperationError } from "./errors.ts";
import { isHarmless, nameOf, type Reply, type RequestSpec } from "./request.ts";

/** The error that a status other than OK is. */
export function refusal(spec: RequestSpec, { status: code }: Reply): OperationError {
  const expired = code === status.EXPIRED;
  const detail = expired ? "too late for the node to tell whether it was done" : "so the node answered";
  return new OperationError(nameOf(spec), statusNames[code] ?? `STATUS_${code}`, expired && !isHarmless(spec) ? "unknown" : "none", detail);
}
