import type { BrowserContext } from 'playwright-core';

/** What went wrong in the pages of one test. */
export type Problems = {
  /** Says that problems whose text matches are part of the test. */
  expect(pattern: RegExp): void;
  unexpected(): readonly string[];
};

/** An owner without a vault has no wallet yet; the browser logs each 404. */
const NO_WALLET_YET = /^error: Failed to load resource: .* 404 .*\/v1\/wallet$/;

/** Collects console errors and warnings, among them refusals of the policy, and exceptions. */
export function watchProblems(context: BrowserContext): Problems {
  const found: string[] = [];
  const expected: RegExp[] = [NO_WALLET_YET];
  context.on('console', (message) => {
    const type = message.type();
    if (type !== 'error' && type !== 'warning') return;
    found.push(`${type}: ${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (error) => found.push(`exception: ${error.error().message}`));
  return {
    expect: (pattern) => expected.push(pattern),
    unexpected: () => found.filter((text) => !expected.some((pattern) => pattern.test(text))),
  };
}
