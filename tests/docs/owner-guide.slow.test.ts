/** Slow: each command of the guide is a process of its own. */
import { testDocuments } from './test-documents.ts';

testDocuments([{ path: 'docs/guides/owner.md', skipped: 1 }]);
