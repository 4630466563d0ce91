import type { Axis } from "../../../designs/shared/evaluation/index.ts";

/** Text on an axis, with its unit. */
export function axisText({ label, unit }: Axis): string {
  return unit === undefined ? label : `${label} (${unit})`;
}
