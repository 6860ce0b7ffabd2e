/** Slow: each of their commands starts processes of its own. */
import { testDocuments } from './test-documents.ts';

testDocuments([
  { path: 'docs/guides/owner.md', skipped: 1 },
  { path: 'docs/guides/command-line.md', skipped: 0 },
]);
