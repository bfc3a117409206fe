/** What tests/scripts take for property tests: a package is found from the folder that installs it. */

export * from "fast-check";
