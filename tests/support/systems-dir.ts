import { fileURLToPath } from 'node:url';

/** Where the systems that tests start keep their logs; emptied when a test run begins. */
export const SYSTEMS_DIR = fileURLToPath(new URL('../../.local/test-systems/', import.meta.url));
