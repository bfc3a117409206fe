/** The part of node that the tests use; node's own types would make a browser's timers objects. */

declare module "node:test" {
  interface Mocked {
    mock: { mockImplementation(made: (...given: any[]) => unknown): void };
  }
  interface Context {
    mock: { method(on: object, name: string, made: (...given: any[]) => unknown): Mocked };
  }
  export function test(name: string, body: (context: Context) => void | Promise<void>): void;
}

declare module "node:assert/strict" {
  interface Assert {
    ok(value: unknown, message?: string): void;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    rejects(made: Promise<unknown>, message: RegExp): Promise<void>;
  }
  const assert: Assert;
  export default assert;
}

/** Call `then` after all work that waits already. */
declare function setImmediate(then: () => void): void;
