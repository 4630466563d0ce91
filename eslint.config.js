import { defineConfig } from "eslint/config";
import { register } from "tsx/esm/api";
import tseslint from "typescript-eslint";

// The project's own rules are TypeScript like everything else.
const unregister = register();
const { signalMisuse } = await import("./scripts/eslint/signal-misuse.ts");
await unregister();

/** @type {("camelCase" | "PascalCase" | "UPPER_CASE")[]} */
const members = ["camelCase", "PascalCase", "UPPER_CASE"];
/** What has a name of its own: all but members of objects and types. */
const names = [
  { selector: "default", format: ["camelCase"], leadingUnderscore: "allow" },
  { selector: "import", format: null },
  { selector: "variable", format: members, leadingUnderscore: "allow" },
  { selector: "variable", modifiers: ["destructured"], format: null },
  { selector: "parameter", modifiers: ["destructured"], format: null },
  { selector: "function", format: ["camelCase", "PascalCase"], leadingUnderscore: "allow" },
  { selector: "parameter", format: ["camelCase", "PascalCase"], leadingUnderscore: "allow" },
  { selector: "typeLike", format: ["PascalCase"] },
  { selector: ["memberLike", "property"], modifiers: ["requiresQuotes"], format: null },
];
/** Members that others have named: attributes of tools, keys of Yosys's netlists and of Python's paths, Node's own. */
const foreign = "^(?:async_reg|port_directions|hide_name|include_dir|__dirname)$";

export default defineConfig(
  // The last two are programs for a test of the compiler: full of mistakes, on purpose.
  {
    ignores: [
      "node_modules/",
      ".cache/",
      "out/",
      "dist/",
      "generated/",
      "test/hdl-dsl/types/accepted.ts",
      "test/hdl-dsl/types/refused.ts",
    ],
  },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    // The rule's types are typescript-eslint's, which name more than ESLint's own promise.
    plugins: {
      mnemo: {
        rules: {
          "signal-misuse": /** @type {import("eslint").Rule.RuleModule} */ (/** @type {unknown} */ (signalMisuse)),
        },
      },
    },
    rules: {
      "mnemo/signal-misuse": "error",
      eqeqeq: "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // `when(c, () => x.set(1))`: a block of one line stays one line.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // One import of a module for values and types; types alone may have their own.
      "no-duplicate-imports": ["error", { allowSeparateTypeImports: true }],
      // Names within an import are in order, so that two changes to it rarely meet.
      "sort-imports": ["error", { ignoreDeclarationSort: true, ignoreCase: true }],
      // camelCase; types, and what is made of them (shapes, modules), in PascalCase; constants may be UPPER_CASE. What
      // others name (quoted, imported, taken out of an object) keeps its name.
      "@typescript-eslint/naming-convention": [
        "error",
        ...names,
        { selector: ["memberLike", "property"], format: members },
        { selector: ["memberLike", "property"], format: null, filter: { regex: foreign, match: true } },
      ],
      // Code is Prettier's; comments are wrapped by hand.
      "max-len": [
        "error",
        {
          code: 120,
          comments: 120,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignoreUrls: true,
          ignorePattern: "// eslint-disable-",
        },
      ],
      // Widths are inferred from a parameter that stands in the signature once.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      // `void x` says that x is there to be made, not to be read.
      "@typescript-eslint/no-meaningless-void-operator": "off",
      // `_name` says that a parameter is there for the signature's sake.
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrorsIgnorePattern: "^_" },
      ],
    },
  },
  {
    // A body that fits a page reads as a table of contents (docs/style.md). Names and casts: the rules above, and
    // test/casts.test.ts, hold in all of designs too.
    files: ["designs/**"],
    rules: { "max-lines-per-function": ["error", { max: 100, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ["test/**"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off", "@typescript-eslint/require-await": "off" },
  },
  {
    // A test is ended by what it finds, never by the clock of a busy machine: one limit against hangs serves all.
    files: ["test/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...[
          "CallExpression[callee.name=/^(it|test|(before|after)(All|Each))$/] > Literal.arguments[raw=/^[0-9]/]",
          "CallExpression[callee.callee.object.name=/^(it|test)$/] > Literal.arguments[raw=/^[0-9]/]",
          ":matches(CallExpression[callee.name=/^(it|test|describe)$/], CallExpression[callee.callee.object.name=/^(it|test|describe)$/]) > ObjectExpression > Property[key.name=timeout][value.type=Literal]",
        ].map(selector => ({
          selector,
          message:
            "A limit of one test ends it on a slow machine: leave it to hangMs (test/support/hang-ms.ts), or add to that.",
        })),
      ],
    },
  },
  {
    // Tests look things up by the names of the emitted Verilog, and of diagnostics.
    files: ["test/**"],
    rules: {
      "@typescript-eslint/naming-convention": [
        "error",
        ...names,
        { selector: ["memberLike", "property"], format: null },
      ],
    },
  },
  {
    // Its subject is names.
    files: ["test/hdl-dsl/ir/snake-case.test.ts"],
    rules: { "@typescript-eslint/naming-convention": "off" },
  },
  {
    // One planted fault a line: not Prettier's.
    files: [
      "test/**/build/faults.ts",
      "test/**/build/silent.ts",
      "test/**/types/enumeration-faults.ts",
      "test/**/formal/formal-faults.ts",
      "test/**/types/interface-faults.ts",
      "test/**/build/names.test.ts",
    ],
    rules: { "max-len": "off", "sort-imports": "off" },
  },
  {
    // Each line is a mistake, and some only pass the compiler.
    files: ["test/**/build/silent.ts"],
    rules: {
      eqeqeq: "off",
      "mnemo/signal-misuse": "off",
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-unnecessary-type-assertion": "off",
      "@typescript-eslint/no-unnecessary-template-expression": "off",
    },
  },
  {
    files: ["**/*.cjs"],
    languageOptions: { globals: { module: "writable", require: "readonly", __dirname: "readonly" } },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
);
