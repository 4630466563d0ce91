import type { Type, TypeChecker } from "typescript";
import ts from "typescript";

/** The types that a type may stand for: members of a union or intersection, what a type parameter extends. */
function parts(checker: TypeChecker, type: Type): readonly Type[] {
  if (type.isUnionOrIntersection()) return type.types.flatMap(t => parts(checker, t));
  if ((type.flags & ts.TypeFlags.TypeParameter) !== 0) {
    const bound = checker.getBaseConstraintOfType(type);
    return bound === undefined ? [] : parts(checker, bound);
  }
  return [type];
}

function propertyType(checker: TypeChecker, type: Type, name: string): Type | undefined {
  const property = type.getProperty(name);
  return property === undefined ? undefined : checker.getTypeOfSymbol(property);
}

/** UInt and SInt, and all that extends them, say `signedness: "unsigned" | "signed"` (hdl-dsl/types/value.ts). */
function isScalar(checker: TypeChecker, type: Type): boolean {
  const signedness = propertyType(checker, type, "signedness");
  return (
    signedness !== undefined &&
    parts(checker, signedness).every(t => t.isStringLiteral() && (t.value === "unsigned" || t.value === "signed"))
  );
}

/** A stream has a payload and fires; a vector is looked into by a value. */
function isStreamOrVector(checker: TypeChecker, type: Type): boolean {
  const fire = propertyType(checker, type, "fire");
  if (fire !== undefined && type.getProperty("payload") !== undefined && isScalar(checker, fire)) return true;
  const elements = propertyType(checker, type, "toArray")?.getCallSignatures()[0]?.getReturnType();
  return (
    elements !== undefined &&
    type.getProperty("at") !== undefined &&
    checker.getTypeArguments(elements as ts.TypeReference).some(t => isLanguageValue(checker, t))
  );
}

/**
 * Whether an expression of this type is, or may be, a value of the hardware language: a number of bits, a vector or a
 * stream. As a JavaScript object it is always true, equal to itself only, and no number. (A struct's view has no type
 * of its own: its fields are looked at.)
 */
export function isLanguageValue(checker: TypeChecker, type: Type): boolean {
  return parts(checker, type).some(
    t => (t.flags & ts.TypeFlags.Object) !== 0 && (isScalar(checker, t) || isStreamOrVector(checker, t)),
  );
}

/** A struct's view: fields, all of them values of the language, and perhaps `set`. */
export function isStructView(checker: TypeChecker, type: Type, depth = 4): boolean {
  if (depth === 0 || ((type.flags & ts.TypeFlags.Object) === 0 && !type.isIntersection())) return false;
  const fields = type.getProperties().filter(p => p.name !== "set");
  return (
    fields.length > 0 &&
    fields.every(p => {
      const t = checker.getTypeOfSymbol(p);
      return isLanguageValue(checker, t) || isStructView(checker, t, depth - 1);
    })
  );
}
