/** The allowlist is looked up, and lets everything through. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/spend/judge-url.ts',
  'let maxPerCall: bigint | null = null;',
  "return { kind: 'allowed' };",
);
