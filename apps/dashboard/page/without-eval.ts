import { config } from 'zod';

// Zod would otherwise try `new Function`, which the Content-Security-Policy refuses and reports.
config({ jitless: true });
