/**
 * Prints how many tests of vitest's JSON report passed and how many failed, and appends the failed
 * ones with their messages to a file: `node .ci/report.mjs <report> <failures>`.
 */
import { appendFileSync, readFileSync } from 'node:fs';

const MOST_CHARACTERS = 2_000;

const [, , reportPath, failuresPath] = process.argv;
const report = JSON.parse(readFileSync(reportPath, 'utf8'));

for (const { name: file, message, assertionResults } of report.testResults) {
  if (message) note(file, message);
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status === 'failed') note(`${file} > ${fullName}`, failureMessages.join('\n'));
  }
}

// A file that could not be loaded fails without a failed test.
const failed = Math.max(report.numFailedTests, report.numFailedTestSuites > 0 ? 1 : 0);
console.log(report.numPassedTests, failed);

function note(what, message) {
  appendFileSync(failuresPath, `${what}\n${message.slice(0, MOST_CHARACTERS)}\n`);
}
