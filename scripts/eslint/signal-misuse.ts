import { ASTUtils, ESLintUtils, AST_NODE_TYPES as node, type TSESTree } from "@typescript-eslint/utils";
import type { Type } from "typescript";
import { isLanguageValue, isStructView } from "./language-value.ts";

/** What to write in place of a JavaScript operator. */
const methods: Readonly<Partial<Record<string, string>>> = {
  "===": "eq",
  "==": "eq",
  "!==": "ne",
  "!=": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "%": "mod",
  "&": "and",
  "|": "or",
  "^": "xor",
  "<<": "shl",
  ">>": "shr",
  ">>>": "shr",
};
const unary: Readonly<Partial<Record<string, string>>> = {
  "~": "a.not()",
  "-": "a.neg()",
  "+": "the value itself",
  "++": "r.set(r.add(1))",
  "--": "r.set(r.sub(1))",
};
/** Array methods that ask their callback for true or false. */
const predicates = new Set(["filter", "find", "findIndex", "findLast", "findLastIndex", "some", "every"]);
const equality = new Set(["===", "!==", "==", "!="]);

const messages = {
  condition:
    "`{{code}}` is a value of the language: as a JavaScript condition it is always true. Use when, switchOn or mux; to ask whether it was given, compare it with undefined.",
  negation:
    "`!{{code}}` is always false: `{{code}}` is a value of the language. Write {{code}}.not(), or compare it with undefined.",
  logic:
    "`{{operator}}` takes or leaves a whole JavaScript object: `{{code}}` is a value of the language. Write .{{method}}(...), or ?? for a default.",
  comparison: "`{{operator}}` compares JavaScript objects, not what the hardware holds. Write .{{method}}(...).",
  arithmetic: "`{{operator}}` cannot calculate with a value of the language. Write {{instead}}.",
  text: "`{{code}}` is a value of the language and has no text: it is known only when the hardware runs.",
  switch: "switch compares JavaScript objects, not what the hardware holds. Use switchOn.",
  predicate: "{{method}} asks its callback for true or false, and a value of the language is always true.",
  reassigned:
    "`{{code}}` is given another value in the body of `{{construct}}`, which runs once and always: the hardware has no choice here. Make it a wire or a register and use .set(...), or choose with mux.",
  dropped: "The result of `{{code}}` is not used, so it makes no hardware. Was .set(...) meant?",
} as const;
type MessageId = keyof typeof messages;

/** Calls whose bodies stand for a choice of the hardware. */
const choices = new Set(["when", "elseWhen", "otherwise", "is", "fsm", "switchOn"]);
const calleeName = (c: TSESTree.CallExpression): string | undefined =>
  c.callee.type === node.Identifier
    ? c.callee.name
    : c.callee.type === node.MemberExpression && c.callee.property.type === node.Identifier
      ? c.callee.property.name
      : undefined;

/** The construct of the language in whose body a node stands, within `outermost`. */
function constructAround(n: TSESTree.Node, outermost: TSESTree.Node): string | undefined {
  let inFunction = false;
  for (let up: TSESTree.Node | undefined = n.parent; up !== undefined && up !== outermost; up = up.parent) {
    if (up.type === node.ArrowFunctionExpression || up.type === node.FunctionExpression) inFunction = true;
    const name = up.type === node.CallExpression && inFunction ? calleeName(up) : undefined;
    if (name !== undefined && choices.has(name)) return name;
  }
  return undefined;
}

/**
 * Refuses what TypeScript accepts of values of the language and JavaScript answers wrongly: conditions, negation, short
 * circuits, identity, arithmetic, text, and results that nobody uses (design page language.md, bottom of the sketch).
 */
export const signalMisuse = ESLintUtils.RuleCreator.withoutDocs<[], MessageId>({
  meta: {
    type: "problem",
    docs: { description: "values of the hardware language are not JavaScript values" },
    schema: [],
    messages,
    defaultOptions: [],
  },
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    const checker = services.program.getTypeChecker();
    const isSignalType = (t: Type): boolean => isLanguageValue(checker, t) || isStructView(checker, t);
    const isSignal = (n: TSESTree.Node): boolean => isSignalType(services.getTypeAtLocation(n));
    const codeOf = (n: TSESTree.Node): string => {
      const text = context.sourceCode.getText(n).replace(/\s+/g, " ");
      return text.length > 40 ? `${text.slice(0, 37)}...` : text;
    };
    const report = (at: TSESTree.Node, messageId: MessageId, data: Record<string, string> = {}): void =>
      context.report({ node: at, messageId, data });

    /** The operands of && and || before the last are looked at by themselves. */
    const lastOperand = (n: TSESTree.Expression): TSESTree.Expression =>
      n.type === node.LogicalExpression && n.operator !== "??" ? lastOperand(n.right) : n;
    const checkCondition = (test: TSESTree.Expression | null): void => {
      const n = test === null ? undefined : lastOperand(test);
      if (n !== undefined && isSignal(n)) report(n, "condition", { code: codeOf(n) });
    };
    /** `undefined` and `null` are answered rightly by identity. */
    const isNothing = (n: TSESTree.Node): boolean =>
      (n.type === node.Identifier && n.name === "undefined") || (n.type === node.Literal && n.raw === "null");

    const reassigned = (n: TSESTree.AssignmentExpression): void => {
      if (n.left.type !== node.Identifier || !isSignal(n.right)) return;
      const { left } = n;
      const variable = ASTUtils.findVariable(context.sourceCode.getScope(left), left);
      // A variable that is written once only carries a value out of the body.
      if (variable === null || variable.references.filter(r => r.isWrite()).length < 2) return;
      const construct = constructAround(n, variable.scope.block);
      if (construct !== undefined) report(n, "reassigned", { code: left.name, construct });
    };

    return {
      IfStatement: n => checkCondition(n.test),
      ConditionalExpression: n => checkCondition(n.test),
      WhileStatement: n => checkCondition(n.test),
      DoWhileStatement: n => checkCondition(n.test),
      ForStatement: n => checkCondition(n.test),
      LogicalExpression: n => {
        // In `a && b && c` the left side is `a && b`: what decides of it here is `b`.
        const left = lastOperand(n.left);
        if (n.operator !== "??" && isSignal(left))
          report(left, "logic", {
            operator: n.operator,
            code: codeOf(left),
            method: n.operator === "&&" ? "and" : "or",
          });
      },
      UnaryExpression: n => {
        if (n.operator === "typeof" || n.operator === "void" || n.operator === "delete" || !isSignal(n.argument))
          return;
        if (n.operator === "!") report(n, "negation", { code: codeOf(n.argument) });
        else report(n, "arithmetic", { operator: n.operator, instead: unary[n.operator] ?? "a method of the value" });
      },
      UpdateExpression: n => {
        if (isSignal(n.argument)) report(n, "arithmetic", { operator: n.operator, instead: unary[n.operator] ?? "" });
      },
      BinaryExpression: n => {
        if (n.operator === "in" || n.operator === "instanceof" || isNothing(n.left) || isNothing(n.right)) return;
        if (!isSignal(n.left) && !isSignal(n.right)) return;
        const method = methods[n.operator] ?? "";
        if (equality.has(n.operator)) report(n, "comparison", { operator: n.operator, method });
        else
          report(n, "arithmetic", {
            operator: n.operator,
            instead: method === "" ? "what the hardware is to do" : `.${method}(...)`,
          });
      },
      AssignmentExpression: n => {
        reassigned(n);
        if (n.operator === "=" || n.operator === "??=" || (!isSignal(n.left) && !isSignal(n.right))) return;
        report(n, "arithmetic", {
          operator: n.operator,
          instead: `.set(...) with .${methods[n.operator.slice(0, -1)] ?? (n.operator === "&&=" ? "and" : "or")}(...)`,
        });
      },
      TemplateLiteral: n => {
        for (const e of n.expressions) if (isSignal(e)) report(e, "text", { code: codeOf(e) });
      },
      SwitchStatement: n => {
        if (isSignal(n.discriminant)) report(n.discriminant, "switch");
      },
      CallExpression: n => {
        if (
          n.callee.type === node.Identifier &&
          n.callee.name === "Boolean" &&
          n.arguments[0] !== undefined &&
          isSignal(n.arguments[0])
        ) {
          report(n, "condition", { code: codeOf(n.arguments[0]) });
          return;
        }
        const [callback] = n.arguments;
        if (
          n.callee.type !== node.MemberExpression ||
          n.callee.property.type !== node.Identifier ||
          !predicates.has(n.callee.property.name) ||
          callback === undefined
        )
          return;
        const receiver = services.getTypeAtLocation(n.callee.object);
        if (!checker.isArrayType(receiver) && !checker.isTupleType(receiver)) return;
        const answers = services
          .getTypeAtLocation(callback)
          .getCallSignatures()
          .map(s => s.getReturnType());
        if (answers.some(isSignalType)) report(callback, "predicate", { method: n.callee.property.name });
      },
      ExpressionStatement: n => {
        const e = n.expression;
        if (
          e.type === node.CallExpression &&
          e.callee.type === node.MemberExpression &&
          isSignal(e) &&
          isSignal(e.callee.object)
        )
          report(e, "dropped", { code: codeOf(e) });
      },
    };
  },
});
