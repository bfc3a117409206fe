// Rules that find mistakes; prettier decides how the scripts look.

import js from "@eslint/js";
import globals from "globals";
import typescript from "typescript-eslint";

/** Globs from the repository's root, where `npm run lint` calls eslint. */
const BROWSER = ["assets/js/**/*.js", "assets/first/**/*.js", "assets/offline/**/*.js"];
const NODE = ["assets/eslint.config.js", "tests/scripts/**/*.mjs", "benchmarks/**/*.mjs"];

/** `any` in a JSDoc type; typescript-eslint's no-explicit-any reads only TypeScript. */
const ANY = /[{<|(,:=]\s*any\s*(?:\[\]|[}>|),;])/;

/** What the server, which joins scripts by their lines, would take for code within a text (docs/decisions/bundles.md). */
const JOINED = /\/\*\*|\n\s|\n(?:\/\/|import\b|export\b)/;

/** Rules of our own. */
const own = {
  rules: {
    bundled: {
      create: ({ report }) => {
        const check = (node, text) => {
          if (JOINED.test(text)) {
            report({ node, message: "A bundle would lose a part of this text: write \\n for its line ends." });
          }
        };
        return {
          Literal: (node) => check(node, node.raw),
          TemplateElement: (node) => check(node, node.value.raw),
        };
      },
    },
    "no-any": {
      create: ({ report, sourceCode }) => ({
        Program() {
          for (const comment of sourceCode.getAllComments().filter(({ value }) => ANY.test(value))) {
            report({ loc: comment.loc, message: "`any` switches the checker off; `unknown` does not." });
          }
        },
      }),
    },
  },
};

export default [
  {
    ...js.configs.recommended,
    rules: {
      ...js.configs.recommended.rules,
      curly: ["error", "multi-line", "consistent"],
      eqeqeq: "error",
      "max-len": ["error", { code: 160, ignoreRegExpLiterals: true }], // prettier breaks neither comments nor texts
      "no-constructor-return": "error",
      "no-implicit-coercion": ["error", { boolean: false }],
      "no-promise-executor-return": "off", // `new Promise((resolve) => setTimeout(resolve, …))` is the usual way to wait
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-unmodified-loop-condition": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "no-useless-assignment": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "require-atomic-updates": "off", // takes every property written after an await for a race
    },
  },
  { files: [...BROWSER, "tests/browser/*.mjs"], languageOptions: { globals: globals.browser } },
  { files: ["assets/first/**/*.js", "assets/offline/**/*.js"], languageOptions: { sourceType: "script" } },
  { files: NODE, languageOptions: { globals: globals.node } },
  {
    files: ["tests/scripts/**/*.test.mjs"],
    rules: {
      "no-restricted-properties": [
        "error",
        { object: "Math", property: "random", message: "draw with properties.mjs, which repeats" },
      ],
    },
  },
  {
    files: ["assets/types/**/*.d.ts", "tests/scripts/**/*.d.ts"],
    languageOptions: { parser: typescript.parser },
    plugins: { "@typescript-eslint": typescript.plugin },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "no-undef": "off", // the compiler knows better
      "no-unused-vars": "off",
    },
  },
  {
    files: [...BROWSER, "tests/browser/*.mjs", "tests/scripts/**/*.mjs", "benchmarks/**/*.mjs"],
    languageOptions: {
      parser: typescript.parser,
      parserOptions: { project: ["assets/tsconfig.json", "tests/scripts/tsconfig.json"] },
    },
    plugins: { "@typescript-eslint": typescript.plugin, headlight: own },
    rules: {
      "headlight/no-any": "error",
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-base-to-string": "error",
      "@typescript-eslint/no-floating-promises": "error", // an error in one would go unnoticed
      "@typescript-eslint/no-for-in-array": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/no-unnecessary-condition": "error", // a check that cannot fail hides the intended one
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/restrict-plus-operands": "error",
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/unbound-method": "error",
    },
  },
  { files: ["assets/js/**/*.js"], rules: { "headlight/bundled": "error" } },
];
