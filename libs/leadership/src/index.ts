/** Tasks that one copy of a process does for all copies: leases, and loops that run under one. */
export { createLeadership, type Leadership, type LedPass } from './leadership.ts';
