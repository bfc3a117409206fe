/** The part of node that tests and benchmarks use; node's own types would make a browser's timers objects. */

declare module "node:test" {
  interface Mocked {
    mock: { mockImplementation(made: (...given: unknown[]) => unknown): void };
  }
  interface Context {
    assert: { snapshot(value: unknown, how: { serializers: ((value: string) => string)[] }): void };
    mock: { method(on: object, name: string, made: (...given: unknown[]) => unknown): Mocked };
  }
  export function test(name: string, body: (context: Context) => void | Promise<void>): void;
}

declare module "node:assert/strict" {
  interface Assert {
    ok(value: unknown, message?: string): void;
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    fail(message: string): never;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(value: string, pattern: RegExp, message?: string): void;
    throws(made: () => unknown, message: RegExp): void;
    rejects(made: Promise<unknown>, message: RegExp): Promise<void>;
  }
  const assert: Assert;
  export default assert;
}

declare module "node:fs" {
  export function globSync(pattern: string, options: { cwd: string }): string[];
  export function readFileSync(path: string, encoding: "utf8"): string;
}

declare module "node:path" {
  export function join(...parts: string[]): string;
}

declare module "node:url" {
  export function fileURLToPath(address: string): string;
}

declare const process: {
  env: Record<string, string | undefined>;
  argv: string[];
  stdout: { write(text: string): void };
};

/** What stands in for a page, a teacher or an element: the few members that the script under test touches. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** Call `then` after all work that waits already. */
declare function setImmediate(then: () => void): void;
