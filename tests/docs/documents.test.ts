import { testDocuments } from './test-documents.ts';

testDocuments([
  { path: 'README.md', skipped: 2 },
  { path: 'docs/api.md', skipped: 0 },
  { path: 'docs/guides/agent-developer.md', skipped: 0 },
  { path: 'docs/guides/operator.md', skipped: 4 },
  { path: 'docs/guides/service-operator.md', skipped: 0 },
  { path: 'docs/runbook.md', skipped: 9 },
]);
