import { status, statusNames } from "../wire/index.ts";
import { OperationError } from "./link/errors.ts";
import { isHarmless, nameOf, type Reply, type RequestSpec } from "./link/request.ts";

/** The error that a status other than OK is. */
export function refusal(spec: RequestSpec, { status: code }: Reply): OperationError {
  const expired = code === status.EXPIRED;
  const detail = expired ? "too late for the node to tell whether it was done" : "so the node answered";
  return new OperationError(
    nameOf(spec),
    statusNames[code] ?? `STATUS_${code}`,
    expired && !isHarmless(spec) ? "unknown" : "none",
    detail,
  );
}
