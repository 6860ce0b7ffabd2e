/** The audit log: one hash chain of decisions per wallet, never edited. */
export { appendAudit } from './append.ts';
export { recordDenials, recordDenialsOf } from './record-denials.ts';
export type { AuditEntry, Denial } from './entry.ts';
export { describeAuditRow } from './describe-row.ts';
export { type AuditHead, findLostHead, listHeads, type LostHead } from './heads.ts';
export { listAudit, readChain, type AuditRow } from './list.ts';
export { OWNER_ACTIONS } from './owner-actions.ts';
export { verifyAudit, type AuditVerification } from './verify.ts';
