import * as z from "zod";
import type { Refusal } from "./read.ts";

/** `mappings[0].pid`. */
const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (s, p) => (typeof p === "number" ? `${s}[${p}]` : s === "" ? String(p) : `${s}.${String(p)}`),
    "",
  );

/** The value at a path of the file. */
const valueAt = (json: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (v, p) => (typeof v === "object" && v !== null ? (v as Readonly<Record<PropertyKey, unknown>>)[p] : undefined),
    json,
  );
/** Letters of a value, and faults of a file, that a sentence tells at most. */
const mostLetters = 60,
  mostFaults = 4;
const shortened = (text: string): string => (text.length > mostLetters ? `${text.slice(0, mostLetters)}...` : text);
/** A value as it stands in the file; objects and lists are too long for a sentence. */
const shown = (v: unknown): string => (typeof v === "object" ? "" : ` = ${shortened(JSON.stringify(v))}`);

/** The schemas that a value may have which stands at a place of another. */
function within(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return within(schema.unwrap());
  if (schema instanceof z.ZodPipe) return within(schema.in);
  return schema instanceof z.ZodUnion ? schema.options.flatMap(within) : [schema];
}
function step(schema: z.core.$ZodType, key: PropertyKey): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return within(schema.element);
  const field = schema instanceof z.ZodObject ? (schema.shape as Record<PropertyKey, z.core.$ZodType>)[key] : undefined;
  return field === undefined ? [] : within(field);
}
/** The fields that there are at a path. */
function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const there = path.reduce((schemas, key) => schemas.flatMap(s => step(s, key)), within(schema));
  return [...new Set(there.flatMap(s => (s instanceof z.ZodObject ? Object.keys(s.shape) : [])))];
}

/** Of a union that fits nowhere: what is wrong with the alternative of the value's kind. */
function deepest(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const kinds = issue.errors.filter(e => e.some(i => i.path.length > 0 || i.code === "unrecognized_keys"));
  const [fits] = kinds.toSorted((a, b) => a.length - b.length);
  return (fits ?? []).length === 0
    ? [issue]
    : (fits ?? []).flatMap(i => deepest({ ...i, path: [...issue.path, ...i.path] }));
}

function sentence(schema: z.core.$ZodType, json: unknown, issue: z.core.$ZodIssue): string {
  const where = pathOf(issue.path);
  if (issue.code === "unrecognized_keys")
    return `${where === "" ? "" : `${where}: `}there is no field ${issue.keys.map(k => `"${k}"`).join(", ")}; the fields are ${fieldsAt(schema, issue.path).join(", ")}`;
  const value = valueAt(json, issue.path),
    place = where === "" ? "the file" : where;
  if (value !== undefined) return `${place}${shown(value)}: ${issue.message.replace(/^Invalid input: e/, "e")}`;
  // A field that says what it must be is told so; the schema's own words say nothing of it.
  return issue.message.startsWith("Invalid input") ? `${place} is missing; add it` : `${place}: ${issue.message}`;
}

/**
 * What a schema makes of a JSON file's text.
 * @param path of the file, for the sentence
 * @throws Refused in one sentence that names file, field, value and remedy
 */
export function checkFile<S extends z.ZodType>(schema: S, path: string, text: string, Refused: Refusal): z.output<S> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (e) {
    throw new Refused(`${path} is not JSON: ${(e as Error).message}; mend it there`);
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const faults = result.error.issues.flatMap(deepest),
    more = faults.length - mostFaults;
  throw new Refused(
    `${path}: ${faults
      .slice(0, mostFaults)
      .map(i => sentence(schema, json, i))
      .join("; ")}${more > 0 ? `; and ${more} more` : ""}`,
  );
}
